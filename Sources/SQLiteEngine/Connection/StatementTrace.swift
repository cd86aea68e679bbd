import StoreEngine

/// The measurements of a statement since it was last reset.
///
/// A statement that is not logged has no trace, so the cost for each step is a single branch.
struct StatementTrace {
  let log: StatementLog
  /// The time in SQLite, without the time of the code that reads the rows.
  var nanoseconds: UInt64 = 0
  var rows = 0
  var hasRun = false
}
