import CSQLite
import StoreEngine

/// Limits the duration of a statement, and the duration and growth of a transaction.
///
/// Triggers, indexes of expressions, and computed default values in an untrusted file run when the file is written. A
/// simple statement in a trigger can run forever, such as a join of a table with itself several times. Values such as
/// `hex(zeroblob(100000000))` for each row can fill the disk, although each statement is short enough. SQLite limits
/// neither the duration nor the size.
final class StatementClock {
  /// The number of SQLite's instructions between two checks. A single instruction can create a value of many
  /// megabytes.
  static let instructions: Int32 = 20
  /// The bytes by which a transaction can make the store grow, in addition to the program's own values and a multiple
  /// of the file's size.
  private static let freeBytes = Double(256 << 20)
  private static let sizeFactor = 4.0
  /// The additional growth and time of a transaction for each statement.
  private static let bytesPerStatement = Double(64 << 10)
  private static let timePerStatement = 20e6
  /// The number of written pages between two checks of the store's files.
  private static let pagesBetweenChecks = 256
  /// The bytes that even a slow computer writes, checks or indexes in a second.
  fileprivate static let bytesPerSecond = 1e6

  private let limit: Double
  private var start = DispatchTime.now().uptimeNanoseconds
  /// The time that the current statement may take.
  private var allowedTime: Double
  /// The additional time of the next statement for the program's large values in it.
  private var timeForValues = 0.0
  private var transaction: Transaction?

  private struct Transaction {
    let start: UInt64
    /// The bytes of the database, and of all its files, before the transaction.
    let size: Double
    let storedBefore: Int
    /// The number of written pages at which the growth is checked next.
    var nextCheck = 0
    // Floating-point numbers cannot overflow, whatever the size of the file.
    var allowedBytes: Double
    var allowedTime: Double
  }

  /// - Parameter seconds: The limit, which is at least one second.
  init(seconds: Double) {
    limit = min(max(1, seconds), 1e9) * 1e9
    allowedTime = limit
  }

  /// Called when a statement begins.
  func begin() {
    start = DispatchTime.now().uptimeNanoseconds
    allowedTime = limit + timeForValues
    timeForValues = 0
    // A save of many objects may be long and large, but it has many statements.
    transaction?.allowedBytes += Self.bytesPerStatement
    transaction?.allowedTime += Self.timePerStatement
  }

  /// Called when a transaction of the writer begins.
  func beginTransaction(on connection: SQLiteConnection) throws {
    transaction = nil
    let size = try connection.databaseSize()
    transaction = Transaction(
      start: DispatchTime.now().uptimeNanoseconds, size: size,
      storedBefore: connection.storedBytes,
      allowedBytes: Self.freeBytes + Self.sizeFactor * size, allowedTime: limit)
  }

  func endTransaction() { transaction = nil }

  /// Allows the next statement to write a value of the program, twice because an index may contain it, too.
  func allow(bytes: Int) {
    let time = Double(bytes) / Self.bytesPerSecond * 1e9
    timeForValues += time
    transaction?.allowedTime += time
    transaction?.allowedBytes += 2 * Double(bytes)
  }

  /// Allows the transaction to write all values of the store again, a number of times.
  func allowWritingFile(times: Int) {
    guard let size = transaction?.size else { return }
    transaction?.allowedBytes += Double(times) * size
    transaction?.allowedTime += Double(times) * limit
  }

  func isOver(on connection: SQLiteConnection) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    if Double(now - start) > allowedTime { return true }
    guard let transaction else { return false }
    if Double(now - transaction.start) > transaction.allowedTime { return true }
    // The files grow only when the connection writes pages. A database in memory writes none.
    let pages = Self.writtenPages(connection.handle)
    guard pages >= transaction.nextCheck || connection.isInMemory else { return false }
    self.transaction?.nextCheck = pages + Self.pagesBetweenChecks
    return Double(connection.storedBytes - transaction.storedBefore) > transaction.allowedBytes
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
  /// Without such code, nothing is limited. If the database has no triggers of the model, all triggers are disabled,
  /// and the statements are limited only if there is other such code: indexes and default values cannot be disabled. If
  /// it has triggers of the model, the statements are limited, because these triggers must run to keep derived values
  /// and fetch indexes up to date.
  func restrainingForeignCode(besides schema: StoreSchema, _ body: () throws -> Void) throws {
    let (foreign, own) = try schemaCode(besides: schema)
    if foreign.isEmpty { return try body() }
    let needsTriggers = own.contains { $0.kind == .trigger }
    if !needsTriggers && foreign.allSatisfy({ $0.kind == .trigger }) {
      return try withoutTriggers(body)
    }
    try boundingTransaction(timeout: lockTimeout) {
      if needsTriggers { try body() } else { try withoutTriggers(body) }
    }
  }

  /// Runs `body`, which may write the whole file, with limits if there is foreign code. Disables no triggers.
  ///
  /// - Parameters:
  ///   - code: The code that `body` may run (``foreignCode(besides:)``).
  ///   - timeout: The timeout for locks in seconds.
  func boundingForeignCode<Result>(
    _ code: [SchemaCode], timeout: Double, _ body: () throws -> Result
  ) throws -> Result {
    try code.isEmpty ? body() : boundingTransaction(timeout: timeout, body)
  }

  private func boundingTransaction<Result>(
    timeout: Double, _ body: () throws -> Result
  ) throws -> Result {
    let result = try boundingStatements(timeout: timeout) {
      try clock?.beginTransaction(on: self)
      return try body()
    }
    // The limits of the rest of the transaction do not include `body`.
    if isInTransaction { try clock?.beginTransaction(on: self) }
    return result
  }

  /// Runs `body`, which checks the whole file, with a limit on each statement if the checks run code in the schema:
  /// SQLite evaluates CHECK constraints, generated columns, and expressions and conditions of indexes for each row.
  func restrainingChecks<Result>(_ body: () throws -> Result) throws -> Result {
    let runsCode = try SchemaCode.all(on: self).contains { $0.kind == .index }
    guard try runsCode || !ForeignTable.all(on: self).isEmpty else { return try body() }
    return try boundingStatements(timeout: lockTimeout, body)
  }

  /// Runs `body` with a limit on each statement, which may read the whole file.
  private func boundingStatements<Result>(
    timeout: Double, _ body: () throws -> Result
  ) throws -> Result {
    let outer = clock
    clock = try StatementClock(
      seconds: timeout + databaseSize() / StatementClock.bytesPerSecond)
    defer { clock = outer }
    return try body()
  }

  /// The connection's own timeout for locks in seconds; 0 for the database of a named store.
  private var lockTimeout: Double { Double(busyTimeout) / 1000 }

  /// Limits statements to the timeout for locks, if the schema has code that Core Data would not create for the model.
  /// The names of triggers and indexes do not matter.
  ///
  /// - Parameters:
  ///   - schema: Nil to limit statements if the schema has any code, for writes that need none.
  ///   - timeout: The timeout for locks in seconds.
  func boundForeignCode(besides schema: StoreSchema?, timeout: Double) throws {
    clock =
      try foreignCode(besides: schema).isEmpty ? nil : StatementClock(seconds: timeout)
  }

  /// Returns the code in the schema that a store of the model would not have.
  ///
  /// - Parameter schema: Nil for all code.
  func foreignCode(besides schema: StoreSchema?) throws -> [SchemaCode] {
    try schema.map { try schemaCode(besides: $0).foreign } ?? SchemaCode.all(on: self)
  }

  /// Throws an error if an index of expressions exceeds the limits of the statements, before the index is created.
  ///
  /// SQLite sorts the entries of a new index in temporary files, whose growth cannot be limited. So a copy of the
  /// table gets the index first and then the rows, page by page. The copy is rolled back. Other indexes need no such
  /// trial, because their entries are values of the table.
  func requireLimits(ofIndex name: String, on table: String, sql: String) throws {
    guard let clock else { return }
    // Each index raises the limits for its copy of the table and the copy's index, so that several indexes do not
    // exhaust the limits of one operation.
    clock.allowWritingFile(times: 2)
    let (original, copy) = ("OpenCoreData_original", SQLText.name(table))
    // SQLite need not change the name in views and triggers, because the renaming is rolled back.
    try execute("PRAGMA legacy_alter_table = ON; SAVEPOINT copy")
    defer { endLegacyRenaming() }
    do {
      try execute(
        "DROP INDEX IF EXISTS \(SQLText.name(name)); ALTER TABLE \(copy) RENAME TO \(original);"
          + " CREATE TABLE \(copy) AS SELECT * FROM \(original) LIMIT 0")
      try run(sql)
      try execute("INSERT OR IGNORE INTO \(copy) SELECT * FROM \(original)")
      try execute("ROLLBACK TO copy; RELEASE copy")
    } catch {
      // SQLite rolls back the whole transaction of an interrupted statement.
      if isInTransaction { try execute("ROLLBACK TO copy; RELEASE copy") }
      throw error
    }
  }

  /// Makes renaming a table update views and foreign keys again.
  func endLegacyRenaming() {
    do { try execute("PRAGMA legacy_alter_table = OFF") } catch {
      // This is not an error of the operation. Other writes rename no tables.
      Log.storeError("legacy_alter_table cannot be reset: \(error)")
    }
  }

  /// Returns the code in the schema that a store of the model would not have, and the code that it would have.
  private func schemaCode(
    besides schema: StoreSchema
  ) throws -> (foreign: [SchemaCode], own: [SchemaCode]) {
    let present = try SchemaCode.all(on: self)
    if present.isEmpty { return ([], []) }
    // Code is compared by its text, because any program can use the names of Core Data's triggers and indexes.
    // An index that cannot be built is foreign, and does not prevent reading or migrating the store.
    let builder = SchemaBuilder(plan: StoreSchemaPlan(schema), omitsInvalidIndexes: true)
    let known = Set(try builder.statements().map(SchemaSpelling.plain))
    func isKnown(_ code: SchemaCode) -> Bool { known.contains(SchemaSpelling.plain(code.sql)) }
    return (present.filter { !isKnown($0) }, present.filter(isKnown))
  }
}
