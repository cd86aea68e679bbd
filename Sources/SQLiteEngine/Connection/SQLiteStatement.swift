import CSQLite
import StoreEngine

/// A prepared statement: bind, step, read columns, reset.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection
  let sql: String
  /// True from the first bind or step to `reset()`: a statement in use is not handed out again.
  @exclusivity(unchecked)
  private(set) var isInUse = false
  /// Whether it has begun to run.
  @exclusivity(unchecked)
  private var isRunning = false
  /// Whether it hands rows over in another order than it gives them.
  @exclusivity(unchecked)
  var sortsRows = false
  @exclusivity(unchecked)
  private var bindCode = SQLITE_OK
  /// Nil unless statements are logged.
  @exclusivity(unchecked)
  private var trace: StatementTrace?
  /// SQLite's plan where it is told. Made before the statement runs: afterwards it would be the plan's own run
  /// that SQLite says the number of changed rows of.
  private var plan: [String] = []

  fileprivate static let transient = sqlite3_transient_destructor()

  init(_ sql: String, on connection: SQLiteConnection) throws {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw connection.error(code, sql: sql) }
    self.handle = prepared
    self.connection = connection
    self.sql = sql
    if sql == SQLiteConnection.dataVersionPragma { return }
    if connection.log.isOn { trace = StatementTrace(log: connection.log) }
    if connection.log.hasPlan { plan = connection.queryPlan(sql) }
  }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row; false when there is none.
  func step() throws -> Bool {
    isInUse = true
    if !isRunning { connection.clock?.begin() }
    let code = trace == nil ? nextCode() : tracedCode()
    switch code {
    case SQLITE_ROW, SQLITE_DONE:
      if !isRunning { try begin() }
      return code == SQLITE_ROW
    default:
      let error = connection.error(code, sql: sql)
      reset()
      throw error
    }
  }

  private func begin() throws {
    isRunning = true
    do { try connection.requireIdentity() } catch {
      reset()
      throw error
    }
  }

  private func nextCode() -> Int32 { bindCode == SQLITE_OK ? sqlite3_step(handle) : bindCode }

  /// Of many rows one of sixteen is timed, and counts for all: the clock takes as long as a small row.
  private func tracedCode() -> Int32 {
    let rows = trace?.rows ?? 0
    guard rows < 16 || rows % 16 == 0 else {
      let code = nextCode()
      if code == SQLITE_ROW { trace?.rows += 1 }
      return code
    }
    let start = StatementLog.now()
    let code = nextCode()
    trace?.nanoseconds += (StatementLog.now() - start) * (rows < 16 ? 1 : 16)
    if code == SQLITE_ROW { trace?.rows += 1 }
    trace?.hasRun = true
    return code
  }

  private func logTrace() {
    guard let done = trace, done.hasRun else { return }
    trace = StatementTrace(log: done.log)
    var text = sql
    if done.log.hasValues, let expanded = sqlite3_expanded_sql(handle) {
      text = String(cString: expanded)
      sqlite3_free(expanded)
    }
    // Of what neither reads nor writes rows, SQLite says how many the statement before wrote.
    let rows = writesRows ? Int(sqlite3_changes64(connection.handle)) : done.rows
    done.log.record(text, nanoseconds: done.nanoseconds, rows: rows, plan: plan)
  }

  private var writesRows: Bool {
    sqlite3_stmt_readonly(handle) == 0
      && ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"].contains { sql.hasPrefix($0) }
  }

  /// Runs to the end and resets.
  func run() throws {
    while try step() {}
    reset()
  }

  /// Runs to the end, ready to be run again with other values: all parameters are bound anew then.
  func runAgain() throws {
    while try step() {}
    if trace != nil { logTrace() }
    sqlite3_reset(handle)
    isRunning = false
  }

  func reset() {
    if trace != nil { logTrace() }
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    isInUse = false
    isRunning = false
    bindCode = SQLITE_OK
  }

  // MARK: Parameters, numbered from 1

  /// Values of more bytes count for what a transaction may write.
  private static let largeValue = 4_096

  func bind(_ value: Int64, at index: Int) {
    check(sqlite3_bind_int64(handle, Int32(index), value))
  }
  func bind(_ value: Double, at index: Int) {
    check(sqlite3_bind_double(handle, Int32(index), value))
  }
  func bindNull(at index: Int) { check(sqlite3_bind_null(handle, Int32(index))) }
  func bind(_ value: String, at index: Int) {
    var value = value
    value.withUTF8 { bytes in
      // An empty string may have no address, and SQLite takes a null pointer for NULL.
      if let base = bytes.baseAddress {
        if bytes.count > Self.largeValue { connection.clock?.allow(bytes: bytes.count) }
        check(
          sqlite3_bind_text64(
            handle, Int32(index), UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self),
            UInt64(bytes.count), Self.transient, UInt8(SQLITE_UTF8)))
      } else {
        check(sqlite3_bind_text(handle, Int32(index), "", 0, Self.transient))
      }
    }
  }
  func bind(_ value: Data, at index: Int) {
    value.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress, !bytes.isEmpty {
        if bytes.count > Self.largeValue { connection.clock?.allow(bytes: bytes.count) }
        check(sqlite3_bind_blob64(handle, Int32(index), base, UInt64(bytes.count), Self.transient))
      } else {
        check(sqlite3_bind_zeroblob(handle, Int32(index), 0))
      }
    }
  }

  /// Keeps the first failure of a bind (a value too big, no memory), which the next step throws.
  private func check(_ code: Int32) {
    if code != SQLITE_OK, bindCode == SQLITE_OK { bindCode = code }
    isInUse = true
  }

  // MARK: Columns of the current row, numbered from 0

  func type(_ column: Int) -> Int32 { sqlite3_column_type(handle, Int32(column)) }
  func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }
  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
  func double(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }
  func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
  func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

  func text(_ column: Int) -> String {
    String(decoding: textBytes(column), as: UTF8.self)
  }

  func data(_ column: Int) -> Data {
    guard let base = sqlite3_column_blob(handle, Int32(column)) else { return Data() }
    return Data(bytes: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// The UTF-8 of a text column; valid until the next step.
  func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    guard let base = sqlite3_column_text(handle, Int32(column)) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// The UTF-8 of a text column; nil for NULL. Valid until the next step.
  ///
  /// - Throws: when there is no memory for it.
  func textIfPresent(_ column: Int) throws -> UnsafeRawBufferPointer? {
    guard let base = sqlite3_column_text(handle, Int32(column)) else {
      if isNull(column) { return nil }
      throw connection.error(SQLITE_NOMEM, sql: sql)
    }
    return UnsafeRawBufferPointer(
      start: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// The bytes of a blob column, none for NULL. Valid until the next step.
  ///
  /// - Throws: when there is no memory for them.
  func blob(_ column: Int) throws -> UnsafeRawBufferPointer {
    let bytes = blobBytes(column)
    if bytes.baseAddress == nil, sqlite3_column_bytes(handle, Int32(column)) > 0 {
      throw connection.error(SQLITE_NOMEM, sql: sql)
    }
    return bytes
  }

  /// The bytes of a blob column; valid until the next step.
  func blobBytes(_ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: sqlite3_column_blob(handle, Int32(column)),
      count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }
}
