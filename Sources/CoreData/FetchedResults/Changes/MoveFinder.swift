/// Finds the least moves that turn one order of rows into another, when only some rows changed
/// places and all others kept theirs among themselves.
///
/// The others count as a few blocks, cut where changed rows stood or stand, so the cost depends on
/// the number of changed rows only. The heaviest run of rows and blocks that keep their order
/// stays; everything else moves. Where several runs have as many rows, that with the most rows that did not
/// change stays, so that a row that changed is told to move rather than its neighbour.
struct MoveFinder {
  /// A row that may have changed places: its place among the rows that stay, before and after.
  struct Changed {
    let old: Int
    let new: Int
  }

  /// Which of the changed rows move, and which of the others, by their number among the others.
  private(set) var movedChanged: [Bool]
  private(set) var movedOthers: [Range<Int>] = []

  /// - Parameters:
  ///   - changed: the changed rows, in any order.
  ///   - count: the number of all rows that stay, the changed ones included.
  init(_ changed: [Changed], count: Int) {
    movedChanged = Array(repeating: false, count: changed.count)
    let others = count - changed.count
    // How many of the others come before each changed row.
    var oldGap = [Int](repeating: 0, count: changed.count)
    var newGap = oldGap
    let byOld = changed.indices.sorted { changed[$0].old < changed[$1].old }
    let byNew = changed.indices.sorted { changed[$0].new < changed[$1].new }
    for (rank, index) in byOld.enumerated() { oldGap[index] = changed[index].old - rank }
    for (rank, index) in byNew.enumerated() { newGap[index] = changed[index].new - rank }

    let cuts = Set(oldGap + newGap + [0, others]).sorted()
    let blocks = zip(cuts, cuts.dropFirst()).map { $0..<$1 }
    let oldOrder = Self.sequence(byOld, oldGap, blocks)
    let newOrder = Self.sequence(byNew, newGap, blocks)
    var newPlace: [Item: Int] = [:]
    for (place, item) in newOrder.enumerated() { newPlace[item] = place }

    let weights = oldOrder.map { item in
      switch item {
      case .changed: Self.weight(ofRows: 1, unchanged: 0, of: count)
      case .block(let index):
        Self.weight(ofRows: blocks[index].count, unchanged: blocks[index].count, of: count)
      }
    }
    let places = oldOrder.map { newPlace[$0] ?? 0 }
    let kept = Set(Self.heaviestRun(places, weights))
    for (position, item) in oldOrder.enumerated() where !kept.contains(position) {
      switch item {
      case .changed(let index): movedChanged[index] = true
      case .block(let index): movedOthers.append(blocks[index])
      }
    }
  }

  /// What it is worth that some rows stay: first how many they are, then how many of them did not change.
  static func weight(ofRows rows: Int, unchanged: Int, of count: Int) -> Int {
    rows * (count + 1) + unchanged
  }

  private enum Item: Hashable {
    case changed(Int)
    case block(Int)
  }

  /// Changed rows and blocks as they follow each other.
  private static func sequence(_ order: [Int], _ gaps: [Int], _ blocks: [Range<Int>]) -> [Item] {
    var items: [Item] = []
    var next = 0
    for (index, block) in blocks.enumerated() {
      while next < order.count, gaps[order[next]] <= block.lowerBound {
        items.append(.changed(order[next]))
        next += 1
      }
      items.append(.block(index))
    }
    items += order[next...].map(Item.changed)
    return items
  }

  /// The positions of an ascending run with the greatest sum of weights.
  ///
  /// - Parameter prefersLowPlaces: whether of several such runs the one with the lowest places is found, as by patience
  ///   sorting; else the one that is found first.
  static func heaviestRun(
    _ places: [Int], _ weights: [Int], prefersLowPlaces: Bool = false
  ) -> [Int] {
    typealias Run = (weight: Int, position: Int)
    func isBetter(_ run: Run, than other: Run) -> Bool {
      if run.weight != other.weight { return run.weight > other.weight }
      return prefersLowPlaces && run.position >= 0 && other.position >= 0
        && places[run.position] < places[other.position]
    }
    // A Fenwick tree over places: the heaviest run that ends at or before each.
    let size = (places.max() ?? -1) + 1
    var best = [(weight: Int, position: Int)](repeating: (0, -1), count: size + 1)
    var previous = [Int](repeating: -1, count: places.count)
    var heaviest = (weight: 0, position: -1)
    for (position, place) in places.enumerated() {
      var before = (weight: 0, position: -1)
      var index = place
      while index > 0 {
        if isBetter(best[index], than: before) { before = best[index] }
        index -= index & -index
      }
      previous[position] = before.position
      let run = (weight: before.weight + weights[position], position: position)
      if isBetter(run, than: heaviest) { heaviest = run }
      index = place + 1
      while index <= size {
        if isBetter(run, than: best[index]) { best[index] = run }
        index += index & -index
      }
    }
    var run: [Int] = []
    var position = heaviest.position
    while position >= 0 {
      run.append(position)
      position = previous[position]
    }
    return run.reversed()
  }
}
