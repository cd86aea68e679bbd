import Foundation
import StoreEngine

/// The connections to one SQLite file: one that writes, and a few that read.
///
/// In WAL mode a reader sees the last committed state and never waits for the writer. A store in memory has one
/// connection for everything. A named store in memory shares this connection with other pools.
///
/// If other callers use the connections, a caller waits for one no longer than the store's timeout.
///
/// The pool checks that the file is still at its path, because writes to a file that was moved or replaced would be
/// lost. Each statement checks that the file still contains the store that was opened (``StoreUUIDCheck``). The pool
/// closes a writer that could not roll back, so that no part of a transaction is committed. After a commit,
/// ``Checkpointing`` handles the write-ahead log. ``StorePragmas`` determines the pragmas of each connection.
final class ConnectionPool: @unchecked Sendable {
  private let path: String
  private var mode: SQLiteConnection.Mode
  /// The file, while it is read without sharing because no other process has it open.
  private var unshared: UnsharedFile?
  let options: StoreOptions
  private let isShared: Bool
  /// Whether this is the pool of a file, not of a snapshot or a database in memory.
  private let ownsFile: Bool
  /// The file that was opened; nil for a database in memory.
  private let file: FileNumber?
  private let writeLock: NSRecursiveLock
  private let condition = NSCondition()
  private var isClosed = false
  /// Nil if the pool is closed or uses a named database, and from the closing of a writer to the opening of the next.
  private var writer: SQLiteConnection?
  /// The number of writers before this one. Each connection counts the changes by other connections from zero.
  private var writerNumber: Int64 = 0
  /// The settings of the previous writer, which the next writer adopts: whether triggers can write to R-trees, and the
  /// clock that interrupts long statements.
  private var allowsIndexTriggers = false
  private var clock: StatementClock?
  /// The last result of `foreignVersion()`.
  private var lastForeignVersion: Int64?
  private var hasLoggedForeignWriters = false
  /// The number of nested calls to `write`.
  private var writeDepth = 0
  private let checkpointing: Checkpointing?
  private var database: NamedDatabase?
  /// The number of changes to the named database by this pool.
  private var ownChanges = 0
  private var idleReadConnections: [SQLiteConnection] = []
  private var readConnectionCount = 0
  private var uuidCheck: StoreUUIDCheck?
  /// The change count of the named database when the pool last checked that it contains this store.
  private var checkedChange: Int?

  /// - Parameters:
  ///   - connection: An open connection, which becomes the writer.
  ///   - isShared: Whether other connections to the same path can access the same data.
  ///   - isSnapshot: Whether the connection has a transaction that stays open.
  init(
    _ connection: SQLiteConnection, _ options: StoreOptions, isShared: Bool,
    isSnapshot: Bool = false
  ) {
    // The lock is recursive, because the `body` of a write may call `write` again, or `read` in a store with one
    // connection.
    writeLock = NSRecursiveLock()
    writer = connection
    path = connection.path
    // Later connections must not create the file again if it was deleted.
    mode = connection.mode == .readWriteCreate ? .readWrite : connection.mode
    self.options = options
    self.isShared = isShared
    ownsFile = path != ":memory:" && !isSnapshot
    file = path == ":memory:" ? nil : FileNumber(path)
    checkpointing = ownsFile && mode == .readWrite ? Checkpointing(path: path, options) : nil
    unshared = ownsFile ? connection.unshared : nil
  }

  /// Creates the pool of a store that shares a database in memory.
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

  /// Binds every connection to one store, so that another store in its place is neither read nor written.
  func hold(to uuidCheck: StoreUUIDCheck) {
    condition.withLock {
      self.uuidCheck = uuidCheck
      // No other connection can change a database in memory without a name.
      if path != ":memory:" { writer?.uuidCheck = uuidCheck }
    }
  }

  /// Creates the pool of a snapshot, which is a connection to the same file whose transaction stays open.
  func ofSnapshot(_ connection: SQLiteConnection) -> ConnectionPool {
    ConnectionPool(connection, options, isShared: false, isSnapshot: true)
  }

  /// Runs `body` with the writer, one caller at a time.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` if other callers use the writer for too long, and other errors if the
  ///   pool is closed, or if the file is no longer at its path or was emptied, because writes would be lost.
  func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try write(nil, body)
  }

  /// - Parameter cancellation: Ends the wait for the writer. `body` must check it itself.
  func write<Result>(
    _ cancellation: Cancellation?, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    // Most callers find the writer idle, and need no deadline.
    guard try writeLock.try() || waitForWriter(cancellation) else {
      throw busy("another thread has been writing to it")
    }
    defer { writeLock.unlock() }
    if let database {
      // This pool counts its own changes, because `foreignVersion` must report only the changes of other pools.
      return try database.use({ connection in
        try requireIdentity(of: database, connection)
        return try body(connection)
      }) { ownChanges += 1 }
    }
    // A nested use must get the same writer, whose transaction may be open.
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

  /// The seconds between checks of the cancellation while waiting for the writer.
  private static let writerWait = 0.02

  /// Acquires the lock of the writer. Returns false after the timeout.
  private func waitForWriter(_ cancellation: Cancellation?) throws -> Bool {
    let deadline = deadline
    guard let cancellation else { return writeLock.lock(before: deadline) }
    while true {
      try cancellation.check()
      // A lock cannot also wait for a cancellation, so the wait is split.
      let next = min(deadline, Date(timeIntervalSinceNow: Self.writerWait))
      if writeLock.lock(before: next) { return true }
      if next == deadline { return false }
    }
  }

  /// Returns a number that changes when another connection changes the data, but not when this pool writes. It
  /// also changes when the pool opens a new writer.
  func foreignVersion() throws -> Int64? {
    try write { try foreignVersion(on: $0) }
  }

  private func foreignVersion(on connection: SQLiteConnection) throws -> Int64? {
    if let database { return Int64(database.changeCount - ownChanges) }
    // A new writer changes the number, too, because it does not know what was written before it was
    // opened.
    let version = try connection.dataVersion().map { writerNumber << 32 | $0 }
    if let version { noteForeignWriter(version, connection) }
    return version
  }

  /// Logs once that another process writes to the same write-ahead log, and so may run SQLite's own checkpoints.
  private func noteForeignWriter(_ version: Int64, _ connection: SQLiteConnection) {
    defer { lastForeignVersion = version }
    // The upper bits are the number of this pool's writer. If they differ, the versions say nothing
    // about other processes.
    guard SQLiteVersion.canLoseWALPages, !hasLoggedForeignWriters, ownsFile, let lastForeignVersion,
      lastForeignVersion != version, lastForeignVersion >> 32 == version >> 32,
      (try? connection.text("PRAGMA journal_mode")) == "wal"
    else { return }
    hasLoggedForeignWriters = true
    SQLiteVersion.logLostPagesOnce()
  }

  /// Runs `body` with the writer and `foreignVersion()`, unless the writer is in use. `body` must not write. Its
  /// statements fail instead of waiting for a lock on the file.
  ///
  /// - Returns: Nil if the writer is in use.
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

  /// Returns a connection for reading that does not belong to the pool; nil if another connection would not see the
  /// same data.
  func makeReadConnection() throws -> SQLiteConnection? {
    guard isShared else { return nil }
    let connection = try connect()
    try StorePragmas(options: options).applyToReadConnection(connection)
    return connection
  }

  /// Opens another connection to the pool's file, but not to a different file at its path.
  private func connect() throws -> SQLiteConnection {
    let (uuidCheck, mode) = condition.withLock { (self.uuidCheck, self.mode) }
    // Check this before opening the file, because SQLite deletes the log next to an empty file.
    if uuidCheck != nil { try requireContent() }
    let new = try SQLiteConnection(
      path: path, mode: mode, busyTimeout: options.timeout, log: options.log,
      isNeverShared: options.isImmutable)
    // A new connection opens whatever file is at the path. So the first check compares the file at the path with the
    // pool's file. The second one compares it with the file that the connection opened, because another file may have
    // been at the path when the connection was opened.
    guard let file, FileNumber(path) == file else { throw moved }
    try requirePlace(of: new)
    new.uuidCheck = uuidCheck
    return new
  }

  /// The database in memory, if other pools share it.
  var sharedDatabase: NamedDatabase? { condition.withLock { database } }

  /// Whether the file is read as if it never changed, so that writes by other processes are not seen.
  var isImmutable: Bool { condition.withLock { mode == .immutable && unshared == nil } }

  // MARK: Unshared files

  /// Makes connections share the file once another process has written to it.
  private func shareFileIfWritten() {
    condition.withLock {
      if let unshared, !unshared.isStill { share() }
    }
  }

  /// Makes new connections share the file, and closes the idle connections. A connection that is in use and does not
  /// share the file is closed when it is released.
  ///
  /// Requires the condition to be locked.
  private func share() {
    unshared = nil
    mode = .queryOnly
    // SQLite does not check an immutable file for changes, so these connections would return old
    // rows.
    readConnectionCount -= idleReadConnections.count
    for connection in idleReadConnections { connection.close() }
    idleReadConnections.removeAll()
  }

  /// Returns a connection for a transaction that stays open while other processes may write; nil if another connection
  /// would not see the same data.
  func makeSnapshotConnection() throws -> SQLiteConnection? {
    // An immutable connection acquires no lock, so its transaction would mix in pages that another
    // process writes later.
    condition.withLock { if unshared != nil { share() } }
    return try makeReadConnection()
  }

  /// Returns whether a connection reads the file without sharing, although new connections share it by now.
  private func isOutdated(_ connection: SQLiteConnection) -> Bool {
    connection.mode == .immutable && mode != .immutable
  }

  // MARK: The writer

  private func presentWriter() throws -> SQLiteConnection {
    if let writer {
      guard writeDepth == 0, condition.withLock({ isOutdated(writer) }) else { return writer }
      // The file's triggers are the same, so the next writer needs the same limits.
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

  /// Called after the outermost use of the writer.
  private func finishWriting(with connection: SQLiteConnection) {
    // `body` may have closed the pool.
    guard connection === writer else { return }
    if connection.isInTransaction {
      // The transaction could not be rolled back. Closing the connection ends it without committing a part of it.
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
      // The check of the path calls the file system, so it must not delay other readers.
      condition.unlock()
      do {
        try requirePlaceOccasionally(of: connection)
      } catch {
        releaseReadConnection(connection)
        throw error
      }
      return connection
    }
    // Count the connection before opening it, because another thread may want to open one at the same time, and
    // the number must not exceed the maximum.
    readConnectionCount += 1
    condition.unlock()
    do {
      guard let connection = try makeReadConnection() else { throw closed }
      return connection
    } catch {
      condition.withLock {
        // Another thread may be waiting for a connection, and can now try to open one.
        readConnectionCount -= 1
        condition.signal()
      }
      throw error
    }
  }

  private func releaseReadConnection(_ connection: SQLiteConnection) {
    condition.withLock {
      // In a transaction that could not be ended, the connection would only see old data.
      if isClosed || connection.isInTransaction || isOutdated(connection) {
        readConnectionCount -= 1
        connection.close()
      } else {
        idleReadConnections.append(connection)
      }
      condition.signal()
    }
  }

  /// Waits until no other thread uses the writer, and closes the connections. Connections for reading that are in use
  /// are closed when they are released.
  func close() {
    // `write` acquires the two locks in this order, too. The opposite order could deadlock.
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

  // MARK: The location of the file

  /// Throws an error if another file is at the path, or none, because the store's file was moved, deleted or
  /// replaced; also if the file was emptied.
  private func requirePlace(of connection: SQLiteConnection) throws {
    if connection.fileHasMoved { throw moved }
    // A new file is empty until the store is created in it.
    if connection.uuidCheck != nil { try requireContent() }
  }

  /// Throws an error if the file was truncated to nothing.
  private func requireContent() throws {
    var status = stat()
    // Another connection that opens an empty file deletes the log next to it. Writes to a deleted
    // log are invisible to other connections and lost.
    if stat(path, &status) == 0, status.st_size == 0 {
      throw StoreErrors.emptied(URL(fileURLWithPath: path))
    }
  }

  /// Throws an error if another pool has put another store into the named database.
  private func requireIdentity(of database: NamedDatabase, _ connection: SQLiteConnection) throws {
    guard checkedChange != database.changeCount else { return }
    try uuidCheck?.require(on: connection)
    checkedChange = database.changeCount
  }

  private var moved: NSError {
    let isThere = FileManager.default.fileExists(atPath: path)
    return CoreDataError.make(
      isThere ? NSPersistentStoreOpenError : NSFileNoSuchFileError,
      "the store's file \(path) was \(isThere ? "replaced by another file" : "moved or deleted")"
        + " while it was open; the store is neither read nor written until it is opened"
        + " again", at: path)
  }

  /// The nanoseconds between two checks of the file's location when it is only read.
  private static let placeCheckInterval: UInt64 = 50_000_000

  private func requirePlaceOccasionally(of connection: SQLiteConnection) throws {
    let now = DispatchTime.now().uptimeNanoseconds
    guard now &- connection.lastPlaceCheck > Self.placeCheckInterval else { return }
    try requirePlace(of: connection)
    // Set the time only after the check, because otherwise the next read would succeed although
    // this one throws.
    connection.lastPlaceCheck = now
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
