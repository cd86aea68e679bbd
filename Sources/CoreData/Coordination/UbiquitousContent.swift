// The names of Core Data's iCloud synchronization before 2016, which Apple's headers still declare so that old
// sources compile. There is no iCloud here: the options have no effect, and the notification is never posted.

/// iCloud option: the name of the store. No effect here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"

/// iCloud option: the location of the store's logs. No effect here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"

/// iCloud option: a string that distinguishes the programs of one device. No effect here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"

/// iCloud option: omits iCloud metadata from a copy of the store. No effect here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreRemoveUbiquitousMetadataOption =
  "NSPersistentStoreRemoveUbiquitousMetadataOption"

/// iCloud option: the identifier of a container. No effect here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousContainerIdentifierKey =
  "NSPersistentStoreUbiquitousContainerIdentifierKey"

/// iCloud option: rebuilds the store from the content in iCloud. No effect here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreRebuildFromUbiquitousContentOption =
  "NSPersistentStoreRebuildFromUbiquitousContentOption"

/// The key, in notifications of coordinators, of the reason why stores change: an `NSNumber` with the raw value of an
/// `NSPersistentStoreUbiquitousTransitionType`. No notification here contains it.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousTransitionTypeKey =
  "NSPersistentStoreUbiquitousTransitionTypeKey"

/// A change to an iCloud account.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Sendable {
  /// An account was added.
  case accountAdded = 1
  /// The account was removed.
  case accountRemoved
  /// The user deleted the content of the account.
  case contentRemoved
  /// The content of the account was imported for the first time.
  case initialImportCompleted
}

extension NSNotification.Name {
  /// Posted after changes were imported from iCloud. Never posted here.
  @available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
  public static let NSPersistentStoreDidImportUbiquitousContentChanges = NSNotification.Name(
    "NSPersistentStoreDidImportUbiquitousContentChangesNotification")
}

extension NSPersistentStoreCoordinator {
  /// Empties a SQLite store, as `destroyPersistentStore(at:ofType:options:)` does. Does not close the store if it
  /// is open.
  ///
  /// Compared to Apple's Core Data: no content in iCloud is deleted.
  ///
  /// - Throws: If the store cannot be destroyed.
  @available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
  public class func removeUbiquitousContentAndPersistentStore(
    at storeURL: URL, options: [AnyHashable: Any]? = nil
  ) throws {
    try StoreKind.sqlite.destroy(storeURL, StoreOptions(options))
  }
}
