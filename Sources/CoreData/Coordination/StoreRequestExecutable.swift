/// A request that does its own work, so that a context and a coordinator execute it without knowing
/// what it is.
protocol StoreRequestExecutable: NSPersistentStoreRequest {
  /// What `NSManagedObjectContext.execute(_:)` gives; called on the context's queue.
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
  /// What `NSPersistentStoreCoordinator.execute(_:with:)` gives, for a context of that coordinator.
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any
}

extension StoreRequestExecutable {
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    try result(in: context)
  }
}
