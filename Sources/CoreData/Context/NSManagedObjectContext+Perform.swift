extension NSManagedObjectContext {
  /// When an asynchronous `perform` runs its block.
  ///
  /// ```swift
  /// await context.perform(schedule: .enqueued) {
  ///   print("after the work that is already queued")
  /// }
  /// ```
  public enum ScheduledTaskType: Sendable {
    /// Immediately if the caller is on the context's queue already; otherwise like `enqueued`.
    case immediate
    /// After the blocks that were enqueued earlier.
    case enqueued
  }

  /// Whether the context's class is `NSManagedObjectContext` itself, so that no subclass overrides its
  /// methods.
  @inline(__always)
  final var isPlain: Bool { type(of: self) == NSManagedObjectContext.self }

  /// Runs a block on the context's queue, waits for it, and returns its result.
  ///
  /// Rethrows the block's error. If the block does not throw, the call needs no `try`. In a subclass, calls the
  /// `performAndWait(_:)` whose block returns nothing, which the subclass may override.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - unused: Not used. Packages written before Apple's Core Data returned results declare this function themselves.
  ///     The compiler prefers such a declaration, because it has one parameter fewer.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// let count = try background.performAndWait {
  ///   try background.count(for: Person.fetchRequest())
  /// }
  /// ```
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

  /// Runs a block on the context's queue, waits for it, and returns its result. This overload is for programs that use
  /// the method as a function value.
  @_disfavoredOverload
  public func performAndWait<T, Failure: Error>(
    _ block: () throws(Failure) -> T
  ) throws(Failure) -> T {
    try performAndWait(block, ())
  }

  /// Runs a block on the context's queue, and returns its result.
  ///
  /// Pending changes are processed when the block ends, unless it runs immediately. Rethrows the block's error. If the
  /// block does not throw, the call needs no `try`. In a subclass, calls `perform(_:)`, which the subclass may
  /// override, unless the block runs immediately.
  ///
  /// If the task is cancelled before or during a batch request or history request of the block, the request throws
  /// `CocoaError.userCancelled` and leaves the store as it was. Fetches and saves of the block are not cancelled.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// let names = try await background.perform {
  ///   try background.fetch(Person.fetchRequest()).map(\.lastName)
  /// }
  /// ```
  @preconcurrency
  public nonisolated func perform<T, Failure: Error>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try await perform(schedule, endsReads: false, block)
  }

  /// Runs a block like `perform(schedule:_:)`, but if the task is cancelled, fetches and counts of the block also throw
  /// `CocoaError.userCancelled`. Faults are still filled, because a property cannot throw.
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
          // The event ends before the caller resumes, so that the block's changes are already
          // processed when the caller continues.
          endEvent()
          continuation.resume(returning: result)
        }
        if isPlain { return queue.async(run) }
        // `perform(_:)` requires a `@Sendable` block, which the caller's block need not be.
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

  /// Ends the current event for observers and for undo.
  private func endEvent() {
    processPendingChanges()
    undoManager?.endEvent()
  }
}

/// Carries a value from the queue of a context or coordinator to its caller.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}
