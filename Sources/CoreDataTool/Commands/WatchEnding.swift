import Foundation
import StoreInspection

/// Waits for the event that ends a watch: a signal, the last report that `--reports` allows, or the loss of the store
/// or the output.
final class WatchEnding: @unchecked Sendable {
  private let condition = NSCondition()
  private let console = Console.current
  private var missing: Int?
  private var isOver = false
  private var failure: (any Error)?
  private var signals: EndingSignals?

  /// Makes SIGINT, SIGTERM, SIGHUP and a closed pipe end the watch instead of the process, so that the command can
  /// still move changes of other processes from the write-ahead log into the store.
  ///
  /// - Parameter reports: The number of reports after which the watch ends; nil for no limit.
  init(reports: Int?) {
    missing = reports
    isOver = reports == 0
    // Weak, because the stream keeps its handler until the process ends.
    console.surviveOutputLoss { [weak self] _ in self?.end(with: nil) }
    signals = EndingSignals { [weak self, console] in
      self?.end(with: nil)
      // A reader that has stopped reading must not keep the command from ending.
      console.endSoon()
    }
  }

  /// Counts a printed report, and ends the watch if it is the last that `--reports` allows.
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
      // The first event that ends the watch decides its result.
      if !isOver { failure = error }
      isOver = true
      condition.broadcast()
    }
  }

  /// Waits until the watch is over; throws if the store was lost.
  func wait() throws {
    condition.lock()
    while !isOver { condition.wait() }
    let failure = failure
    condition.unlock()
    if let failure { throw Diagnostic(failure) }
  }
}
