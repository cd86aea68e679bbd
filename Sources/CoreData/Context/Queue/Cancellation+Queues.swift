extension Cancellation {
  /// The cancellation of a request that begins now: by the current progress, and by the task that
  /// waits for the block that executes the request. Nil if nothing can cancel it.
  static var ofRequest: Cancellation? {
    let task = ContextQueue.presentCancellation
    guard let progress = Progress.current() else { return task }
    return Cancellation(progress, task)
  }

  /// The cancellation of a fetch that begins now; nil if nothing can cancel it, as in the blocks
  /// that a program passes to `perform`.
  static var ofFetch: Cancellation? { ContextQueue.presentReadCancellation }

  /// Runs `body` with a cancellation that ends requests when the calling task is cancelled.
  static func withTask<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Cancellation) async -> Result
  ) async -> Result {
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      await body(cancellation)
    } onCancel: {
      cancellation.cancel()
    }
  }
}
