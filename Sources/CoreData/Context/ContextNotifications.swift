extension NSNotification.Name {
  // The raw names are those of Apple's Core Data, which differ from the names of the constants.
  /// Posted after a context processed changes. `userInfo` contains the objects under `NSInsertedObjectsKey` etc., and
  /// after a reset the IDs under `NSInvalidatedAllObjectsKey`.
  ///
  /// ```swift
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
  /// ) { change in
  ///   let updated = change.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
  ///   print(updated.count)
  /// }
  /// person.age = 37
  /// context.processPendingChanges()
  /// ```
  public static let NSManagedObjectContextObjectsDidChange = NSNotification.Name(
    "NSObjectsChangedInManagingContextNotification")
  /// Posted before a save.
  public static let NSManagedObjectContextWillSave = NSNotification.Name(
    "NSManagingContextWillSaveChangesNotification")
  /// Posted after a save. `userInfo` contains the objects under `NSInsertedObjectsKey` etc.
  public static let NSManagedObjectContextDidSave = NSNotification.Name(
    "NSManagingContextDidSaveChangesNotification")
  /// Posted after a save. `userInfo` contains the object IDs, which any thread may use, under `NSInsertedObjectIDsKey`
  /// etc.
  ///
  /// ```swift
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: .NSManagedObjectContextDidSaveObjectIDs, object: context, queue: nil
  /// ) { save in
  ///   let inserted = save.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> ?? []
  ///   print(inserted.count)
  /// }
  /// Person(context: context).lastName = "Babbage"
  /// try context.save()
  /// ```
  public static let NSManagedObjectContextDidSaveObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")
  /// Posted after a context merged changes that other contexts or processes saved. `userInfo` contains the object IDs.
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
/// Exists for source compatibility: no notification contains it. A reset posts `NSInvalidatedAllObjectsKey`.
public let NSInvalidatedObjectsKey = "invalidated"
/// An array of the IDs of all objects that a reset invalidated.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"

/// The IDs of a notification's inserted objects, a `Set<NSManagedObjectID>`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The IDs of a notification's updated objects, a `Set<NSManagedObjectID>`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The IDs of a notification's deleted objects, a `Set<NSManagedObjectID>`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The IDs of a notification's refreshed objects, a `Set<NSManagedObjectID>`.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// Exists for source compatibility: no notification contains it. A reset posts `NSInvalidatedAllObjectsKey`.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

/// The state of the stores, an `NSQueryGenerationToken`, that a pinned context reads after its save.
public let NSManagedObjectContextQueryGenerationKey = "NSManagedObjectContextQueryGenerationKey"

extension NSManagedObjectContext {
  /// Posted after a context processed changes.
  ///
  /// ```swift
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: NSManagedObjectContext.didChangeObjectsNotification, object: context, queue: nil
  /// ) { change in
  ///   let inserted = change.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
  ///   print(inserted?.count ?? 0, "new objects")
  /// }
  /// ```
  public static let didChangeObjectsNotification =
    NSNotification.Name.NSManagedObjectContextObjectsDidChange
  /// Posted before a save.
  public static let willSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextWillSave
  /// Posted after a save.
  public static let didSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextDidSave
  /// Posted after a save, with object IDs.
  public static let didSaveObjectIDsNotification =
    NSNotification.Name.NSManagedObjectContextDidSaveObjectIDs
  /// Posted after a context merged changes that other contexts or processes saved, with object IDs.
  ///
  /// ```swift
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: context, queue: nil
  /// ) { merge in
  ///   let updated = merge.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID>
  ///   print(updated?.count ?? 0, "objects were changed by other contexts")
  /// }
  /// ```
  public static let didMergeChangesObjectIDsNotification =
    NSNotification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

  /// The keys of these notifications' user info.
  ///
  /// ```swift
  /// func insertedIDs(_ save: Notification) -> Set<NSManagedObjectID> {
  ///   let key = NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
  ///   return save.userInfo?[key] as? Set<NSManagedObjectID> ?? []
  /// }
  /// ```
  public enum NotificationKey: String, Sendable {
    /// The context that was saved.
    case sourceContext = "managedObjectContext"
    /// The state of the stores, an `NSQueryGenerationToken`, that a pinned context reads after its save.
    case queryGeneration = "NSManagedObjectContextQueryGenerationKey"
    /// An array of the IDs of all objects that a reset invalidated.
    case invalidatedAllObjects = "invalidatedAll"
    /// The inserted objects.
    case insertedObjects = "inserted"
    /// The updated objects.
    case updatedObjects = "updated"
    /// The deleted objects.
    case deletedObjects = "deleted"
    /// The refreshed objects.
    case refreshedObjects = "refreshed"
    /// Exists for source compatibility: no notification contains it.
    case invalidatedObjects = "invalidated"
    /// The IDs of the inserted objects.
    case insertedObjectIDs = "inserted_objectIDs"
    /// The IDs of the updated objects.
    case updatedObjectIDs = "updated_objectIDs"
    /// The IDs of the deleted objects.
    case deletedObjectIDs = "deleted_objectIDs"
    /// The IDs of the refreshed objects.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// Exists for source compatibility: no notification contains it.
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }
}
