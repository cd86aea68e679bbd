/// Finds the smallest set of moves that turns one order of rows into another, where only some rows changed their
/// positions and all others kept their relative order.
///
/// The other rows are grouped into blocks, which end where a changed row was before the change or is after it. So the
/// cost depends only on the number of changed rows. The heaviest run of rows and blocks that keep their order stays;
/// everything else moves. If several runs have the same number of rows, the one with the most unchanged rows stays, so
/// that a changed row is reported as moved rather than its neighbor.
struct MoveFinder {
  /// A row whose position may have changed: its old and new index among the remaining rows.
  struct Changed {
    let old: Int
    let new: Int
  }

  /// Whether each changed row moves.
  private(set) var movedChanged: [Bool]
  /// The other rows that move, by their indexes among the other rows.
  private(set) var movedOthers: [Range<Int>] = []

  /// - Parameters:
  ///   - changed: The changed rows, in any order.
  ///   - count: The number of all remaining rows, including the changed ones.
  init(_ changed: [Changed], count: Int) {
    movedChanged = Array(repeating: false, count: changed.count)
    let others = count - changed.count
    // The number of other rows before each changed row.
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

  /// Returns the weight of rows that do not move. More rows always outweigh fewer; of equally many rows, those with
  /// more unchanged ones weigh more.
  static func weight(ofRows rows: Int, unchanged: Int, of count: Int) -> Int {
    // `unchanged` is at most `count`, so it never outweighs one more row.
    rows * (count + 1) + unchanged
  }

  private enum Item: Hashable {
    case changed(Int)
    case block(Int)
  }

  /// Returns the changed rows and the blocks in their order.
  private static func sequence(_ order: [Int], _ gaps: [Int], _ blocks: [Range<Int>]) -> [Item] {
    var items: [Item] = []
    var next = 0
    for (index, block) in blocks.enumerated() {
      // Each gap is a cut, so changed rows are always between two blocks.
      while next < order.count, gaps[order[next]] <= block.lowerBound {
        items.append(.changed(order[next]))
        next += 1
      }
      items.append(.block(index))
    }
    items += order[next...].map(Item.changed)
    return items
  }

  /// Returns the positions of an ascending run with the greatest sum of weights.
  ///
  /// - Parameter prefersLowPlaces: Whether to choose the run with the lowest places among runs of equal weight, as
  ///   patience sorting does. Otherwise the run that is found first is chosen.
  static func heaviestRun(
    _ places: [Int], _ weights: [Int], prefersLowPlaces: Bool = false
  ) -> [Int] {
    typealias Run = (weight: Int, position: Int)
    func isBetter(_ run: Run, than other: Run) -> Bool {
      if run.weight != other.weight { return run.weight > other.weight }
      return prefersLowPlaces && run.position >= 0 && other.position >= 0
        && places[run.position] < places[other.position]
    }
    // A Fenwick tree over places, which contains the heaviest run that ends at or before each place.
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
