import CSQLite
import Foundation

/// Says to a read that nobody wants its result any more.
final class ReadCancellation: @unchecked Sendable {
  private let lock = NSLock()
  private var lockedIsCancelled = false
  private let progress: Progress?

  /// - Parameter progress: ends the read, too, when it is cancelled.
  init(_ progress: Progress? = nil) { self.progress = progress }

  var isCancelled: Bool {
    progress?.isCancelled == true || lock.withLock { lockedIsCancelled }
  }

  func cancel() { lock.withLock { lockedIsCancelled = true } }

  /// Throws when the read was cancelled.
  func check() throws {
    if isCancelled { throw CocoaError(.userCancelled) }
  }
}

extension ConnectionPool {
  /// How many of SQLite's instructions are run between two looks at a cancellation.
  private static let instructions: Int32 = 1000

  /// Runs `body` with a connection for reading, and interrupts SQLite when the read is cancelled.
  func read<Result>(
    _ cancellation: ReadCancellation?, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    guard let cancellation else { return try read(body) }
    try cancellation.check()
    return try read { connection in
      // Not sqlite3_interrupt: it could meet the statement of whoever has the connection next.
      sqlite3_progress_handler(
        connection.handle, Self.instructions,
        { context in
          guard let context else { return 0 }
          let cancellation = Unmanaged<ReadCancellation>.fromOpaque(context).takeUnretainedValue()
          return cancellation.isCancelled ? 1 : 0
        }, Unmanaged.passUnretained(cancellation).toOpaque())
      defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
      do {
        return try withExtendedLifetime(cancellation) { try body(connection) }
      } catch let error as SQLiteError where error.primaryCode == SQLITE_INTERRUPT {
        throw CocoaError(.userCancelled)
      }
    }
  }
}
