public import Foundation

extension NSPersistentStoreCoordinator {
  /// Runs a block on the coordinator's own queue, after what was enqueued before; returns at once.
  public func perform(_ block: @escaping () -> Void) { queue.async(block) }

  /// Runs a block on the coordinator's own queue and waits for it. May be nested.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(block) }

  /// Runs a block on the coordinator's own queue, and gives its result.
  public func perform<T>(_ block: @escaping () throws -> T) async throws -> T {
    let result: PerformedResult<T> = try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { PerformedResult(value: try block()) }) }
    }
    return result.value
  }

  /// Takes the coordinator for the calling thread, until `unlock()`.
  @available(*, deprecated, message: "Use performAndWait")
  public func lock() { exclusion.lock() }

  /// Ends what `lock()` or `tryLock()` began.
  @available(*, deprecated, message: "Use performAndWait")
  public func unlock() { exclusion.unlock() }

  /// Takes the coordinator for the calling thread, unless another one has it.
  @available(*, deprecated, message: "Use performAndWait")
  public func tryLock() -> Bool { exclusion.try() }

  /// Runs a request against the stores, for a context: a fetch or a save.
  ///
  /// Call it on the context's queue. A fetch gives what the context's `fetch(_:)` does, as an array;
  /// a save writes the context's changes, and gives an empty array.
  ///
  /// - Throws: as `fetch(_:)` and `save()`; `NSPersistentStoreUnsupportedRequestTypeError` for other
  ///   requests.
  public func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    guard context.persistentStoreCoordinator === self else {
      throw CoreDataError.badRequest("the context belongs to another coordinator")
    }
    if let request = request as? any FetchExecutable { return try request.results(in: context) }
    if let request = request as? NSSaveChangesRequest {
      guard request.isWhole(of: context) else {
        throw CoreDataError.badRequest(
          "a save request for some of a context's changes cannot be executed: the context saves"
            + " them together")
      }
      try context.save()
      return [Any]()
    }
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "a coordinator cannot execute a \(Swift.type(of: request))")
  }
}

/// A value on its way from the coordinator's queue to whoever waits for it.
private struct PerformedResult<Value>: @unchecked Sendable {
  let value: Value
}

/// A fetch request of any type of result.
protocol FetchExecutable: NSPersistentStoreRequest {
  /// The results, as the context's `fetch(_:)` gives them.
  func results(in context: NSManagedObjectContext) throws -> [Any]
  /// The results as the result of a request that is complete.
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
  /// The same request for results of any type, in another form.
  func converted(to type: NSFetchRequestResultType) -> NSFetchRequest<any NSFetchRequestResult>
}

extension NSFetchRequest: FetchExecutable {
  func results(in context: NSManagedObjectContext) throws -> [Any] { try context.fetch(self) }

  func converted(to type: NSFetchRequestResultType) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    copyState(to: request)
    request.resultType = type
    return request
  }
}
