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
  /// Pending changes are processed when the block ends.
  public func perform<T>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
  ) async throws -> T {
    if schedule == .immediate, queue.isCurrent { return try block() }
    let result: Transferred<T> = try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        let result = Swift.Result { Transferred(value: try block()) }
        endEvent()
        continuation.resume(with: result)
      }
    }
    return result.value
  }
}

/// A value on its way from a context's queue to whoever waits for it.
private struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}
