/// A save, as a store receives it: the objects to insert, update and delete, and the locked
/// objects, which the save requires to be unchanged by other contexts and processes.
///
/// ```swift
/// func log(_ save: NSSaveChangesRequest) {
///   for object in save.insertedObjects ?? [] { print("insert", object.objectID) }
///   for object in save.updatedObjects ?? [] { print("update", object.changedValues().keys.sorted()) }
///   for object in save.deletedObjects ?? [] { print("delete", object.objectID) }
/// }
/// ```
nonisolated open class NSSaveChangesRequest: NSPersistentStoreRequest {
  /// The new objects; nil for all new objects of the context.
  open private(set) var insertedObjects: Set<NSManagedObject>?
  /// The changed objects; nil for all changed objects of the context.
  open private(set) var updatedObjects: Set<NSManagedObject>?
  /// The objects to delete; nil for all deleted objects of the context.
  open private(set) var deletedObjects: Set<NSManagedObject>?
  /// The unchanged objects whose versions the store must check.
  open private(set) var lockedObjects: Set<NSManagedObject>?

  /// Creates a request. Nil instead of a set stands for all inserted, updated or deleted objects of the context.
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

  /// Returns whether the request includes all changes of a context.
  func includesAllChanges(of context: NSManagedObjectContext) -> Bool {
    (insertedObjects ?? context.insertedObjects) == context.insertedObjects
      && (updatedObjects ?? context.updatedObjects) == context.updatedObjects
      && (deletedObjects ?? context.deletedObjects) == context.deletedObjects
  }
}
