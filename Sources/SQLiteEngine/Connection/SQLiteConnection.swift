import CSQLite
import Foundation
import StoreEngine

/// One connection to a SQLite file and its prepared statements.
///
/// Confined: whoever holds a connection (the pool sees to that) is its only user.
final class SQLiteConnection {
  /// How the file is opened.
  enum Mode: Equatable {
    case readWrite
    case readWriteCreate
    /// Read-only in name: SQLite needs to write beside a WAL-mode file to read it, and tidies up
    /// only after connections that may write.
    case queryOnly
    case readOnly
    /// Read-only, without locks and without a change in the folder, the write-ahead log included in what is read: for
    /// a store that nobody else has open.
    case immutable
  }

  let handle: OpaquePointer
  let path: String
  let mode: Mode
  /// The file as it was before it was opened as one that nobody else has open.
  let unshared: UnsharedFile?
  let log: StatementLog
  /// What triggers changed in the open transaction.
  let affected = AffectedRows()
  /// Takes rows that are handed over whole.
  let receiver = RowReceiver()
  /// Which files of externally kept values several rows name.
  var repeatedFiles = RepeatedFiles()
  /// The tables that run code, in a store that is only read: no entity's rows may be read from them.
  var foreignTables: [ForeignTable] = []
  let busyTimeout: Int32
  /// What may end the statements that run now.
  var interruption: Interruption?
  /// Ends statements that run too long; nil where none can.
  var clock: StatementClock? { didSet { watchStatements() } }
  /// How many pages the write-ahead log had after the last commit here.
  private(set) var logPages = 0
  /// Whether triggers may write to R-trees.
  private(set) var allowsIndexTriggers = false
  /// Which store the file has to hold; nil where that is not known yet, or nobody can change it.
  var uuidCheck: StoreUUIDCheck?
  /// The version of the file's content that was found to be that store's.
  @exclusivity(unchecked)
  private var checkedVersion: UInt32?
  /// When the pool last checked that the file is still at its path.
  var lastPlaceCheck: UInt64 = 0
  private var statements: [String: SQLiteStatement] = [:]
  /// How many prepared statements are kept; the shapes of requests that a program uses are few.
  private let statementLimit = 256

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - path: a file's path, or `:memory:`.
  ///   - busyTimeout: how long a statement waits for another connection's lock, in seconds.
  ///   - log: which statements are logged.
  ///   - isNeverShared: whether an immutable file stays so whoever writes to it.
  init(
    path: String, mode: Mode, busyTimeout: Double, log: StatementLog = .ofProcess,
    isNeverShared: Bool = false
  ) throws {
    unshared = mode == .immutable && !isNeverShared ? UnsharedFile(path) : nil
    let readsLog = mode == .immutable && Self.hasLog(path)
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path
    switch mode {
    case .readWrite, .queryOnly: flags |= SQLITE_OPEN_READWRITE
    case .readWriteCreate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable where readsLog: flags |= SQLITE_OPEN_READONLY
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
      name = "file:\(escaped.replacingOccurrences(of: "?", with: "%3f"))?immutable=1"
    }
    var opened: OpaquePointer?
    let code =
      mode == .immutable || mode == .readOnly
      ? UntimedOpening.around {
        sqlite3_open_v2(name, &opened, flags, mode == .immutable ? UntouchedFiles.name : nil)
      } : sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code, message: message, sql: nil)
    }
    self.handle = opened
    self.path = path
    self.mode = mode
    self.log = log
    self.busyTimeout = Int32(Self.milliseconds(busyTimeout))
    sqlite3_busy_timeout(opened, self.busyTimeout)
    if readsLog {
      // Before the first look at the log: its index is in memory then.
      try execute("PRAGMA locking_mode = EXCLUSIVE")
      setCheckpointsOnClose(false)
    }
    // A store from elsewhere is data: its schema may not reach into this process.
    _ = sqlite3_db_config_flag(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // Code of extensions runs for our statements only, not for a file's triggers and views.
    _ = sqlite3_db_config_flag(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    sqlite3_limit(opened, SQLITE_LIMIT_TRIGGER_DEPTH, Self.triggerDepth)
    limitValues()
    forbidEndlessTriggers()
    SQLiteFunctions.register(on: opened, affected: affected, receiver: receiver)
    watchLog()
    // A page that says of its cells what cannot be is damage, found where it is read.
    try execute("PRAGMA cell_size_check = 1")
    if mode == .queryOnly {
      setCheckpointsOnClose(false)
      try execute("PRAGMA query_only = 1")
    }
  }

  /// Whether a write-ahead log with content is beside a file.
  private static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  /// Triggers that set off one another: those of derived attributes need a few steps.
  private static let triggerDepth: Int32 = 100

  /// The most bytes of a value inside a file: a schema may ask for values that nobody wrote.
  private static let largestValue = 256 << 20

  /// Bounds what one value takes of memory; what is in the file already can be read.
  private func limitValues() {
    if path == ":memory:" { return }
    let sizes = ["", "-wal"].map { suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? Int(status.st_size) : 0
    }
    let limit = max(Self.largestValue, sizes.reduce(0, +))
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: limit))
  }

  /// A trigger or view, which comes from the file, may not count without end: it would keep a save
  /// from ending. Those of derived attributes and fetch indexes have no need of it.
  private func forbidEndlessTriggers() {
    sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, schemaObject in
        action == SQLITE_RECURSIVE && schemaObject != nil ? SQLITE_DENY : SQLITE_OK
      }, nil)
  }

  /// Notes the size of the write-ahead log at each commit, in place of SQLite's own checkpoints:
  /// see `Checkpointing`.
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

  /// Whether the path leads to another file now, or to none.
  var fileHasMoved: Bool {
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }

  /// Lets triggers write to R-trees, and with that reach whatever SQLite does not keep from schemas.
  func allowIndexTriggers() {
    allowsIndexTriggers = true
    _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
  }

  /// Whether statements of this connection may change the file.
  var mayWrite: Bool { mode == .readWrite || mode == .readWriteCreate }

  /// Whether a transaction is open that no other connection can write beside.
  var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Seconds as SQLite wants them, whatever a program asked for.
  private static func milliseconds(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : min(max(seconds * 1000, 0), Double(Int32.max))
  }

  deinit { close() }

  private var isClosed = false

  /// Closes the file, once nobody uses the connection any more; further calls do nothing.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Whether closing the last connection moves the write-ahead log into the file and removes it.
  func setCheckpointsOnClose(_ flag: Bool) {
    if isClosed { return }
    _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, flag ? 0 : 1)
  }

  /// Runs `body`, whose statements fail at once where they would wait for another's lock.
  func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyTimeout) }
    return try body()
  }

  /// Longer statements are not kept: they have values in them, and megabytes.
  private var longestKept: Int { 100_000 }

  /// The prepared statement of a text, from the cache when it was prepared before.
  func statement(_ sql: String) throws -> SQLiteStatement {
    if let statement = statements[sql], !statement.isInUse { return statement }
    let statement = try SQLiteStatement(sql, on: self)
    if sql.utf8.count > longestKept { return statement }
    if statements.count >= statementLimit { statements.removeAll(keepingCapacity: true) }
    if statements[sql] == nil { statements[sql] = statement }
    return statement
  }

  /// Runs statements that give no rows, as one text.
  func execute(_ sql: String) throws {
    let start = log.isOn ? StatementLog.now() : 0
    clock?.begin()
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if log.isOn { log.record(sql, nanoseconds: StatementLog.now() - start, rows: 0) }
    if code != SQLITE_OK { throw error(code, sql: sql) }
  }

  /// Runs `body` inside a transaction: committed when it returns, rolled back when it throws.
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
      // Some errors end the transaction by themselves; then there is nothing left to roll back.
      if isInTransaction {
        endInterruption()
        let code = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        if code != SQLITE_OK {
          // Whoever keeps the connection sees that it is still in the transaction, and drops it.
          Log.storeError("rollback failed: \(self.error(code, sql: "ROLLBACK"))")
        }
      }
      throw error
    }
  }

  /// The first column of the first row of a query, as an integer.
  func integer(_ sql: String, _ parameters: [StoredValue] = []) throws -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    statement.bind(parameters)
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// The first column of the first row of a query, as text.
  func text(_ sql: String) throws -> String? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalText(0) : nil
  }

  /// Runs one statement, and calls `row` for each row that it returns.
  func run(
    _ sql: String, _ parameters: [StoredValue] = [],
    _ row: (SQLiteStatement) throws -> Void = { _ in }
  ) throws {
    let statement = try statement(sql)
    defer { statement.reset() }
    statement.bind(parameters)
    while try statement.step() { try row(statement) }
  }

  /// Runs one statement, and calls `row` for each row that it returns.
  func run(_ text: SQLText, _ row: (SQLiteStatement) throws -> Void = { _ in }) throws {
    try run(text.text, text.parameters, row)
  }

  /// What `value` makes of each row of a query.
  func rows<Value>(
    _ sql: String, _ parameters: [StoredValue] = [], _ value: (SQLiteStatement) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try run(sql, parameters) { values.append(try value($0)) }
    return values
  }

  /// The first column of each row of a query, as text.
  func texts(_ sql: String, _ parameters: [StoredValue] = []) throws -> [String] {
    try rows(sql, parameters) { $0.text(0) }
  }

  /// Whether texts lie in the file as UTF-8, as they do in all but strange ones.
  private(set) lazy var hasUTF8 = (try? text("PRAGMA encoding")) == "UTF-8"

  /// A number that changes when another connection changes the file, and not by this one's writing.
  func dataVersion() throws -> Int64? { try integer(Self.dataVersionPragma) }

  /// Says whether another connection wrote. It runs with every poll and is not logged: it would hide the other statements.
  static let dataVersionPragma = "PRAGMA data_version"

  /// A number that changes when the file was changed, by this connection or another as far as this one noticed: it
  /// does when it takes a lock.
  var contentVersion: UInt32 {
    get throws {
      var version: UInt32 = 0
      let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
      guard code == SQLITE_OK else { throw error(code, sql: nil) }
      return version
    }
  }

  /// The same number after a look at the file.
  func presentContentVersion() throws -> UInt32 {
    _ = try integer("PRAGMA schema_version")
    return try contentVersion
  }

  /// Throws where another connection has put another store into the file.
  ///
  /// Called by a statement that has begun, before it gives anything out: what it read is of the version that
  /// is compared here. Only after something was written a statement is run.
  func requireIdentity() throws {
    guard let uuidCheck else { return }
    let version = try contentVersion
    guard version != checkedVersion else { return }
    // The statement that asks is one, too.
    checkedVersion = version
    do { try uuidCheck.require(on: self) } catch {
      checkedVersion = nil
      throw error
    }
  }

  /// How SQLite goes about a statement, a line a step; empty where it cannot say.
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

  /// Removes what keeps values unique.
  func dropUniqueIndexes() throws {
    let names = try texts(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE INDEX%'")
    for name in names { try execute("DROP INDEX \(SQLText.name(name))") }
  }

  /// The error of a result code, in SQLite's words.
  func error(_ code: Int32, sql: String?) -> SQLiteError {
    SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
  }
}
