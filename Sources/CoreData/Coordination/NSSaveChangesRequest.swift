/// What a save asks of a store: the objects to insert, update, delete, and those that must not have
/// been changed by others.
nonisolated open class NSSaveChangesRequest: NSPersistentStoreRequest {
  /// The objects that are new; nil means all of the context.
  open private(set) var insertedObjects: Set<NSManagedObject>?
  /// The objects that were changed; nil means all of the context.
  open private(set) var updatedObjects: Set<NSManagedObject>?
  /// The objects to remove; nil means all of the context.
  open private(set) var deletedObjects: Set<NSManagedObject>?
  /// The objects whose version the store has to check although they are not changed.
  open private(set) var lockedObjects: Set<NSManagedObject>?

  /// Makes a request; nil stands for all such objects of the context.
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

  /// Makes a request for all changes of a context.
  public override init() { super.init() }

  open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

  /// Whether the request is for all changes of a context.
  func isWhole(of context: NSManagedObjectContext) -> Bool {
    (insertedObjects ?? context.insertedObjects) == context.insertedObjects
      && (updatedObjects ?? context.updatedObjects) == context.updatedObjects
      && (deletedObjects ?? context.deletedObjects) == context.deletedObjects
  }
}
