/// Tells the work of a request that its result is no longer needed.
package final class Cancellation: @unchecked Sendable {
  private let lock = NSLock()
  private var lockedIsCancelled = false
  private let progress: Progress?
  private let other: Cancellation?

  /// - Parameters:
  ///   - progress: ends the work, too, when it is cancelled.
  ///   - other: ends it, too.
  package init(_ progress: Progress? = nil, _ other: Cancellation? = nil) {
    self.progress = progress
    self.other = other
  }

  package var isCancelled: Bool {
    progress?.isCancelled == true || other?.isCancelled == true
      || lock.withLock { lockedIsCancelled }
  }

  package func cancel() { lock.withLock { lockedIsCancelled = true } }

  /// Throws when the work was cancelled.
  package func check() throws {
    if isCancelled { throw CocoaError(.userCancelled) }
  }
}
