extension NSNotification.Name {
  /// Posted when changes were processed; the objects are under `NSInsertedObjectsKey` and so on.
  public static let NSManagedObjectContextObjectsDidChange = NSNotification.Name(
    "NSObjectsChangedInManagingContextNotification")
  /// Posted before a save.
  public static let NSManagedObjectContextWillSave = NSNotification.Name(
    "NSManagingContextWillSaveChangesNotification")
  /// Posted after a save; the objects are under `NSInsertedObjectsKey` and so on.
  public static let NSManagedObjectContextDidSave = NSNotification.Name(
    "NSManagingContextDidSaveChangesNotification")
  /// Posted after a save, with IDs, which may be used on any thread: under
  /// `NSInsertedObjectIDsKey` and so on.
  public static let NSManagedObjectContextDidSaveObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")
  /// Posted after another context's save was merged, with the IDs.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

/// A notification's inserted objects, a `Set<NSManagedObject>`.
public let NSInsertedObjectsKey = "inserted"
/// A notification's updated objects, a `Set<NSManagedObject>`.
public let NSUpdatedObjectsKey = "updated"
/// A notification's deleted objects, a `Set<NSManagedObject>`.
public let NSDeletedObjectsKey = "deleted"
/// A notification's refreshed objects, a `Set<NSManagedObject>`.
public let NSRefreshedObjectsKey = "refreshed"
/// A notification's objects that were let go, a `Set<NSManagedObject>`.
public let NSInvalidatedObjectsKey = "invalidated"
/// The IDs of all objects that a reset let go, an array.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"

/// A notification's inserted objects, a `Set<NSManagedObjectID>`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// A notification's updated objects, a `Set<NSManagedObjectID>`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// A notification's deleted objects, a `Set<NSManagedObjectID>`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// A notification's refreshed objects, a `Set<NSManagedObjectID>`.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// A notification's objects that were let go, a `Set<NSManagedObjectID>`.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

/// The generation of the store that a save of a pinned context led to.
public let NSManagedObjectContextQueryGenerationKey = "NSManagedObjectContextQueryGenerationKey"

extension NSManagedObjectContext {
  /// Posted when changes were processed.
  public static let didChangeObjectsNotification =
    NSNotification.Name.NSManagedObjectContextObjectsDidChange
  /// Posted before a save.
  public static let willSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextWillSave
  /// Posted after a save.
  public static let didSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextDidSave
  /// Posted after a save, with IDs.
  public static let didSaveObjectIDsNotification =
    NSNotification.Name.NSManagedObjectContextDidSaveObjectIDs
  /// Posted after another context's save was merged, with IDs.
  public static let didMergeChangesObjectIDsNotification =
    NSNotification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

  /// The keys of these notifications' user info.
  public enum NotificationKey: String, Sendable {
    /// The context that was saved.
    case sourceContext = "managedObjectContext"
    /// The generation of the store, of a pinned context's save.
    case queryGeneration = "NSManagedObjectContextQueryGenerationKey"
    /// The IDs of all objects that a reset let go, an array.
    case invalidatedAllObjects = "invalidatedAll"
    /// The inserted objects.
    case insertedObjects = "inserted"
    /// The updated objects.
    case updatedObjects = "updated"
    /// The deleted objects.
    case deletedObjects = "deleted"
    /// The refreshed objects.
    case refreshedObjects = "refreshed"
    /// The objects that were let go.
    case invalidatedObjects = "invalidated"
    /// The IDs of the inserted objects.
    case insertedObjectIDs = "inserted_objectIDs"
    /// The IDs of the updated objects.
    case updatedObjectIDs = "updated_objectIDs"
    /// The IDs of the deleted objects.
    case deletedObjectIDs = "deleted_objectIDs"
    /// The IDs of the refreshed objects.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// The IDs of the objects that were let go.
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }
}
