import Foundation

/// Says to the work of a request that nobody wants its result any more.
final class Cancellation: @unchecked Sendable {
  private let lock = NSLock()
  private var lockedIsCancelled = false
  private let progress: Progress?
  private let other: Cancellation?

  /// - Parameters:
  ///   - progress: ends the work, too, when it is cancelled.
  ///   - other: ends it, too.
  init(_ progress: Progress? = nil, _ other: Cancellation? = nil) {
    self.progress = progress
    self.other = other
  }

  var isCancelled: Bool {
    progress?.isCancelled == true || other?.isCancelled == true
      || lock.withLock { lockedIsCancelled }
  }

  func cancel() { lock.withLock { lockedIsCancelled = true } }

  /// Throws when the work was cancelled.
  func check() throws {
    if isCancelled { throw CocoaError(.userCancelled) }
  }
}

extension Cancellation {
  /// What may end a request that begins now: the progress that is current, and the task that waits for
  /// the block that executes it. Nil where nothing can.
  static var ofRequest: Cancellation? {
    let task = ContextQueue.presentCancellation
    guard let progress = Progress.current() else { return task }
    return Cancellation(progress, task)
  }

  /// What may end a fetch that begins now; nil where nothing can, as for all that programs ask for with `perform`.
  static var ofFetch: Cancellation? { ContextQueue.presentReadCancellation }

  /// Runs `body`, whose requests end when the task is cancelled that calls this.
  static func withTask<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Cancellation) async -> Result
  ) async -> Result {
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      await body(cancellation)
    } onCancel: {
      cancellation.cancel()
    }
  }
}
