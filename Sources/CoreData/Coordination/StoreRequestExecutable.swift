/// A request that executes itself, so that contexts and coordinators need not know its type.
protocol StoreRequestExecutable: NSPersistentStoreRequest {
  /// Returns the result of `NSManagedObjectContext.execute(_:)`. Called on the context's queue.
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
  /// Returns the result of `NSPersistentStoreCoordinator.execute(_:with:)`, for a context of that coordinator.
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any
}

extension StoreRequestExecutable {
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    try result(in: context)
  }
}
