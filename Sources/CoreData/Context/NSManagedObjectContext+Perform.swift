extension NSManagedObjectContext {
  /// When an asynchronous `perform` runs its block.
  public enum ScheduledTaskType: Sendable {
    /// At once when the caller is on the context's queue already.
    case immediate
    /// After what was enqueued before.
    case enqueued
  }

  /// Whether no subclass may have overridden anything, so that no detour through the overridable
  /// form of a method is needed.
  @inline(__always)
  final var isPlain: Bool { type(of: self) == NSManagedObjectContext.self }

  /// Runs a block on the context's queue and waits for it, and gives its result.
  ///
  /// It throws what the block throws: a block that throws nothing needs no `try`. Otherwise as
  /// `performAndWait(_:)` without a result, which a subclass may override; this one goes through it.
  ///
  /// - Parameter unused: Nothing. Packages written before Apple's Core Data returned results declare this function
  ///   themselves; calls prefer theirs, which has one parameter less.
  public func performAndWait<T, Failure: Error>(
    _ block: () throws(Failure) -> T, _ unused: Void = ()
  ) throws(Failure) -> T {
    var result: Result<T, Failure>?
    if isPlain {
      queue.sync { result = Result(catching: block) }
    } else {
      performAndWait { () -> Void in result = Result(catching: block) }
    }
    guard let result else {
      stopProgram("\(Swift.type(of: self)).performAndWait(_:) did not run its block")
    }
    return try result.get()
  }

  /// The same, for a program that passes the method on as a function.
  @_disfavoredOverload
  public func performAndWait<T, Failure: Error>(
    _ block: () throws(Failure) -> T
  ) throws(Failure) -> T {
    try performAndWait(block, ())
  }

  /// Runs a block on the context's queue, and gives its result.
  ///
  /// Pending changes are processed when the block ends. It throws what the block throws: a block
  /// that throws nothing needs no `try`. It goes through `perform(_:)`, which a subclass may
  /// override, unless it runs at once.
  ///
  /// When the task is cancelled, a batch request or a request for history that the block executes ends
  /// with `CocoaError.userCancelled`, before it begins or in the middle, and leaves the store as it was.
  /// Nothing else of a block is ended: what it fetches and saves comes to its end.
  @preconcurrency
  public nonisolated func perform<T, Failure: Error>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try await perform(schedule, endsReads: false, block)
  }

  /// The same, but fetches and counts of the block end, too, with `CocoaError.userCancelled`. What faults read
  /// does not: a property cannot throw.
  package func performInterruptibly<T, Failure: Error>(
    _ block: @escaping () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try await perform(.immediate, endsReads: true, block)
  }

  func perform<T, Failure: Error>(
    _ schedule: ScheduledTaskType, endsReads: Bool, _ block: @escaping () throws(Failure) -> T
  ) async throws(Failure) -> T {
    let runsNow = schedule == .immediate && queue.isCurrent
    let outcome: Transferred<Result<T, Failure>> = await Cancellation.withTask { cancellation in
      func result() -> Transferred<Result<T, Failure>> {
        queue.run(for: cancellation, endsReads: endsReads) {
          Transferred(value: Result(catching: block))
        }
      }
      if runsNow { return result() }
      return await withCheckedContinuation { continuation in
        let run = { [self] in
          let result = result()
          endEvent()
          continuation.resume(returning: result)
        }
        if isPlain { return queue.async(run) }
        let work = Transferred(value: run)
        perform { work.value() }
      }
    }
    return try outcome.value.get()
  }

  func performLater(_ block: @escaping () -> Void) {
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
}

/// A value on its way from the queue of a context or coordinator to its caller.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}
