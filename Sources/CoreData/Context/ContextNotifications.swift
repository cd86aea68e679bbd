public import Foundation

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
}

/// A notification's inserted objects, a `Set<NSManagedObject>`.
public let NSInsertedObjectsKey = "inserted"
/// A notification's updated objects, a `Set<NSManagedObject>`.
public let NSUpdatedObjectsKey = "updated"
/// A notification's deleted objects, a `Set<NSManagedObject>`.
public let NSDeletedObjectsKey = "deleted"
/// A notification's refreshed objects, a `Set<NSManagedObject>`.
public let NSRefreshedObjectsKey = "refreshed"
/// The IDs of all objects that a reset let go, an array.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"

extension NSManagedObjectContext {
  /// Posted when changes were processed.
  public static let didChangeObjectsNotification =
    NSNotification.Name.NSManagedObjectContextObjectsDidChange
  /// Posted before a save.
  public static let willSaveObjectsNotification =
    NSNotification.Name.NSManagedObjectContextWillSave
  /// Posted after a save.
  public static let didSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextDidSave
}
