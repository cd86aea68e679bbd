import CSQLite
import StoreEngine

/// A prepared statement. Bind its parameters, step, read its columns, and reset it.
final class SQLiteStatement {
  private let handle: OpaquePointer
  // Unowned, because the connection caches its statements.
  private unowned let connection: SQLiteConnection
  let sql: String
  /// Whether the statement is in use, from the first bind or step to `reset()`. The cache returns only unused ones.
  @exclusivity(unchecked)
  private(set) var isInUse = false
  /// Whether the statement has begun to run.
  @exclusivity(unchecked)
  private var isRunning = false
  /// Whether SQLite sorts rows after passing them to the receiver, so that they arrive in the wrong order.
  @exclusivity(unchecked)
  var sortsRows = false
  @exclusivity(unchecked)
  private var bindCode = SQLITE_OK
  /// Nil unless statements are logged.
  @exclusivity(unchecked)
  private var trace: StatementTrace?
  /// SQLite's plan, if it is logged. It is read before the statement runs, because reading it afterwards would change
  /// SQLite's count of changed rows.
  private var plan: [String] = []

  // Makes SQLite copy bound values, because their pointers are invalid when the statement runs.
  fileprivate static let transient = sqlite3_transient_destructor()

  init(_ sql: String, on connection: SQLiteConnection) throws {
    var prepared: OpaquePointer?
    // Most statements are cached. SQLite's lookaside memory is for statements that are soon
    // finalized.
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

  /// Moves to the next row. Returns false if there is none.
  func step() throws -> Bool {
    isInUse = true
    if !isRunning { connection.clock?.begin() }
    let code = trace == nil ? nextCode() : tracedCode()
    switch code {
    case SQLITE_ROW, SQLITE_DONE:
      // SQLite acquires the lock in the first step. An earlier check could see a different version
      // from the one that the statement reads.
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

  /// Runs the next step. Measures the first sixteen rows, and then every sixteenth.
  private func tracedCode() -> Int32 {
    let rows = trace?.rows ?? 0
    // Reading the clock takes as long as a small row.
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
    // A statement that writes no rows leaves SQLite's count of changed rows as it was.
    let rows = writesRows ? Int(sqlite3_changes64(connection.handle)) : done.rows
    done.log.record(text, nanoseconds: done.nanoseconds, rows: rows, plan: plan)
  }

  private var writesRows: Bool {
    sqlite3_stmt_readonly(handle) == 0
      && ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"].contains { sql.hasPrefix($0) }
  }

  /// Runs the statement to the end and resets it.
  func run() throws {
    while try step() {}
    reset()
  }

  /// Runs the statement to the end. Bind all parameters again before the next run.
  func runAgain() throws {
    while try step() {}
    if trace != nil { logTrace() }
    // Keeps the bindings, because the caller replaces all of them.
    sqlite3_reset(handle)
    isRunning = false
  }

  func reset() {
    if trace != nil { logTrace() }
    sqlite3_reset(handle)
    // Frees SQLite's copies of the values, which may be large.
    sqlite3_clear_bindings(handle)
    isInUse = false
    isRunning = false
    bindCode = SQLITE_OK
  }

  // MARK: Parameters, numbered from 1

  /// A value with more bytes than this raises the limits of the statement and its transaction.
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
      // An empty string may have no address, and SQLite interprets a null pointer as NULL.
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
        // As for text, a null pointer would be NULL.
        check(sqlite3_bind_zeroblob(handle, Int32(index), 0))
      }
    }
  }

  /// Records the first error of a bind (a value is too large, or no memory), which the next step throws.
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
    // The pointer is requested before the size, because SQLite may convert the value
    // (sqlite.org/c3ref/column_blob.html).
    guard let base = sqlite3_column_blob(handle, Int32(column)) else { return Data() }
    return Data(bytes: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// Returns the UTF-8 of a text column, which is valid until the next step.
  func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    guard let base = sqlite3_column_text(handle, Int32(column)) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// Returns the UTF-8 of a text column, which is valid until the next step; nil for NULL.
  ///
  /// - Throws: If there is not enough memory.
  func textIfPresent(_ column: Int) throws -> UnsafeRawBufferPointer? {
    guard let base = sqlite3_column_text(handle, Int32(column)) else {
      if isNull(column) { return nil }
      throw connection.error(SQLITE_NOMEM, sql: sql)
    }
    return UnsafeRawBufferPointer(
      start: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// Returns the bytes of a data column, which are valid until the next step; empty for NULL.
  ///
  /// - Throws: If there is not enough memory.
  func blob(_ column: Int) throws -> UnsafeRawBufferPointer {
    let bytes = blobBytes(column)
    if bytes.baseAddress == nil, sqlite3_column_bytes(handle, Int32(column)) > 0 {
      throw connection.error(SQLITE_NOMEM, sql: sql)
    }
    return bytes
  }

  /// Returns the bytes of a data column, which are valid until the next step.
  func blobBytes(_ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: sqlite3_column_blob(handle, Int32(column)),
      count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }
}
