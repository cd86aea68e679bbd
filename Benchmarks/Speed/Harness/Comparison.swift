/// A row of the table: one operation, measured beside a baseline and other libraries that do the same work.
struct Comparison {
  /// The name of the row, which is unique and has no `/`.
  let name: String
  /// The unit of the value for one item: nanoseconds or bytes.
  var unit = "ns"
  /// The number of items in a run.
  var items = 1
  /// The name of the floor, the baseline of the ratio; nil if the row has none.
  var floor: String?
  /// The names of the peers, other libraries that do the same work.
  var peers: [String] = []
  /// The bar: the largest ratio to the floor that the project accepts; nil if the row is only for information.
  var bar: Double?
  /// The largest accepted ratio to each peer, by name.
  var peerBars: [String: Double] = [:]
  var clock = Lap.Clock.processor
  /// Whether the row gets more time than other rows, because the usual time would suffice for only one
  /// round.
  var isLong = false
  /// Whether the row is measured in several processes, one after the other. In one process, an operation of a few
  /// hundred nanoseconds may be a tenth faster or slower in all rounds, because of the addresses of memory and code.
  var isInSeveralProcesses = false
  /// Whether the figure shows the row.
  var isInFigure = false
  /// The point of a growth curve that the row measures.
  var point: GrowthPoint?
  /// Prepares the data, which is not measured, and adds the contestants.
  let prepare: (inout Contest) throws -> Void
}

/// A size at which a growth curve is measured.
struct GrowthPoint {
  /// The curve's name.
  let curve: String
  let size: Int
}
