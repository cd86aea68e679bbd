import CSQLite
import StoreEngine

/// Interrupts the statements of a connection, and their waits for locks, when a request is cancelled.
final class Interruption {
  private let cancellation: Cancellation
  private let timeout: UInt64
  private var waitStart: UInt64 = 0

  fileprivate init(_ cancellation: Cancellation, milliseconds: Int32) {
    self.cancellation = cancellation
    timeout = UInt64(max(0, milliseconds)) * 1_000_000
  }

  var isCancelled: Bool { cancellation.isCancelled }

  /// Waits briefly for a lock. Returns false after the timeout or a cancellation.
  ///
  /// - Parameter count: The number of previous waits for the same lock.
  fileprivate func wait(_ count: Int32) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    if count == 0 { waitStart = now }
    if isCancelled || now - waitStart >= timeout { return false }
    usleep(Self.waits[min(Int(count), Self.waits.count - 1)])
    return true
  }

  /// The waits in microseconds: the first ones of SQLite's own busy handler. Its longer waits would delay a
  /// cancellation.
  private static let waits: [UInt32] = [1_000, 2_000, 5_000, 10_000, 15_000, 20_000]
}

extension SQLiteConnection {
  /// The number of SQLite's instructions between two checks for a cancellation.
  private static let instructions: Int32 = 1000

  /// Runs `body`, and interrupts its statements when the request is cancelled.
  ///
  /// - Throws: `CocoaError.userCancelled` if the request was cancelled before `body` runs, or if a statement or its
  ///   wait for a lock was interrupted.
  func interruptible<Result>(
    by cancellation: Cancellation?, _ body: () throws -> Result
  ) throws -> Result {
    guard let cancellation else { return try body() }
    try cancellation.check()
    // Requests nest, so the end of the inner one must restore the cancellation of the outer one.
    let outer = interruption
    install(Interruption(cancellation, milliseconds: busyTimeout))
    defer { install(outer) }
    do {
      return try body()
    } catch let error as SQLiteError
      where cancellation.isCancelled
      // A cancelled wait for a lock fails with the same code as one that timed out.
      && (error.primaryCode == SQLITE_INTERRUPT || error.primaryCode == SQLITE_BUSY)
    {
      throw CocoaError(.userCancelled)
    }
  }

  /// Stops interrupting statements, because a commit or rollback must run to its end. A cancellation still ends waits
  /// for locks.
  func endInterruption() {
    // A connection can have only one progress handler, so it serves both cancellations and the clock.
    if interruption != nil || clock != nil { sqlite3_progress_handler(handle, 0, nil, nil) }
  }

  /// Installs a progress handler if a cancellation or the clock may interrupt statements; removes it otherwise.
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
          || connection.clock?.isOver(on: connection) == true ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Sets the object that interrupts statements and their waits for locks; nil for none.
  private func install(_ new: Interruption?) {
    // Do not use sqlite3_interrupt, which could interrupt a statement of the next user of the
    // connection.
    interruption = new
    watchStatements()
    guard let new else {
      // Replaces the busy handler, because a connection has either a handler or a timeout
      // (sqlite.org/c3ref/busy_timeout.html).
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
  /// Runs `body` with a connection for reading, and interrupts SQLite when the request is cancelled.
  func read<Result>(
    _ cancellation: Cancellation?, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try cancellation?.check()
    return try read { connection in
      try connection.interruptible(by: cancellation) { try body(connection) }
    }
  }
}
