/// A row of the table: one thing, measured beside others that do the same.
struct Comparison {
  /// What the row is called; unlike all others, and free of `/`.
  let name: String
  /// What the numbers of one item are: nanoseconds, or bytes.
  var unit = "ns"
  /// How many items a run has.
  var items = 1
  /// What it is held against; nil: nothing.
  var floor: String?
  /// Who else does the same.
  var peers: [String] = []
  /// At most so many times the floor; nil: the row is for information.
  var bar: Double?
  /// At most so many times a peer, by name.
  var peerBars: [String: Double] = [:]
  var clock = Lap.Clock.processor
  /// Whether a round takes so long that the time of other rows would be enough for one only.
  var isLong = false
  /// Whether it is measured in several processes, one after the other: where memory and code happen to lie in a
  /// process makes what takes a few hundred nanoseconds a tenth faster or slower in all its rounds.
  var isInSeveralProcesses = false
  /// Whether the figure shows it.
  var isInFigure = false
  /// What it is a point of.
  var point: GrowthPoint?
  /// Sets up what is not measured, and adds the contestants.
  let prepare: (inout Contest) throws -> Void
}

/// A size at which a curve of growth is measured.
struct GrowthPoint {
  /// The curve's name.
  let curve: String
  let size: Int
}
