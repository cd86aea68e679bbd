// Types of stores. The values are Apple's, because files contain them.

/// The type of a store in a SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in an XML file, which is read and written as a whole.
public let NSXMLStoreType = "XML"
/// The type of a store in a binary property list, which is read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// The type of a store in memory. Its content is lost when the store is removed from its coordinator, or the process
/// ends.
public let NSInMemoryStoreType = "InMemory"

// Metadata.

/// Metadata: the type of the store.
public let NSStoreTypeKey = "NSStoreType"
/// Metadata: the UUID of the store, which the URIs of its objects contain.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Metadata: the version hashes of entities by name.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// Metadata: the version identifiers of the model.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// Metadata: the version of Core Data that wrote the store. This library writes 1414 when it creates or migrates a
/// store.
public let NSPersistenceFrameworkVersionKey = "NSPersistenceFrameworkVersion"

// Options.

/// Option: opens the store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: the time in seconds to wait until another connection releases its lock. The default is 240.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: SQLite pragmas by name.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: updates SQLite's statistics when the store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option: vacuums the file when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option: opens the store without comparing the model's version hashes with the store's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option: migrates a store of another model version when the store is opened.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Option: infers a mapping model for a migration if the program contains none.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Option: makes a lightweight migration faster by not removing tables and columns that are no longer needed.
/// `finishDeferredLightweightMigration()` removes them.
///
/// In a store's metadata, this key means that the store still contains such tables or columns.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Option: validates an XML store when it is read. The option has no effect here: XML stores are always validated.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// Option: Apple's Core Data reads a binary store without a list of allowed classes. Here it has no effect: only the
/// classes of the model's attributes are ever decoded.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Option: destroys a store even if another connection locks its file for too long, or if the file has other names
/// (hard links) or a journal that refers to another file.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"

/// Option: records saves in the store's persistent history, which `NSPersistentHistoryChangeRequest` reads.
///
/// Without this option, a store with history can only be opened for reading. After its whole history has been deleted,
/// the store can be written without the option again.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// Option: the maximum number of connections that read a store concurrently. The default is 4.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Option: the log level of SQL statements, a number: 1 logs each statement with its duration and its number of rows, 2
/// also the values of parameters, 4 also SQLite's plan. The launch argument `-com.apple.CoreData.SQLDebug` or, without
/// it, the environment variable `OPENCOREDATA_SQL_DEBUG` sets the level for all stores without this option.
///
/// Compared to Apple's Core Data: the option is new; the launch argument is Apple's.
public let sqlDebugStoreOption = "com.apple.CoreData.SQLDebug"
/// Option: the protection of the store's files by the system.
///
/// Compared to Apple's Core Data: there is no such protection here. The option is ignored, and a message is logged.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

// Keys of `NSPersistentStoreCoordinatorStoresDidChange`.

/// The added stores, an array.
public let NSAddedPersistentStoresKey = "added"
/// The removed stores, an array.
public let NSRemovedPersistentStoresKey = "removed"
/// The old store, the new store, and an array of old and new object IDs, alternating. Present if
/// the objects of a store were moved to a store with another UUID.
public let NSUUIDChangedPersistentStoresKey = "changed"

extension NSNotification.Name {
  /// Posted by a coordinator before its stores change because the user's account changes.
  ///
  /// Compared to Apple's Core Data: the accounts are iCloud accounts, so the notification is never posted here.
  public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification")
  /// Posted by a coordinator after stores were added, removed or moved. The stores are under
  /// `NSAddedPersistentStoresKey`, `NSRemovedPersistentStoresKey` and `NSUUIDChangedPersistentStoresKey`.
  public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification")
  /// Posted by a store that is about to be removed from its coordinator.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}
