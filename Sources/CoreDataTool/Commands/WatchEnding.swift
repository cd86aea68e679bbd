import Foundation
import StoreInspection

/// Waits for whatever ends a watch: a signal, the last report that was asked for, or the loss of the store.
final class WatchEnding: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int?
  private var isOver = false
  private var failure: (any Error)?
  private var signals: [any DispatchSourceSignal] = []

  /// From here on SIGINT and SIGTERM end the watch rather than the process.
  ///
  /// - Parameter reports: after how many reports it ends; nil for never.
  init(reports: Int?) {
    missing = reports
    isOver = reports == 0
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.end(with: nil) }
      source.activate()
      signals.append(source)
    }
  }

  deinit {
    for source in signals { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
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
