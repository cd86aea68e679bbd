public import Foundation

/// The type of a store in a SQLite file.
public let NSSQLiteStoreType = "SQLite"

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

/// Option: the store is opened for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: how long to wait for another connection's lock, in seconds; 240 without it.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: SQLite pragmas, by name.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: the model's version hashes are not compared with the store's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"

/// A file (or whatever else) that keeps objects, opened by a coordinator.
///
/// Thread-safe.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  let engine: any StoreEngine
  private let lock = NSLock()
  private weak var coordinator: NSPersistentStoreCoordinator?

  /// The kind of store, such as `NSSQLiteStoreType`.
  public let type: String
  /// The model's configuration whose entities the store keeps; `PF_DEFAULT_CONFIGURATION_NAME`
  /// for all of them.
  public let configurationName: String
  /// The options that the store was opened with.
  public let options: [AnyHashable: Any]?
  /// The file.
  public let url: URL?
  /// Whether the store can be read only.
  public let isReadOnly: Bool

  init(
    engine: any StoreEngine, type: String, configurationName: String?, url: URL?,
    options: [AnyHashable: Any]?, coordinator: NSPersistentStoreCoordinator
  ) {
    self.engine = engine
    self.type = type
    self.configurationName = configurationName ?? "PF_DEFAULT_CONFIGURATION_NAME"
    self.url = url
    self.options = options
    self.isReadOnly = engine.isReadOnly
    self.coordinator = coordinator
    super.init()
    engine.origin.store = self
  }

  /// The store's UUID.
  open var identifier: String { engine.origin.identifier }

  /// The coordinator that opened the store.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    lock.withLock { coordinator }
  }

  /// What the store says of itself: its type and UUID, the model's version hashes, and the
  /// program's own keys.
  open var metadata: [String: Any] { engine.metadata }
}
