import Foundation
import StoreInspection

/// Waits for whatever ends a watch: a signal, the last report that was asked for, or the loss of the store.
final class WatchEnding: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int?
  private var isOver = false
  private var failure: (any Error)?
  private var signals: EndingSignals?

  /// From here on SIGINT and SIGTERM end the watch rather than the process.
  ///
  /// - Parameter reports: after how many reports it ends; nil for never.
  init(reports: Int?) {
    missing = reports
    isOver = reports == 0
    signals = EndingSignals { [weak self] in self?.end(with: nil) }
  }

  /// A report was printed.
  func noteReport() {
    condition.withLock {
      guard let left = missing else { return }
      missing = left - 1
      if left <= 1 { isOver = true }
      condition.broadcast()
    }
  }

  func end(with error: (any Error)?) {
    condition.withLock {
      if !isOver { failure = error }
      isOver = true
      condition.broadcast()
    }
  }

  /// Returns when it is over; throws when the store was lost.
  func wait() throws {
    condition.lock()
    while !isOver { condition.wait() }
    let failure = failure
    condition.unlock()
    if let failure { throw Diagnostic(failure) }
  }
}
