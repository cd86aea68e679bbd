import CSQLite
import StoreEngine

/// Ends the statements of a connection, and their waiting for another's lock, when the work that they are
/// for is cancelled.
final class Interruption {
  private let cancellation: Cancellation
  private let timeout: UInt64
  private var waitStart: UInt64 = 0

  fileprivate init(_ cancellation: Cancellation, milliseconds: Int32) {
    self.cancellation = cancellation
    timeout = UInt64(max(0, milliseconds)) * 1_000_000
  }

  var isCancelled: Bool { cancellation.isCancelled }

  /// Waits a little for a lock; false when that was long enough.
  ///
  /// - Parameter count: how often that was done for the same lock.
  fileprivate func wait(_ count: Int32) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    if count == 0 { waitStart = now }
    if isCancelled || now - waitStart >= timeout { return false }
    usleep(Self.waits[min(Int(count), Self.waits.count - 1)])
    return true
  }

  /// Microseconds; as SQLite itself waits, but never so long that a cancellation is felt late.
  private static let waits: [UInt32] = [1_000, 2_000, 5_000, 10_000, 15_000, 20_000]
}

extension SQLiteConnection {
  /// How many of SQLite's instructions are run between two looks at a cancellation.
  private static let instructions: Int32 = 1000

  /// Runs `body`, whose statements end early when the work is cancelled.
  ///
  /// - Throws: `CocoaError.userCancelled` where one did.
  func interruptible<Result>(
    by cancellation: Cancellation?, _ body: () throws -> Result
  ) throws -> Result {
    guard let cancellation else { return try body() }
    try cancellation.check()
    let outer = interruption
    install(Interruption(cancellation, milliseconds: busyTimeout))
    defer { install(outer) }
    do {
      return try body()
    } catch let error as SQLiteError
      where cancellation.isCancelled
      && (error.primaryCode == SQLITE_INTERRUPT || error.primaryCode == SQLITE_BUSY)
    {
      throw CocoaError(.userCancelled)
    }
  }

  /// What ends a transaction is not interrupted: it is done, or taken back, whole.
  func endInterruption() {
    if interruption != nil || clock != nil { sqlite3_progress_handler(handle, 0, nil, nil) }
  }

  /// Has SQLite ask now and then whether a statement is to end, where something may want that.
  func watchStatements() {
    guard interruption != nil || clock != nil else {
      sqlite3_progress_handler(handle, 0, nil, nil)
      return
    }
    sqlite3_progress_handler(
      handle, clock == nil ? Self.instructions : StatementClock.instructions,
      { context in
        guard let context else { return 0 }
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
        return connection.interruption?.isCancelled == true
          || connection.clock?.isOver(on: connection.handle) == true ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Not sqlite3_interrupt: it could meet the statement of whoever has the connection next.
  private func install(_ new: Interruption?) {
    interruption = new
    watchStatements()
    guard let new else {
      sqlite3_busy_timeout(handle, busyTimeout)
      return
    }
    let context = Unmanaged.passUnretained(new).toOpaque()
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().wait(count)
          ? 1 : 0
      }, context)
  }
}

extension ConnectionPool {
  /// Runs `body` with a connection for reading, and interrupts SQLite when the read is cancelled.
  func read<Result>(
    _ cancellation: Cancellation?, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try cancellation?.check()
    return try read { connection in
      try connection.interruptible(by: cancellation) { try body(connection) }
    }
  }
}
