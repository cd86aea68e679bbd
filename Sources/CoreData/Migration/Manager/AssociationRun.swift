/// A run of object pairs in which both keys increase by one from pair to pair. Rows that are read in order become
/// rows in the same order, so a million pairs are only a few runs.
struct AssociationRun {
  var source: Int64
  var destination: Int64
  /// The indexes of the layouts of the two entities.
  var sourceEntity: Int32
  var destinationEntity: Int32
  /// The number of pairs.
  var count: Int64 = 1

  /// The maximum length of a run. Runs may overlap, so finding a key examines all runs that begin
  /// at most this far before the key.
  static let longest: Int64 = 1_024

  /// Appends a pair and returns true, if the pair continues the run.
  mutating func extend(by next: AssociationRun) -> Bool {
    guard count < Self.longest, next.source == source + count,
      next.destination == destination + count,
      next.sourceEntity == sourceEntity, next.destinationEntity == destinationEntity
    else { return false }
    count += 1
    return true
  }
}

/// Finds runs by the keys of one side.
///
/// If runs are added in ascending order, they are found without an index. Otherwise, an index is built when it is
/// first needed.
struct AssociationOrder {
  private let first: @Sendable (AssociationRun) -> Int64
  private var isAscending = true
  private var order: [Int32] = []

  init(by first: @escaping @Sendable (AssociationRun) -> Int64) { self.first = first }

  /// Records that a run was appended, or that the last run grew.
  mutating func note(_ run: AssociationRun, after last: AssociationRun?) {
    order = []
    if let last, first(run) < first(last) + last.count { isAscending = false }
  }

  /// Whether it is certain that no two runs have a common key, because the runs were added in ascending order.
  var isUnambiguous: Bool { isAscending }

  /// Returns the index of the n-th run in the order of first keys. Runs with the same first key are in the order in
  /// which they were added.
  mutating func place(ofRank rank: Int, in runs: [AssociationRun]) -> Int {
    if isAscending { return rank }
    sort(runs)
    return Int(order[rank])
  }

  /// Returns the indexes of the runs that contain a key, in the order in which they were added.
  mutating func places(of key: Int64, in runs: [AssociationRun]) -> [Int] {
    if !isAscending { sort(runs) }
    var rank = runs.indices.partitioningIndex { first(runs[place(ofRank: $0, in: runs)]) > key }
    var result: [Int] = []
    while rank > 0 {
      rank -= 1
      let place = place(ofRank: rank, in: runs)
      let start = first(runs[place])
      if key < start + runs[place].count { result.append(place) }
      // A previous run may overlap this one.
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
