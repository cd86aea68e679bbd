import StoreEngine

/// What one statement did since it was last reset.
///
/// A statement that is not logged has no trace, so logging costs each of its steps one branch.
struct StatementTrace {
  let log: StatementLog
  /// SQLite's time, without that of whoever reads the rows.
  var nanoseconds: UInt64 = 0
  var rows = 0
  var hasRun = false
}
