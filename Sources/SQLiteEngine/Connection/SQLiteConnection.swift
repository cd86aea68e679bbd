import CSQLite
import Foundation
import StoreEngine

/// A connection to a SQLite database, with its prepared statements.
///
/// Confined: the pool ensures that only one owner uses a connection at a time.
final class SQLiteConnection {
  /// How the file is opened.
  enum Mode: Equatable {
    case readWrite
    case readWriteCreate
    /// Opened for writing, but statements can only read. To read a file in WAL mode, SQLite creates files next to it,
    /// and only a connection that is opened for writing removes them.
    case queryOnly
    case readOnly
    /// Read-only, without locks and without changing the folder. The write-ahead log is read, too. Usually for a store
    /// that no other process has open; see `StoreAccess`.
    case immutable
  }

  let handle: OpaquePointer
  let path: String
  let mode: Mode
  /// The state of an unshared file before it was opened; nil for any other file.
  let unshared: UnsharedFile?
  let log: StatementLog
  /// The rows that triggers changed in the open transaction.
  let affected = AffectedRows()
  /// Receives complete rows.
  let receiver = RowReceiver()
  /// The files of external values that several rows refer to.
  var repeatedFiles = RepeatedFiles()
  /// In a store that is only read, the tables that run code. Rows of entities must not be read from them.
  var foreignTables: [ForeignTable] = []
  let busyTimeout: Int32
  /// Interrupts the current statements when their request is cancelled; nil if it cannot be cancelled.
  var interruption: Interruption?
  /// Interrupts statements that run too long; nil if statements need no limit.
  var clock: StatementClock? { didSet { watchStatements() } }
  /// The number of pages in the write-ahead log after the last commit of this connection.
  private(set) var logPages = 0
  /// Whether triggers can write to R-trees.
  private(set) var allowsIndexTriggers = false
  /// Checks that the file still contains the same store; nil until the store is known, or if no other connection can
  /// change the file.
  var uuidCheck: StoreUUIDCheck?
  /// The `contentVersion` at the last successful `uuidCheck`.
  @exclusivity(unchecked)
  private var checkedVersion: UInt32?
  /// The time when the pool last checked that the file is still at its path.
  var lastPlaceCheck: UInt64 = 0
  private var statements: [String: SQLiteStatement] = [:]
  /// The maximum number of cached statements. Programs use few different forms of requests.
  private let statementLimit = 256

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - path: The absolute path of a file, without links, or `:memory:`.
  ///   - busyTimeout: The time in seconds that a statement waits for a lock of another connection.
  ///   - log: The SQL log.
  ///   - isNeverShared: Whether an immutable file is never shared, even if another process writes to it.
  init(
    path: String, mode: Mode, busyTimeout: Double, log: StatementLog = .ofProcess,
    isNeverShared: Bool = false
  ) throws {
    // Connections in these two modes do not roll a journal back, and a database in memory has none.
    if mode != .immutable, mode != .readOnly, path.hasPrefix("/") {
      try SuperJournal.requireNone(besides: path)
    }
    unshared = mode == .immutable && !isNeverShared ? UnsharedFile(path) : nil
    let readsLog = mode == .immutable && Self.hasLog(path)
    // The pool lets one owner at a time use a connection, so SQLite need not lock it again.
    // Extended result codes distinguish a violated unique index from other violated constraints.
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path
    switch mode {
    case .readWrite, .queryOnly: flags |= SQLITE_OPEN_READWRITE
    case .readWriteCreate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable where readsLog: flags |= SQLITE_OPEN_READONLY
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      // A question mark begins the parameters of a URI (sqlite.org/uri.html).
      let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
      name = "file:\(escaped.replacingOccurrences(of: "?", with: "%3f"))?immutable=1"
    }
    var opened: OpaquePointer?
    // Reading a store must not change the access times of its files.
    let code =
      mode == .immutable || mode == .readOnly
      ? UntimedOpening.around {
        sqlite3_open_v2(name, &opened, flags, mode == .immutable ? UntouchedFiles.name : nil)
      } : sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      // A connection that could not be opened has to be closed, too (sqlite.org/c3ref/open.html).
      sqlite3_close_v2(opened)
      // `UntouchedFiles` does not open a database with an unreadable journal. This throws the reason.
      if mode == .immutable { _ = try RolledBackPages(besides: path) }
      throw SQLiteError(code: code, message: message, sql: nil)
    }
    self.handle = opened
    self.path = path
    self.mode = mode
    self.log = log
    self.busyTimeout = Int32(Self.milliseconds(busyTimeout))
    sqlite3_busy_timeout(opened, self.busyTimeout)
    if readsLog {
      // This pragma must precede the first access to the log, so that the log's index is in memory.
      try execute("PRAGMA locking_mode = EXCLUSIVE")
      setCheckpointsOnClose(false)
    }
    // A file may be untrusted, so its schema must not affect this process.
    _ = sqlite3_db_config_flag(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // Functions of extensions can be called by the library's statements, but not by triggers and views of a file.
    _ = sqlite3_db_config_flag(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    sqlite3_limit(opened, SQLITE_LIMIT_TRIGGER_DEPTH, Self.triggerDepth)
    limitValues()
    forbidEndlessTriggers()
    SQLiteFunctions.register(on: opened, affected: affected, receiver: receiver)
    watchLog()
    // Reports a page with inconsistent cell sizes as damage when it is read.
    try execute("PRAGMA cell_size_check = 1")
    if mode == .queryOnly {
      setCheckpointsOnClose(false)
      try execute("PRAGMA query_only = 1")
    }
  }

  /// Returns whether there is a write-ahead log with content next to a file.
  private static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  /// The maximum nesting of triggers. Those of derived attributes need a few levels.
  private static let triggerDepth: Int32 = 100

  /// The maximum size of a value in a file. An expression in the file's schema can compute a value that is larger than
  /// any stored one.
  private static let largestValue = 256 << 20

  /// Limits the memory of a single value.
  private func limitValues() {
    if isInMemory { return }
    // Values that the file already contains must remain readable.
    let limit = max(Self.largestValue, fileSizes(["", "-wal"]))
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: limit))
  }

  var isInMemory: Bool { path == ":memory:" }

  /// Returns the total size of the files that exist.
  private func fileSizes(_ suffixes: [String]) -> Int {
    suffixes.reduce(0) { size, suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? size + Int(status.st_size) : size
    }
  }

  /// The size in bytes of the database's files or, without files, of its pages in memory. The files contain the pages
  /// of an open transaction that did not fit into the cache.
  var storedBytes: Int {
    guard isInMemory else { return fileSizes(["", "-wal", "-journal"]) }
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
    return Int(current)
  }

  /// Returns the total size of the database's pages in bytes.
  func databaseSize() throws -> Double {
    let pageSize = try integer("PRAGMA page_size") ?? 4_096
    return Double(try integer("PRAGMA page_count") ?? 0) * Double(pageSize)
  }

  /// Prevents recursive queries in triggers and views.
  private func forbidEndlessTriggers() {
    // Triggers and views come from the file, and an endless one would block a save. Those of
    // derived attributes and fetch indexes need no recursion.
    sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, schemaObject in
        action == SQLITE_RECURSIVE && schemaObject != nil ? SQLITE_DENY : SQLITE_OK
      }, nil)
  }

  /// Records the size of the write-ahead log at each commit, and replaces SQLite's automatic checkpoints; see
  /// `Checkpointing`.
  private func watchLog() {
    guard mode == .readWrite || mode == .readWriteCreate else { return }
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether another file, or none, is at the path now.
  var fileHasMoved: Bool {
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }

  /// Allows triggers to write to R-trees, and thus to use everything that SQLite permits in schemas.
  func allowIndexTriggers() {
    allowsIndexTriggers = true
    _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
  }

  /// Whether statements of this connection can change the file.
  var mayWrite: Bool { mode == .readWrite || mode == .readWriteCreate }

  /// Whether a transaction is open that blocks other writers.
  var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Converts seconds to the range that SQLite supports.
  private static func milliseconds(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : min(max(seconds * 1000, 0), Double(Int32.max))
  }

  deinit { close() }

  private var isClosed = false

  /// Closes the connection as soon as no statement uses it. Further calls do nothing.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    statements.removeAll()
    // A statement that a caller still holds keeps the handle valid until it is finalized
    // (sqlite.org/c3ref/close.html).
    sqlite3_close_v2(handle)
  }

  /// Sets whether closing the last connection copies the write-ahead log into the file and removes it.
  func setCheckpointsOnClose(_ flag: Bool) {
    if isClosed { return }
    _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, flag ? 0 : 1)
  }

  /// Runs `body`. Its statements fail immediately instead of waiting for locks.
  func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyTimeout) }
    return try body()
  }

  /// The maximum length of a cached statement. Longer ones contain values, and may be megabytes long.
  private var longestKept: Int { 100_000 }

  /// Returns the prepared statement of a string, which may be cached.
  func statement(_ sql: String) throws -> SQLiteStatement {
    // While a loop reads a statement's rows, the same query inside the loop needs a second statement.
    if let statement = statements[sql], !statement.isInUse { return statement }
    let statement = try SQLiteStatement(sql, on: self)
    if sql.utf8.count > longestKept { return statement }
    // Programs rarely reach the limit, so tracking the order of use is not worth its cost.
    if statements.count >= statementLimit { statements.removeAll(keepingCapacity: true) }
    // If the cached statement is in use, it stays in the cache.
    if statements[sql] == nil { statements[sql] = statement }
    return statement
  }

  /// Runs one or more SQL statements from a string, and ignores their rows.
  func execute(_ sql: String) throws {
    let start = log.isOn ? StatementLog.now() : 0
    clock?.begin()
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if log.isOn { log.record(sql, nanoseconds: StatementLog.now() - start, rows: 0) }
    if code != SQLITE_OK { throw error(code, sql: sql) }
  }

  /// Runs `body` inside a transaction, which is committed when it returns and rolled back when it throws.
  func transaction<Result>(
    _ begin: String = "BEGIN IMMEDIATE", _ body: () throws -> Result
  ) throws -> Result {
    try execute(begin)
    affected.begin()
    defer { clock?.endTransaction() }
    do {
      if let clock {
        try clock.beginTransaction(on: self)
        watchStatements()
      }
      let result = try body()
      endInterruption()
      try execute("COMMIT")
      return result
    } catch {
      // Some errors end the transaction themselves, so that there is nothing to roll back.
      if isInTransaction {
        endInterruption()
        let code = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        if code != SQLITE_OK {
          // The owner of the connection detects that it is still in the transaction, and closes it.
          Log.storeError("rollback failed: \(self.error(code, sql: "ROLLBACK"))")
        }
      }
      throw error
    }
  }

  /// Returns the first column of a query's first row as an integer; nil for NULL, or if there is no row.
  func integer(_ sql: String, _ parameters: [StoredValue] = []) throws -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    statement.bind(parameters)
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// Returns the first column of a query's first row as text; nil for NULL, or if there is no row.
  func text(_ sql: String) throws -> String? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalText(0) : nil
  }

  /// Runs a statement, and calls `row` for each row that it returns.
  func run(
    _ sql: String, _ parameters: [StoredValue] = [],
    _ row: (SQLiteStatement) throws -> Void = { _ in }
  ) throws {
    let statement = try statement(sql)
    defer { statement.reset() }
    statement.bind(parameters)
    while try statement.step() { try row(statement) }
  }

  /// Runs a statement, and calls `row` for each row that it returns.
  func run(_ text: SQLText, _ row: (SQLiteStatement) throws -> Void = { _ in }) throws {
    try run(text.text, text.parameters, row)
  }

  /// Returns the result of `value` for each row of a query.
  func rows<Value>(
    _ sql: String, _ parameters: [StoredValue] = [], _ value: (SQLiteStatement) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try run(sql, parameters) { values.append(try value($0)) }
    return values
  }

  /// Returns the first column of each row of a query as text.
  func texts(_ sql: String, _ parameters: [StoredValue] = []) throws -> [String] {
    try rows(sql, parameters) { $0.text(0) }
  }

  /// Whether the file's encoding is UTF-8, as it is in almost all files.
  private(set) lazy var hasUTF8 = (try? text("PRAGMA encoding")) == "UTF-8"

  /// The maximum number of parameters in a statement, which depends on how SQLite was built.
  var parameterLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }

  /// The SQL of statements that read the file.
  var dialect: SQLiteDialect { SQLiteDialect(hasUTF8: hasUTF8, parameterLimit: parameterLimit) }

  /// Returns a number that changes when another connection changes the file, but not when this connection writes.
  func dataVersion() throws -> Int64? { try integer(Self.dataVersionPragma) }

  /// The pragma that detects writes by other connections. It is not logged, because every poll runs it and the log
  /// would contain little else.
  static let dataVersionPragma = "PRAGMA data_version"

  /// A number that changes when this or another connection changes the file. This connection detects changes by other
  /// connections when it acquires a lock.
  var contentVersion: UInt32 {
    get throws {
      var version: UInt32 = 0
      let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
      guard code == SQLITE_OK else { throw error(code, sql: nil) }
      return version
    }
  }

  /// Checks the file for changes by other connections, and returns `contentVersion`.
  func presentContentVersion() throws -> UInt32 {
    // Reading the header acquires a lock.
    _ = try integer("PRAGMA schema_version")
    return try contentVersion
  }

  /// Throws an error if another connection has put another store into the file.
  ///
  /// A running statement calls this method before it returns its first row, so the method compares the version that
  /// the statement reads. The method queries the UUID only if the file was changed.
  func requireIdentity() throws {
    guard let uuidCheck else { return }
    let version = try contentVersion
    guard version != checkedVersion else { return }
    // Set the version before the check, because the check runs a statement, which calls this method
    // again.
    checkedVersion = version
    do { try uuidCheck.require(on: self) } catch {
      checkedVersion = nil
      throw error
    }
  }

  /// Returns the steps of SQLite's plan for a statement; empty if SQLite provides none.
  func queryPlan(_ sql: String) -> [String] {
    var prepared: OpaquePointer?
    defer { sqlite3_finalize(prepared) }
    guard
      sqlite3_prepare_v2(handle, "EXPLAIN QUERY PLAN " + sql, -1, &prepared, nil) == SQLITE_OK
    else { return [] }
    var lines: [String] = []
    while sqlite3_step(prepared) == SQLITE_ROW {
      if let text = sqlite3_column_text(prepared, 3) { lines.append(String(cString: text)) }
    }
    return lines
  }

  /// Removes all unique indexes, which enforce uniqueness constraints.
  func dropUniqueIndexes() throws {
    let names = try texts(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE INDEX%'")
    for name in names { try execute("DROP INDEX \(SQLText.name(name))") }
  }

  /// Returns the error of a result code, with SQLite's message.
  func error(_ code: Int32, sql: String?) -> SQLiteError {
    SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
  }
}
