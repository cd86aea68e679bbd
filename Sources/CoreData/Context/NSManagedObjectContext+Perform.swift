import Foundation

extension NSManagedObjectContext {
  /// When an asynchronous `perform` runs its block.
  public enum ScheduledTaskType: Sendable {
    /// At once when the caller is on the context's queue already.
    case immediate
    /// After what was enqueued before.
    case enqueued
  }

  /// Runs a block on the context's queue, after what was enqueued before; returns at once.
  ///
  /// Pending changes are processed when the block ends.
  public func perform(_ block: @escaping () -> Void) {
    queue.async { [self] in
      block()
      endEvent()
    }
  }

  /// Ends what counts as one event for observers and for undo.
  private func endEvent() {
    processPendingChanges()
    undoManager?.endEvent()
  }

  /// Runs a block on the context's queue and waits for it. May be nested, also with other contexts
  /// in between.
  ///
  /// Changes are not processed when the block ends, but when the queue is done with its present
  /// work, and by what asks for them: a fetch, a save.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    try queue.sync(block)
  }

  /// Runs a block on the context's queue, and gives its result.
  ///
  /// Pending changes are processed when the block ends. It throws what the block throws: a block
  /// that throws nothing needs no `try`.
  public func perform<T, Failure: Error>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> T
  ) async throws(Failure) -> T {
    if schedule == .immediate, queue.isCurrent { return try block() }
    let outcome: Transferred<Result<T, Failure>> = await withCheckedContinuation { continuation in
      queue.async { [self] in
        let result = Result<T, Failure>(catching: block)
        endEvent()
        continuation.resume(returning: Transferred(value: result))
      }
    }
    return try outcome.value.get()
  }
}

/// A value on its way from a context's queue to whoever waits for it.
private struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}
