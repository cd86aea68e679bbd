/// Signals to a running request that its result is no longer needed.
package final class Cancellation: @unchecked Sendable {
  // One thread runs the request and checks for the cancellation; another thread cancels.
  private let lock = NSLock()
  private var lockedIsCancelled = false
  private let progress: Progress?
  private let other: Cancellation?

  /// - Parameters:
  ///   - progress: A progress whose cancellation also cancels the request.
  ///   - other: A cancellation that also cancels the request.
  package init(_ progress: Progress? = nil, _ other: Cancellation? = nil) {
    self.progress = progress
    self.other = other
  }

  package var isCancelled: Bool {
    progress?.isCancelled == true || other?.isCancelled == true
      || lock.withLock { lockedIsCancelled }
  }

  package func cancel() { lock.withLock { lockedIsCancelled = true } }

  /// Throws an error if the request was cancelled.
  package func check() throws {
    if isCancelled { throw CocoaError(.userCancelled) }
  }
}
