// The names of Core Data's synchronisation with iCloud before 2016, which Apple's headers still have
// so that old sources compile. There is no iCloud here: the options may be given and do nothing, and
// nobody posts the notification.

/// Option of iCloud: the store's name there. Does nothing here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"

/// Option of iCloud: the place of the store's logs. Does nothing here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"

/// Option of iCloud: a text that tells the programs of one device apart. Does nothing here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"

/// Option of iCloud: what it wrote into a store is left out of a copy. Does nothing here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreRemoveUbiquitousMetadataOption =
  "NSPersistentStoreRemoveUbiquitousMetadataOption"

/// Option of iCloud: the identifier of a container. Does nothing here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousContainerIdentifierKey =
  "NSPersistentStoreUbiquitousContainerIdentifierKey"

/// Option of iCloud: the store is made anew from what is there. Does nothing here.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreRebuildFromUbiquitousContentOption =
  "NSPersistentStoreRebuildFromUbiquitousContentOption"

/// Why stores change, in notifications of coordinators: a number of
/// `NSPersistentStoreUbiquitousTransitionType`. No notification here has it.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public let NSPersistentStoreUbiquitousTransitionTypeKey =
  "NSPersistentStoreUbiquitousTransitionTypeKey"

/// What happened to an account of iCloud.
@available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Sendable {
  /// There is an account now.
  case accountAdded = 1
  /// There is none any more.
  case accountRemoved
  /// The user deleted what was in it.
  case contentRemoved
  /// All that was in it has arrived.
  case initialImportCompleted
}

extension NSNotification.Name {
  /// Posted after changes arrived from iCloud. Nobody posts it here.
  @available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
  public static let NSPersistentStoreDidImportUbiquitousContentChanges = NSNotification.Name(
    "NSPersistentStoreDidImportUbiquitousContentChangesNotification")
}

extension NSPersistentStoreCoordinator {
  /// Destroys a SQLite store, as `destroyPersistentStore(at:ofType:options:)`.
  ///
  /// Compared to Apple's Core Data: there is nothing of it in iCloud that could be deleted too.
  @available(*, deprecated, message: "Please see the release notes and Core Data documentation.")
  public class func removeUbiquitousContentAndPersistentStore(
    at storeURL: URL, options: [AnyHashable: Any]? = nil
  ) throws {
    try StoreKind.sqlite.destroy(storeURL.resolvingSymlinksInPath(), StoreOptions(options))
  }
}
