import CSQLite
import StoreEngine

/// Limits the duration of a statement, and the duration and writes of a transaction.
///
/// Triggers in an untrusted file run when the file is written. A simple statement in a trigger can run forever, such as
/// a join of a table with itself several times. Values such as `hex(zeroblob(100000000))` for each row can fill the
/// disk, although each statement is short enough. SQLite limits neither the duration nor the size.
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

  /// Runs `body`, which writes rows in a transaction, with limits on triggers that Core Data would not create for the
  /// model.
  ///
  /// Without such triggers, nothing is limited. If the database has only such triggers, all triggers are disabled. If
  /// it also has the model's triggers, which keep derived values and fetch indexes up to date, the statements are
  /// limited.
  func restrainingTriggers(besides schema: StoreSchema, _ body: () throws -> Void) throws {
    let (present, known) = try triggers(besides: schema)
    if present.isSubset(of: known) { return try body() }
    if present.isDisjoint(with: known) { return try withoutTriggers(body) }
    boundStatements()
    defer { clock = nil }
    try clock?.beginTransaction(on: self)
    try body()
  }

  private func boundStatements() { clock = StatementClock(seconds: Double(busyTimeout) / 1000) }

  /// Limits statements to the timeout for locks, if the database has triggers that Core Data would not create for the
  /// model. Their names do not matter.
  func boundTriggers(besides schema: StoreSchema) throws {
    let (present, known) = try triggers(besides: schema)
    if !present.isSubset(of: known) { boundStatements() }
  }

  /// Returns the SQL of the database's triggers, and of those that a store of the model would have, if there are any.
  private func triggers(
    besides schema: StoreSchema
  ) throws -> (present: Set<String>, known: Set<String>) {
    // Triggers are compared by their text, because any program can use the names of Core Data's triggers.
    let present = Set(try texts("SELECT sql FROM sqlite_schema WHERE type = 'trigger'"))
    if present.isEmpty { return ([], []) }
    return (present, Set(try SchemaBuilder(plan: StoreSchemaPlan(schema)).statements()))
  }
}
