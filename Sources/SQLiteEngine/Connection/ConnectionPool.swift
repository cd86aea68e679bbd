import Foundation
import StoreEngine

/// The connections to one SQLite file: one that writes, and a few that read.
///
/// In WAL mode a reader sees the last committed state and never waits for the writer. A store in
/// memory has one connection for everything; one with a name shares it with others' pools.
///
/// Nobody waits longer for another user of this pool than the store's time-out.
///
/// The pool checks that the file is still at its path, because what is written to a file that was moved or replaced
/// would be lost. Each statement checks that the file still holds the store that was opened (``StoreUUIDCheck``). The
/// pool closes a writer that could not roll back, so that no half of a transaction is committed. After a commit it
/// leaves the write-ahead log to ``Checkpointing``. ``StorePragmas`` says which connections get which of a program's
/// pragmas.
final class ConnectionPool: @unchecked Sendable {
  private let path: String
  private var mode: SQLiteConnection.Mode
  /// The file while it is read as one that nobody else has open.
  private var unshared: UnsharedFile?
  let options: StoreOptions
  private let isShared: Bool
  /// Whether this is a file's pool, and not that of a snapshot or of a database in memory.
  private let ownsFile: Bool
  /// The file that was opened; nil in memory.
  private let file: FileNumber?
  private let writeLock: NSRecursiveLock
  private let condition = NSCondition()
  private var isClosed = false
  /// Nil when the pool is closed, of a named database, or when the last one could not be kept.
  private var writer: SQLiteConnection?
  /// How many connections there were before the writer: each counts the changes of others anew.
  private var writerNumber: Int64 = 0
  /// Whether the writer before this one let triggers write to R-trees, and how long its statements ran.
  private var allowsIndexTriggers = false
  private var clock: StatementClock?
  /// What `foreignVersion()` returned the last time.
  private var lastForeignVersion: Int64?
  private var hasLoggedForeignWriters = false
  /// How many calls of `write` are inside one another.
  private var writeDepth = 0
  private let checkpointing: Checkpointing?
  private var database: NamedDatabase?
  /// How many of the changes of the named database were made here.
  private var ownChanges = 0
  private var idleReadConnections: [SQLiteConnection] = []
  private var readConnectionCount = 0
  private var uuidCheck: StoreUUIDCheck?
  /// How often the named database had been changed when it was last known to hold this store.
  private var checkedChange: Int?

  /// - Parameters:
  ///   - connection: an open connection, which becomes the writer.
  ///   - isShared: whether other connections to the same path reach the same data.
  ///   - isSnapshot: whether the connection has a transaction that it keeps.
  init(
    _ connection: SQLiteConnection, _ options: StoreOptions, isShared: Bool,
    isSnapshot: Bool = false
  ) {
    writeLock = NSRecursiveLock()
    writer = connection
    path = connection.path
    mode = connection.mode == .readWriteCreate ? .readWrite : connection.mode
    self.options = options
    self.isShared = isShared
    ownsFile = path != ":memory:" && !isSnapshot
    file = path == ":memory:" ? nil : FileNumber(path)
    checkpointing = ownsFile && mode == .readWrite ? Checkpointing(path: path, options) : nil
    unshared = ownsFile ? connection.unshared : nil
  }

  /// The pool of one of the stores that share a database in memory.
  init(_ database: NamedDatabase, _ options: StoreOptions) {
    writeLock = database.lock
    self.database = database
    path = ":memory:"
    mode = .readWrite
    self.options = options
    isShared = false
    ownsFile = false
    file = nil
    checkpointing = nil
  }

  /// Has every connection hold to one store: what another one has in its place is not read or written.
  func hold(to uuidCheck: StoreUUIDCheck) {
    condition.withLock {
      self.uuidCheck = uuidCheck
      if path != ":memory:" { writer?.uuidCheck = uuidCheck }
    }
  }

  /// The pool of a snapshot: a connection to the same file that keeps its transaction.
  func ofSnapshot(_ connection: SQLiteConnection) -> ConnectionPool {
    ConnectionPool(connection, options, isShared: false, isSnapshot: true)
  }

  /// Runs `body` with the writing connection; one caller at a time.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` when others have it for too long, and an error when
  ///   the file is no longer at its path: what is written then would be lost.
  func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try write(nil, body)
  }

  /// - Parameter cancellation: ends the waiting for the connection; `body` sees to itself.
  func write<Result>(
    _ cancellation: Cancellation?, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    guard try writeLock.try() || waitForWriter(cancellation) else {
      throw busy("another thread has been writing to it")
    }
    defer { writeLock.unlock() }
    if let database {
      return try database.use({ connection in
        try requireIdentity(of: database, connection)
        return try body(connection)
      }) { ownChanges += 1 }
    }
    if writeDepth == 0 { shareFileIfWritten() }
    let writer = try presentWriter()
    if writeDepth == 0, ownsFile { try requirePlace(of: writer) }
    writeDepth += 1
    defer {
      writeDepth -= 1
      if writeDepth == 0, ownsFile { finishWriting(with: writer) }
    }
    return try body(writer)
  }

  /// How long the waiting for the writer goes on before it looks whether anybody still wants it.
  private static let writerWait = 0.02

  /// Takes the lock of the writer when it is free; false when it is not in time.
  private func waitForWriter(_ cancellation: Cancellation?) throws -> Bool {
    let deadline = deadline
    guard let cancellation else { return writeLock.lock(before: deadline) }
    while true {
      try cancellation.check()
      let next = min(deadline, Date(timeIntervalSinceNow: Self.writerWait))
      if writeLock.lock(before: next) { return true }
      if next == deadline { return false }
    }
  }

  /// A number that changes when somebody else changes the data, and not by what this pool writes.
  func foreignVersion() throws -> Int64? {
    try write { try foreignVersion(on: $0) }
  }

  private func foreignVersion(on connection: SQLiteConnection) throws -> Int64? {
    if let database { return Int64(database.changeCount - ownChanges) }
    let version = try connection.dataVersion().map { writerNumber << 32 | $0 }
    if let version { noteForeignWriter(version, connection) }
    return version
  }

  /// Logs once that another process writes to the same write-ahead log, and so may run SQLite's own checkpoints.
  private func noteForeignWriter(_ version: Int64, _ connection: SQLiteConnection) {
    defer { lastForeignVersion = version }
    guard SQLiteVersion.canLoseWALPages, !hasLoggedForeignWriters, ownsFile, let lastForeignVersion,
      lastForeignVersion != version, lastForeignVersion >> 32 == version >> 32,
      (try? connection.text("PRAGMA journal_mode")) == "wal"
    else { return }
    hasLoggedForeignWriters = true
    SQLiteVersion.logLostPagesOnce()
  }

  /// Runs `body` with the writing connection and `foreignVersion()`, unless the connection is in
  /// use; `body` is not to write, and waits for no lock of the file.
  ///
  /// - Returns: nil when the connection is in use.
  func withIdleWriter<Result>(
    _ body: (SQLiteConnection, _ foreignVersion: Int64?) throws -> Result
  ) throws -> Result? {
    guard writeLock.try() else { return nil }
    defer { writeLock.unlock() }
    if let database {
      return try body(database.connection, try foreignVersion(on: database.connection))
    }
    shareFileIfWritten()
    let writer = try presentWriter()
    try requirePlace(of: writer)
    return try writer.withoutWaiting { try body(writer, try foreignVersion(on: writer)) }
  }

  /// Runs `body` with a connection for reading.
  func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    guard isShared else { return try write(body) }
    shareFileIfWritten()
    let connection = try acquireReadConnection()
    defer { releaseReadConnection(connection) }
    return try body(connection)
  }

  /// A connection for reading that the pool does not keep; nil when none would see the same data.
  func makeReadConnection() throws -> SQLiteConnection? {
    guard isShared else { return nil }
    let connection = try connect()
    try StorePragmas(options: options).applyToReadConnection(connection)
    return connection
  }

  /// Another connection to the file that was opened, and to no other that lies at its path now.
  private func connect() throws -> SQLiteConnection {
    let (uuidCheck, mode) = condition.withLock { (self.uuidCheck, self.mode) }
    if uuidCheck != nil { try requireContent() }
    let new = try SQLiteConnection(
      path: path, mode: mode, busyTimeout: options.timeout, log: options.log,
      isNeverShared: options.isImmutable)
    // A new connection finds its own file at the path, whichever that is.
    guard let file, FileNumber(path) == file else { throw moved }
    try requirePlace(of: new)
    new.uuidCheck = uuidCheck
    return new
  }

  /// The database in memory that other pools use too.
  var sharedDatabase: NamedDatabase? { condition.withLock { database } }

  /// Whether the file is taken not to change: what others write to it is not seen.
  var isImmutable: Bool { condition.withLock { mode == .immutable && unshared == nil } }

  // MARK: Files that nobody else has open

  /// Makes connections share the file once another process has written to it.
  private func shareFileIfWritten() {
    condition.withLock {
      if let unshared, !unshared.isStill { share() }
    }
  }

  /// Has new connections share the file; those without its log are closed when they are given back.
  ///
  /// To be called with the condition locked.
  private func share() {
    unshared = nil
    mode = .queryOnly
    readConnectionCount -= idleReadConnections.count
    for connection in idleReadConnections { connection.close() }
    idleReadConnections.removeAll()
  }

  /// A connection for a transaction that is kept: others may write meanwhile.
  func makeSnapshotConnection() throws -> SQLiteConnection? {
    condition.withLock { if unshared != nil { share() } }
    return try makeReadConnection()
  }

  /// Whether a connection reads the file alone, and others read it with somebody's log now.
  private func isOutdated(_ connection: SQLiteConnection) -> Bool {
    connection.mode == .immutable && mode != .immutable
  }

  // MARK: The writer

  private func presentWriter() throws -> SQLiteConnection {
    if let writer {
      guard writeDepth == 0, condition.withLock({ isOutdated(writer) }) else { return writer }
      clock = writer.clock
      condition.withLock { self.writer = nil }
      writer.close()
    }
    if isClosed { throw closed }
    let new = try connect()
    try StorePragmas(options: options).applyToWriter(new)
    if allowsIndexTriggers { new.allowIndexTriggers() }
    new.clock = clock
    writerNumber += 1
    condition.withLock { writer = new }
    return new
  }

  /// After the outermost use of the writer.
  private func finishWriting(with connection: SQLiteConnection) {
    guard connection === writer else { return }
    if connection.isInTransaction {
      // It could not be rolled back: with the connection it ends, and no half of it is committed.
      allowsIndexTriggers = connection.allowsIndexTriggers
      clock = connection.clock
      condition.withLock { writer = nil }
      connection.close()
      return
    }
    checkpointing?.run(on: connection)
  }

  // MARK: Connections for reading

  private func acquireReadConnection() throws -> SQLiteConnection {
    condition.lock()
    if idleReadConnections.isEmpty, readConnectionCount >= options.maximumReadConnections {
      let deadline = deadline
      while !isClosed, idleReadConnections.isEmpty,
        readConnectionCount >= options.maximumReadConnections
      {
        if !condition.wait(until: deadline) {
          condition.unlock()
          throw busy(
            "its \(options.maximumReadConnections) connections for reading have been in use")
        }
      }
    }
    if isClosed {
      condition.unlock()
      throw closed
    }
    if let connection = idleReadConnections.popLast() {
      condition.unlock()
      do {
        try requirePlaceOccasionally(of: connection)
      } catch {
        releaseReadConnection(connection)
        throw error
      }
      return connection
    }
    readConnectionCount += 1
    condition.unlock()
    do {
      guard let connection = try makeReadConnection() else { throw closed }
      return connection
    } catch {
      condition.withLock {
        readConnectionCount -= 1
        condition.signal()
      }
      throw error
    }
  }

  private func releaseReadConnection(_ connection: SQLiteConnection) {
    condition.withLock {
      // A transaction that could not be ended would go on seeing old data.
      if isClosed || connection.isInTransaction || isOutdated(connection) {
        readConnectionCount -= 1
        connection.close()
      } else {
        idleReadConnections.append(connection)
      }
      condition.signal()
    }
  }

  /// Closes the connections; those in use close when they are given back.
  func close() {
    writeLock.lock()
    defer { writeLock.unlock() }
    condition.withLock {
      isClosed = true
      readConnectionCount -= idleReadConnections.count
      for connection in idleReadConnections { connection.close() }
      idleReadConnections.removeAll()
      checkpointing?.close()
      writer?.close()
      writer = nil
      database = nil
      condition.broadcast()
    }
  }

  // MARK: The file's place

  /// Throws when the path leads to another file, or to none: it was moved, deleted or replaced.
  private func requirePlace(of connection: SQLiteConnection) throws {
    if connection.fileHasMoved { throw moved }
    // A new file is empty until the store is in it.
    if connection.uuidCheck != nil { try requireContent() }
  }

  /// Throws when the file was cut to nothing. Whoever opens such a file deletes the log beside it, and
  /// what a connection writes to a deleted log is seen by nobody and lost.
  private func requireContent() throws {
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0 {
      throw StoreErrors.emptied(URL(fileURLWithPath: path))
    }
  }

  /// Throws when others have put another store into the named database.
  private func requireIdentity(of database: NamedDatabase, _ connection: SQLiteConnection) throws {
    guard checkedChange != database.changeCount else { return }
    try uuidCheck?.require(on: connection)
    checkedChange = database.changeCount
  }

  private var moved: NSError {
    let isThere = FileManager.default.fileExists(atPath: path)
    return CoreDataError.make(
      isThere ? NSPersistentStoreOpenError : NSFileNoSuchFileError,
      "the store's file \(path) was \(isThere ? "replaced by another one" : "moved or deleted")"
        + " while it was open; nothing is read from it or written to it until the store is opened"
        + " again", at: path)
  }

  /// Nanoseconds between two checks of the place of the file when it is only read.
  private static let placeCheckInterval: UInt64 = 50_000_000

  private func requirePlaceOccasionally(of connection: SQLiteConnection) throws {
    let now = DispatchTime.now().uptimeNanoseconds
    guard now &- connection.lastPlaceCheck > Self.placeCheckInterval else { return }
    connection.lastPlaceCheck = now
    try requirePlace(of: connection)
  }

  // MARK: Errors

  private var deadline: Date {
    let seconds = options.timeout.isNaN ? 0 : min(max(options.timeout, 0), 1e9)
    return Date(timeIntervalSinceNow: seconds)
  }

  private func busy(_ why: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreTimeoutError, "cannot use \(path): \(why) for too long", at: path)
  }

  private var closed: NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError, "the store was removed from its coordinator: \(path)")
  }
}
