import CSQLite
import StoreEngine

/// How long one statement may run, and how long and how much a transaction may write.
///
/// The triggers of a stranger's file run when it is written, and SQL alone can keep one busy for ever: a
/// table joined with itself a few times. So can values that nobody wrote, `hex(zeroblob(100000000))` for each row: they fill
/// the disk, each in a statement that is short enough. Nothing else bounds that.
final class StatementClock {
  /// How many of SQLite's instructions are run between two looks: one alone may make a value of many megabytes.
  static let instructions: Int32 = 20
  /// What a transaction may write in bytes, besides what the program gives it and so many times what the file has.
  private static let freeBytes = 256 << 20
  private static let sizeFactor = 4
  /// What each statement of a transaction adds to what it may write and to the time that it may take.
  private static let bytesPerStatement = 64 << 10
  private static let timePerStatement: UInt64 = 20_000_000

  private let limit: UInt64
  private var start = DispatchTime.now().uptimeNanoseconds
  private var transaction: Transaction?

  private struct Transaction {
    let start: UInt64
    let pageSize: Int
    /// How many pages the connection had written before.
    let pagesBefore: Int
    var allowedBytes: Int
    var allowedTime: UInt64
  }

  /// - Parameter seconds: a second at least is given to all.
  init(seconds: Double) { limit = UInt64(max(1, seconds) * 1e9) }

  /// A statement begins.
  func begin() {
    start = DispatchTime.now().uptimeNanoseconds
    transaction?.allowedBytes += Self.bytesPerStatement
    transaction?.allowedTime += Self.timePerStatement
  }

  /// A transaction of the writing connection begins.
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

  /// The program gives the transaction a value of so many bytes, which may be written twice: an index may have it, too.
  func allow(bytes: Int) { transaction?.allowedBytes += 2 * bytes }

  func isOver(on handle: OpaquePointer) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    if now - start > limit { return true }
    guard let transaction else { return false }
    if now - transaction.start > transaction.allowedTime { return true }
    let pages = Self.writtenPages(handle) - transaction.pagesBefore
    return pages * transaction.pageSize > transaction.allowedBytes
  }

  /// How many pages a connection has written to the file or its log. What a transaction changes and does not fit into the
  /// connection's cache is written before it ends.
  private static func writtenPages(_ handle: OpaquePointer) -> Int {
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
    return Int(current)
  }
}

extension SQLiteConnection {
  /// Has no trigger run from now on: where no own one of Core Data's is needed.
  func disableTriggers() {
    _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
  }

  /// Runs `body`, whose statements set off no trigger.
  func withoutTriggers<Result>(_ body: () throws -> Result) rethrows -> Result {
    disableTriggers()
    defer { _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }
    return try body()
  }

  /// Runs `body`, which writes rows in a transaction, so that no trigger runs where none is one of the model's. Those
  /// keep derived values and fetch indexes right: where there are both, statements are bounded.
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

  /// Bounds statements by the time for which they would wait for a lock, where the database has triggers that
  /// nobody would make for the model. What they are called does not tell.
  func boundTriggers(besides schema: StoreSchema) throws {
    let (present, known) = try triggers(besides: schema)
    if !present.isSubset(of: known) { boundStatements() }
  }

  /// The texts of the database's triggers, and of those of the model's store where there are any.
  private func triggers(
    besides schema: StoreSchema
  ) throws -> (present: Set<String>, known: Set<String>) {
    let present = Set(try texts("SELECT sql FROM sqlite_schema WHERE type = 'trigger'"))
    if present.isEmpty { return ([], []) }
    return (present, Set(try SchemaBuilder(plan: StoreSchemaPlan(schema)).statements()))
  }
}
