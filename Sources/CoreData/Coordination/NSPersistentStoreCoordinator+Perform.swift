extension NSPersistentStoreCoordinator {
  /// Runs a block on the coordinator's queue, waits for it and returns its result. Calls can be nested.
  ///
  /// Rethrows the block's error. If the block does not throw, the call needs no `try`. Calls the
  /// `performAndWait(_:)` whose block returns nothing, which a subclass may override.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - unused: Not used; see the same method of `NSManagedObjectContext`.
  ///
  /// ```swift
  /// let files = coordinator.performAndWait { coordinator.persistentStores.compactMap(\.url) }
  /// ```
  public func performAndWait<T, Failure: Error>(
    _ block: () throws(Failure) -> T, _ unused: Void = ()
  ) throws(Failure) -> T {
    var result: Result<T, Failure>?
    // The closure's type selects the method that a subclass can override. Otherwise this method
    // would call itself.
    performAndWait { () -> Void in result = Result(catching: block) }
    // The method called above is open, so an override may not have run the block.
    guard let result else {
      stopProgram("\(Swift.type(of: self)).performAndWait(_:) did not run its block")
    }
    return try result.get()
  }

  /// Runs a block on the coordinator's queue, waits for it and returns its result. This overload is for programs that
  /// pass the method as a function.
  @_disfavoredOverload
  public func performAndWait<T, Failure: Error>(
    _ block: () throws(Failure) -> T
  ) throws(Failure) -> T {
    try performAndWait(block, ())
  }

  /// Runs a block on the coordinator's queue and returns its result.
  ///
  /// Rethrows the error of the block. A call whose block does not throw needs no `try`. Calls `perform(_:)`, which a
  /// subclass may override.
  ///
  /// ```swift
  /// let names = await coordinator.perform { coordinator.persistentStores.map(\.type) }
  /// ```
  @preconcurrency
  public func perform<T, Failure: Error>(
    _ block: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    // Carries a result that need not be `Sendable` to the waiting task.
    let outcome: Transferred<Result<T, Failure>> = await withCheckedContinuation { continuation in
      perform { () -> Void in
        continuation.resume(returning: Transferred(value: Result(catching: block)))
      }
    }
    return try outcome.value.get()
  }

  func run(_ request: NSPersistentStoreRequest, for context: NSManagedObjectContext) throws -> Any {
    guard context.persistentStoreCoordinator === self else {
      throw CoreDataError.badRequest("the context does not belong to this coordinator")
    }
    if let request = request as? any StoreRequestExecutable {
      return try request.coordinatorResult(in: context)
    }
    if let request = request as? NSSaveChangesRequest {
      guard request.includesAllChanges(of: context) else {
        throw CoreDataError.badRequest(
          "a save request for only some of a context's changes cannot be executed: the context saves"
            + " all of them together")
      }
      let locked = request.lockedObjects ?? []
      for object in locked {
        if let error = context.foreignObjectError(object, "detect conflicts of") { throw error }
      }
      for object in locked { context.detectConflicts(for: object) }
      try context.save()
      return [Any]()
    }
    throw Self.cannotExecute(request)
  }

  static func cannotExecute(_ request: NSPersistentStoreRequest) -> NSError {
    CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "a coordinator cannot execute a \(Swift.type(of: request))")
  }
}

/// A fetch request of any result type.
protocol FetchExecutable: StoreRequestExecutable {
  /// Returns the results, as the context's `fetch(_:)` does.
  func results(in context: NSManagedObjectContext) throws -> [Any]
  var resultType: NSFetchRequestResultType { get }
  /// The properties of the request, which a request cast to another result type shares.
  var state: SharedRequestState { get }
  /// Returns a copy of the request with another result type.
  func converted(to type: NSFetchRequestResultType) -> NSFetchRequest<any NSFetchRequestResult>
}

extension NSFetchRequest: FetchExecutable {
  func results(in context: NSManagedObjectContext) throws -> [Any] { try context.fetch(self) }

  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    try results(in: context)
  }

  func converted(to type: NSFetchRequestResultType) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    copyState(to: request)
    request.resultType = type
    return request
  }
}
