extension NSPersistentStoreCoordinator {
  /// Runs a block on the coordinator's own queue, waits for it and gives its result. May be nested.
  ///
  /// It throws what the block throws: a block that throws nothing needs no `try`. It goes through
  /// `performAndWait(_:)` without a result, which a subclass may override.
  ///
  /// - Parameter unused: Nothing: see `NSManagedObjectContext`.
  public func performAndWait<T, Failure: Error>(
    _ block: () throws(Failure) -> T, _ unused: Void = ()
  ) throws(Failure) -> T {
    var result: Result<T, Failure>?
    performAndWait { () -> Void in result = Result(catching: block) }
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

  /// Runs a block on the coordinator's own queue, and gives its result.
  ///
  /// It throws what the block throws: a block that throws nothing needs no `try`. It goes through
  /// `perform(_:)`, which a subclass may override.
  ///
  /// ```swift
  /// let names = await coordinator.perform { coordinator.persistentStores.map(\.type) }
  /// ```
  @preconcurrency
  public func perform<T, Failure: Error>(
    _ block: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    let outcome: Transferred<Result<T, Failure>> = await withCheckedContinuation { continuation in
      perform { () -> Void in
        continuation.resume(returning: Transferred(value: Result(catching: block)))
      }
    }
    return try outcome.value.get()
  }

  func run(_ request: NSPersistentStoreRequest, for context: NSManagedObjectContext) throws -> Any {
    guard context.persistentStoreCoordinator === self else {
      throw CoreDataError.badRequest("the context belongs to another coordinator")
    }
    if let request = request as? any StoreRequestExecutable {
      return try request.coordinatorResult(in: context)
    }
    if let request = request as? NSSaveChangesRequest {
      guard request.isWhole(of: context) else {
        throw CoreDataError.badRequest(
          "a save request for some of a context's changes cannot be executed: the context saves"
            + " them together")
      }
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

/// A fetch request of any type of result.
protocol FetchExecutable: StoreRequestExecutable {
  /// The results, as the context's `fetch(_:)` gives them.
  func results(in context: NSManagedObjectContext) throws -> [Any]
  var resultType: NSFetchRequestResultType { get }
  /// What it asks for, shared with casts of it.
  var state: SharedRequestState { get }
  /// The same request for results of any type, in another form.
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
