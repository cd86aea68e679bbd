import CSQLite
import StoreEngine

extension SQLiteStore: HistoryEngine {
  var keepsHistory: Bool { history != nil }

  func readHistory<Result>(
    _ cancellation: Cancellation?, _ body: (any HistoryState) throws -> Result
  ) throws -> Result? {
    try withHistoryState(cancellation) { try body($0) }
  }

  func withHistoryState<Result>(
    _ cancellation: Cancellation? = nil, _ body: (SQLiteHistoryState) throws -> Result
  ) throws -> Result? {
    guard let history else { return nil }
    return try translatingErrors("read the history of") {
      try pool.read(cancellation) { try withHistoryState(of: history, on: $0, body) }
    }
  }

  /// Reads the history on a connection.
  func withHistoryState<Result>(
    of history: StoreHistory, on connection: SQLiteConnection,
    _ body: (SQLiteHistoryState) throws -> Result
  ) throws -> Result {
    let state = SQLiteHistoryState(
      history: history, schema: schema, origin: origin, connection: connection, external: external)
    // The connection of a snapshot, for example, is always in a transaction.
    if connection.isInTransaction { return try body(state) }
    // All queries must see the same state.
    return try connection.transaction("BEGIN") { try body(state) }
  }

  func deleteHistory(before bound: HistoryBound, _ cancellation: Cancellation?) throws -> Int {
    try write("delete the history of", nil, cancellation) {
      try deleteHistory(before: bound, on: $0.connection)
    }
  }

  private func deleteHistory(
    before bound: HistoryBound, on connection: SQLiteConnection
  ) throws -> Int {
    var end = SQLText("SELECT IFNULL(MIN(Z_PK), 9223372036854775807) FROM ATRANSACTION WHERE ")
    switch bound {
    case .all: end += "0"
    case .after(let number): end += "Z_PK >= \(number)"
    case .afterDate(let date):
      end += "ZTIMESTAMP >= "
      end.bind(.double(date.timeIntervalSinceReferenceDate))
    }
    // Records the greatest numbers first, so that the numbers of deleted rows are not reused.
    for (entity, table) in [(16_001, "ACHANGE"), (16_002, "ATRANSACTION")] {
      try connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(IFNULL(Z_MAX, 0), (SELECT IFNULL(MAX(Z_PK), 0)"
          + " FROM \(table))) WHERE Z_ENT = \(entity)")
    }
    var first = Int64.max
    try connection.run(end) { first = $0.integer(0) }
    try connection.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < \(first)")
    try connection.execute("DELETE FROM ATRANSACTION WHERE Z_PK < \(first)")
    return Int(sqlite3_changes64(connection.handle))
  }
}
