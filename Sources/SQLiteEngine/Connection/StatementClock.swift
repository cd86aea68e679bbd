import CSQLite
import StoreEngine

/// Limits the duration of a statement, and the duration and writes of a transaction.
///
/// Triggers, indexes of expressions, and computed default values in an untrusted file run when the file is written. A
/// simple statement in a trigger can run forever, such as a join of a table with itself several times. Values such as
/// `hex(zeroblob(100000000))` for each row can fill the disk, although each statement is short enough. SQLite limits
/// neither the duration nor the size.
final class StatementClock {
  /// The number of SQLite's instructions between two checks. A single instruction can create a value of many
  /// megabytes.
  static let instructions: Int32 = 20
  /// The bytes that a transaction can write, in addition to the program's own values and a multiple of the file's
  /// size.
  private static let freeBytes = 256 << 20
  private static let sizeFactor = 4
  /// The additional writes and time of a transaction for each statement.
  private static let bytesPerStatement = 64 << 10
  private static let timePerStatement: UInt64 = 20_000_000

  private let limit: UInt64
  private var start = DispatchTime.now().uptimeNanoseconds
  private var transaction: Transaction?

  private struct Transaction {
    let start: UInt64
    let pageSize: Int
    /// The number of pages that the connection had written before the transaction.
    let pagesBefore: Int
    var allowedBytes: Int
    var allowedTime: UInt64
  }

  /// - Parameter seconds: The limit, which is at least one second.
  init(seconds: Double) { limit = UInt64(max(1, seconds) * 1e9) }

  /// Called when a statement begins.
  func begin() {
    start = DispatchTime.now().uptimeNanoseconds
    // A save of many objects may be long and large, but it has many statements.
    transaction?.allowedBytes += Self.bytesPerStatement
    transaction?.allowedTime += Self.timePerStatement
  }

  /// Called when a transaction of the writer begins.
  func beginTransaction(on connection: SQLiteConnection) throws {
    transaction = nil
    let pageSize = Int(try connection.integer("PRAGMA page_size") ?? 4_096)
    let pages = Int(try connection.integer("PRAGMA page_count") ?? 0)
    transaction = Transaction(
      start: DispatchTime.now().uptimeNanoseconds, pageSize: pageSize,
      pagesBefore: Self.writtenPages(connection.handle),
      allowedBytes: Self.freeBytes + Self.sizeFactor * pages * pageSize, allowedTime: limit)
  }

  func endTransaction() { transaction = nil }

  /// Allows the transaction to write a value of the program twice, because an index may contain it, too.
  func allow(bytes: Int) { transaction?.allowedBytes += 2 * bytes }

  func isOver(on handle: OpaquePointer) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    if now - start > limit { return true }
    guard let transaction else { return false }
    if now - transaction.start > transaction.allowedTime { return true }
    let pages = Self.writtenPages(handle) - transaction.pagesBefore
    return pages * transaction.pageSize > transaction.allowedBytes
  }

  /// Returns the number of pages that a connection has written to the file or its log. Changes of a transaction that
  /// do not fit into the connection's cache are written before it ends.
  private static func writtenPages(_ handle: OpaquePointer) -> Int {
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
    return Int(current)
  }
}

extension SQLiteConnection {
  /// Disables all triggers, for writes that need none of Core Data's.
  func disableTriggers() {
    _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
  }

  /// Runs `body` without triggers.
  func withoutTriggers<Result>(_ body: () throws -> Result) rethrows -> Result {
    disableTriggers()
    defer { _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }
    return try body()
  }

  /// Runs `body`, which repairs the file in a transaction, with limits on code that Core Data would not create for the
  /// model.
  ///
  /// Without such code, nothing is limited. If the database has only foreign triggers, all triggers are disabled. The
  /// model's triggers keep derived values and fetch indexes up to date, and indexes and default values cannot be
  /// disabled; with these, the statements are limited.
  func restrainingForeignCode(besides schema: StoreSchema, _ body: () throws -> Void) throws {
    let (foreign, own) = try schemaCode(besides: schema)
    if foreign.isEmpty { return try body() }
    let needsTriggers = own.contains { $0.kind == .trigger }
    if !needsTriggers && foreign.allSatisfy({ $0.kind == .trigger }) {
      return try withoutTriggers(body)
    }
    try boundingStatements(seconds: secondsForWholeFile()) {
      try clock?.beginTransaction(on: self)
      if needsTriggers { try body() } else { try withoutTriggers(body) }
    }
  }

  /// Runs `body`, which checks the whole file, with a limit on each statement if the checks run code in the schema:
  /// SQLite evaluates CHECK constraints, generated columns, and expressions and conditions of indexes for each row.
  func restrainingChecks<Result>(_ body: () throws -> Result) throws -> Result {
    let runsCode = try SchemaCode.all(on: self).contains { $0.kind == .index }
    guard try runsCode || !ForeignTable.all(on: self).isEmpty else { return try body() }
    return try boundingStatements(seconds: secondsForWholeFile(), body)
  }

  private func boundingStatements<Result>(
    seconds: Double, _ body: () throws -> Result
  ) throws -> Result {
    let outer = clock
    clock = StatementClock(seconds: seconds)
    defer { clock = outer }
    return try body()
  }

  /// The bytes of a file that any computer checks or indexes in a second.
  private static let bytesPerSecond = 1e6

  /// Returns the limit for a statement that reads the whole file.
  private func secondsForWholeFile() throws -> Double {
    let pageSize = try integer("PRAGMA page_size") ?? 4_096
    let pages = try integer("PRAGMA page_count") ?? 0
    return timeoutSeconds + Double(pages) * Double(pageSize) / Self.bytesPerSecond
  }

  private var timeoutSeconds: Double { Double(busyTimeout) / 1000 }

  /// Limits statements to the timeout for locks, if the schema has code that Core Data would not create for the model.
  /// The names of triggers and indexes do not matter.
  ///
  /// - Parameter schema: Nil to limit statements if the schema has any code, for writes that need none.
  func boundForeignCode(besides schema: StoreSchema?) throws {
    let foreign = try schema.map { try schemaCode(besides: $0).foreign } ?? SchemaCode.all(on: self)
    if !foreign.isEmpty { clock = StatementClock(seconds: timeoutSeconds) }
  }

  /// Returns the code in the schema that a store of the model would not have, and the code that it would have.
  private func schemaCode(
    besides schema: StoreSchema
  ) throws -> (foreign: [SchemaCode], own: [SchemaCode]) {
    let present = try SchemaCode.all(on: self)
    if present.isEmpty { return ([], []) }
    // Code is compared by its text, because any program can use the names of Core Data's triggers and indexes.
    let known = Set(try SchemaBuilder(plan: StoreSchemaPlan(schema)).statements())
    return (
      present.filter { !known.contains($0.sql) }, present.filter { known.contains($0.sql) }
    )
  }
}
