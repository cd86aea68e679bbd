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
