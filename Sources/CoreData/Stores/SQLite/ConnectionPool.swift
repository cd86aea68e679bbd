import Foundation

/// The connections to one SQLite file: one that writes, and a few that read.
///
/// In WAL mode a reader sees the last committed state and never waits for the writer. A store in
/// memory has one connection for everything; one with a name shares it with others' pools.
final class ConnectionPool: @unchecked Sendable {
  private static let maximumReaders = 4

  private let path: String
  private let mode: SQLiteConnection.Mode
  private let busyTimeout: Double
  private let isShared: Bool
  private let writeLock: NSRecursiveLock
  private let condition = NSCondition()
  private var writer: SQLiteConnection?
  private var database: NamedDatabase?
  /// How many of the changes of the named database were made here.
  private var ownChanges = 0
  private var idleReaders: [SQLiteConnection] = []
  private var readerCount = 0

  /// - Parameters:
  ///   - connection: an open connection, which becomes the writer.
  ///   - isShared: whether other connections to the same path reach the same data.
  init(_ connection: SQLiteConnection, busyTimeout: Double, isShared: Bool) {
    writeLock = NSRecursiveLock()
    writer = connection
    path = connection.path
    mode = connection.mode == .readWriteCreate ? .readWrite : connection.mode
    self.busyTimeout = busyTimeout
    self.isShared = isShared
  }

  /// The pool of one of the stores that share a database in memory.
  init(_ database: NamedDatabase) {
    writeLock = database.lock
    self.database = database
    path = ":memory:"
    mode = .readWrite
    busyTimeout = 0
    isShared = false
  }

  /// Runs `body` with the writing connection; one caller at a time.
  func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    writeLock.lock()
    defer { writeLock.unlock() }
    if let writer { return try body(writer) }
    guard let database else { throw closed }
    return try database.use(body) { ownChanges += 1 }
  }

  /// A number that changes when somebody else changes the data, and not by what this pool writes.
  func foreignVersion() throws -> Int64? {
    try write { connection in
      if let database { return Int64(database.changeCount - ownChanges) }
      return try connection.dataVersion()
    }
  }

  /// Runs `body` with a connection for reading.
  func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    guard isShared else { return try write(body) }
    let reader = try takeReader()
    defer { giveBack(reader) }
    return try body(reader)
  }

  /// A connection for reading that the pool does not keep; nil when none would see the same data.
  func newReader() throws -> SQLiteConnection? {
    guard isShared else { return nil }
    return try SQLiteConnection(path: path, mode: mode, busyTimeout: busyTimeout)
  }

  private func takeReader() throws -> SQLiteConnection {
    condition.lock()
    while idleReaders.isEmpty && readerCount >= Self.maximumReaders { condition.wait() }
    if writer == nil {
      condition.unlock()
      throw closed
    }
    if let reader = idleReaders.popLast() {
      condition.unlock()
      return reader
    }
    readerCount += 1
    condition.unlock()
    do {
      return try SQLiteConnection(path: path, mode: mode, busyTimeout: busyTimeout)
    } catch {
      condition.withLock {
        readerCount -= 1
        condition.signal()
      }
      throw error
    }
  }

  private func giveBack(_ reader: SQLiteConnection) {
    condition.withLock {
      if writer == nil {
        readerCount -= 1
        reader.close()
      } else {
        idleReaders.append(reader)
      }
      condition.signal()
    }
  }

  /// Closes the connections; those in use close when they are given back.
  func close() {
    writeLock.lock()
    defer { writeLock.unlock() }
    condition.withLock {
      readerCount -= idleReaders.count
      for reader in idleReaders { reader.close() }
      idleReaders.removeAll()
      writer?.close()
      writer = nil
      database = nil
    }
  }

  private var closed: NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError, "the store was removed from its coordinator: \(path)")
  }
}
