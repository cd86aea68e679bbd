import Foundation

/// The connections to one SQLite file: one that writes, and a few that read.
///
/// In WAL mode a reader sees the last committed state and never waits for the writer. A store in
/// memory has one connection for everything.
final class ConnectionPool: @unchecked Sendable {
  private static let maximumReaders = 4

  private let path: String
  private let mode: SQLiteConnection.Mode
  private let busyTimeout: Double
  private let isShared: Bool
  private let writeLock = NSRecursiveLock()
  private let condition = NSCondition()
  private var writer: SQLiteConnection?
  private var idleReaders: [SQLiteConnection] = []
  private var readerCount = 0

  /// - Parameters:
  ///   - connection: an open connection, which becomes the writer.
  ///   - isShared: whether other connections to the same path reach the same data.
  init(_ connection: SQLiteConnection, busyTimeout: Double, isShared: Bool) {
    writer = connection
    path = connection.path
    mode = connection.mode == .readWriteCreate ? .readWrite : connection.mode
    self.busyTimeout = busyTimeout
    self.isShared = isShared
  }

  /// Runs `body` with the writing connection; one caller at a time.
  func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    writeLock.lock()
    defer { writeLock.unlock() }
    guard let writer else { throw closed }
    return try body(writer)
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
    }
  }

  private var closed: NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError, "the store was removed from its coordinator: \(path)")
  }
}
