/// A save, as a store receives it: the objects to insert, update and delete, and those that no other context or
/// process must have changed.
nonisolated open class NSSaveChangesRequest: NSPersistentStoreRequest {
  /// The new objects; nil for all new objects of the context.
  open private(set) var insertedObjects: Set<NSManagedObject>?
  /// The changed objects; nil for all changed objects of the context.
  open private(set) var updatedObjects: Set<NSManagedObject>?
  /// The objects to delete; nil for all deleted objects of the context.
  open private(set) var deletedObjects: Set<NSManagedObject>?
  /// The unchanged objects whose versions the store must check.
  open private(set) var lockedObjects: Set<NSManagedObject>?

  /// Creates a request; nil for all such objects of the context.
  public init(
    inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
    deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
  ) {
    self.insertedObjects = insertedObjects
    self.updatedObjects = updatedObjects
    self.deletedObjects = deletedObjects
    self.lockedObjects = lockedObjects
    super.init()
  }

  /// Creates a request for all changes of a context.
  public override init() { super.init() }

  open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

  /// Returns whether the request is for all changes of a context.
  func isWhole(of context: NSManagedObjectContext) -> Bool {
    (insertedObjects ?? context.insertedObjects) == context.insertedObjects
      && (updatedObjects ?? context.updatedObjects) == context.updatedObjects
      && (deletedObjects ?? context.deletedObjects) == context.deletedObjects
  }
}
