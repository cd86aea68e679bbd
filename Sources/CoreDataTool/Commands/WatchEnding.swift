import ArgumentParser
import Foundation
import StoreInspection

/// Waits for the event that ends a watch: a signal, the last report of `--reports`, loss of the store or the reader.
final class WatchEnding: @unchecked Sendable {
  private let condition = NSCondition()
  private let console = Console.current
  private var missing: Int?
  private var isOver = false
  private var failure: (any Error)?
  private var loss: OutputLoss?
  private var signals: EndingSignals?

  /// Makes SIGINT, SIGTERM, SIGHUP and a closed pipe end the watch instead of the process, so that the command can
  /// still move changes of other processes from the write-ahead log into the store.
  ///
  /// - Parameter reports: The number of reports after which the watch ends; nil for no limit.
  init(reports: Int?) {
    missing = reports
    isOver = reports == 0
    // Weak, because the stream keeps its handler until the process ends.
    console.surviveOutputLoss { [weak self] loss in self?.end { self?.loss = loss } }
    signals = EndingSignals { [weak self, console] in
      self?.end(with: nil)
      // A reader that has stopped reading must not keep the command from ending.
      console.endSoon()
    }
  }

  /// Counts a printed report; the last one of `--reports` ends the watch.
  func noteReport() {
    condition.withLock {
      guard let left = missing else { return }
      missing = left - 1
      if left <= 1 { isOver = true }
      condition.broadcast()
    }
  }

  func end(with error: (any Error)?) {
    // The first event that ends the watch decides its result.
    end { if !isOver { failure = error } }
  }

  private func end(_ change: () -> Void) {
    condition.withLock {
      change()
      isOver = true
      condition.broadcast()
    }
  }

  /// Whether the output can no longer be written.
  var isOutputLost: Bool { condition.withLock { loss != nil } }

  /// Waits until the watch is over; throws if the store was lost.
  func wait() throws {
    condition.lock()
    while !isOver { condition.wait() }
    let failure = failure
    condition.unlock()
    if let failure { throw Diagnostic(failure) }
  }

  /// Returns if the output was written completely; otherwise prints the reason and throws the exit code.
  func requireOutput() throws {
    guard let loss = condition.withLock({ loss }) else { return }
    if let message = loss.message { console.note(message) }
    throw ExitCode(loss.exitCode)
  }
}
