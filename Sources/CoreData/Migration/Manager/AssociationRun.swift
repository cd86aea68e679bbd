/// Pairs of objects whose keys go up together, one by one: rows that are read in their order become rows in
/// the same order, so that a million pairs are a few runs.
struct AssociationRun {
  var source: Int64
  var destination: Int64
  /// The indexes of the entities' layouts.
  var sourceEntity: Int32
  var destinationEntity: Int32
  /// How many pairs.
  var count: Int64 = 1

  /// Longer ones would be found slowly where others overlap them.
  static let longest: Int64 = 1_024

  /// Takes in the next pair, if it goes on where the run ends.
  mutating func extend(by next: AssociationRun) -> Bool {
    guard count < Self.longest, next.source == source + count,
      next.destination == destination + count,
      next.sourceEntity == sourceEntity, next.destinationEntity == destinationEntity
    else { return false }
    count += 1
    return true
  }
}

/// Finds runs by the keys of one of their sides.
///
/// Runs that come in ascending order are found where they are; others through an order that is made when
/// somebody asks.
struct AssociationOrder {
  private let first: @Sendable (AssociationRun) -> Int64
  private var isAscending = true
  private var order: [Int32] = []

  init(by first: @escaping @Sendable (AssociationRun) -> Int64) { self.first = first }

  /// Notes that a run came after those that there are, or that the last one grew.
  mutating func note(_ run: AssociationRun, after last: AssociationRun?) {
    order = []
    if let last, first(run) < first(last) + last.count { isAscending = false }
  }

  /// Whether no two runs have a key in common.
  var isUnambiguous: Bool { isAscending }

  /// The place of the run that is the n-th by its first key; of equal ones the first added comes first.
  mutating func place(ofRank rank: Int, in runs: [AssociationRun]) -> Int {
    if isAscending { return rank }
    sort(runs)
    return Int(order[rank])
  }

  /// The places of the runs with a key, in the order in which they were added.
  mutating func places(of key: Int64, in runs: [AssociationRun]) -> [Int] {
    if !isAscending { sort(runs) }
    var rank = runs.indices.partitioningIndex { first(runs[place(ofRank: $0, in: runs)]) > key }
    var result: [Int] = []
    while rank > 0 {
      rank -= 1
      let place = place(ofRank: rank, in: runs)
      let start = first(runs[place])
      if key < start + runs[place].count { result.append(place) }
      // Those before may overlap this one.
      if isAscending || key - start >= AssociationRun.longest { break }
    }
    return result.sorted()
  }

  private mutating func sort(_ runs: [AssociationRun]) {
    if order.count == runs.count { return }
    let first = first
    order = (0..<Int32(runs.count)).sorted { one, other in
      let (a, b) = (first(runs[Int(one)]), first(runs[Int(other)]))
      return a == b ? one < other : a < b
    }
  }
}
