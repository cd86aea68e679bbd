// Types of stores. Apple's values, which stand in files.

/// The type of a store in a SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in an XML file, which is read and written as a whole.
public let NSXMLStoreType = "XML"
/// The type of a store in a binary property list, which is read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// The type of a store that ends with the process.
public let NSInMemoryStoreType = "InMemory"

// Metadata.

/// Metadata: the type of the store.
public let NSStoreTypeKey = "NSStoreType"
/// Metadata: the store's UUID, which object URIs begin with.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Metadata: the version hash of each entity, by its name.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// Metadata: the version identifiers of the model.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// Metadata: the version of Core Data that wrote the store last.
public let NSPersistenceFrameworkVersionKey = "NSPersistenceFrameworkVersion"

// Options.

/// Option: the store is opened for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: how long to wait for another connection's lock, in seconds; 240 without it.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: SQLite pragmas, by name.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: SQLite's statistics are made anew when the store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option: the file is packed when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option: the model's version hashes are not compared with the store's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option: a store of another version of the model is migrated when it is opened.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Option: a migration needs no mapping model of the program's.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Option: a lightweight migration leaves tables and columns that are not needed any more, so that it takes
/// less time; `finishDeferredLightweightMigration()` removes them.
///
/// In a store's metadata: that something was left.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Option: an XML store is checked when it is read. It always is.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// Option: Apple's reads a binary store without its list of classes. It has no effect: no class but those of the
/// model's attributes is ever read.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Option: a store is destroyed even where another process holds a lock on it that does not end.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"

/// Option: what is saved is recorded in the store's persistent history, which
/// `NSPersistentHistoryChangeRequest` reads.
///
/// A store that has a history can be opened without the option for reading only; once all of its
/// history was deleted it can be written without one again.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// Option: how many connections may read a store at the same time; 4 without it.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Option: which SQL statements are logged, a number: 1 each with its time and rows, 2 with the
/// values that are bound, 4 with SQLite's plan. The launch argument `-com.apple.CoreData.SQLDebug`
/// and the environment variable `OPENCOREDATA_SQL_DEBUG` say it for all stores.
///
/// Compared to Apple's Core Data: new; the launch argument is Apple's.
public let sqlDebugStoreOption = "com.apple.CoreData.SQLDebug"
/// Option: how the system protects the store's files.
///
/// Compared to Apple's Core Data: there is no such protection here; the option is ignored, and a log
/// message says so.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

// Keys of `NSPersistentStoreCoordinatorStoresDidChange`.

/// The stores that were added, an array.
public let NSAddedPersistentStoresKey = "added"
/// The stores that were removed, an array.
public let NSRemovedPersistentStoresKey = "removed"
/// The old store, the new one, and the IDs of objects that got other ones, old and new in turn: an
/// array, when a store's objects got another UUID.
public let NSUUIDChangedPersistentStoresKey = "changed"

extension NSNotification.Name {
  /// Posted by a coordinator before its stores change because the user's account does.
  ///
  /// Compared to Apple's Core Data: accounts are a matter of iCloud there, so here nothing posts
  /// it.
  public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification")
  /// Posted by a coordinator when stores were added, removed or moved; the stores are under
  /// `NSAddedPersistentStoresKey`, `NSRemovedPersistentStoresKey` and
  /// `NSUUIDChangedPersistentStoresKey`.
  public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification")
  /// Posted by a store that is about to be removed from its coordinator.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}
