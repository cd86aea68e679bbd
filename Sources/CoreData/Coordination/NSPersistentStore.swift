// Not `nonisolated`, unlike most classes that programs subclass: a subclass of a `nonisolated`
// and `Sendable` class may have no `lazy` property.

/// A collection of objects, usually in a file, that a coordinator opens.
///
/// Programs implement custom stores as subclasses of `NSAtomicStore` and `NSIncrementalStore`. Thread-safe.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var lockedEngine: any StoreEngine
  private weak var coordinator: NSPersistentStoreCoordinator?
  private var lockedURL: URL?
  private var lockedIsReadOnly: Bool
  private var lockedDescription: NSPersistentStoreDescription?
  private let explicitType: String?

  /// The model configuration with the entities of the store; `PF_DEFAULT_CONFIGURATION_NAME` for all entities.
  public let configurationName: String
  /// The options that the store was opened with. Numbers are `NSNumber`s.
  public let options: [AnyHashable: Any]?

  /// Creates a store that is not open yet. The coordinator calls this for registered classes.
  ///
  /// Compared to Apple's Core Data: a required initializer, because Swift requires one to create an object of a class
  /// that is determined at run time.
  public required init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
    configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    let engine = UnopenedStore()
    lockedEngine = engine
    coordinator = root
    configurationName = name ?? NSManagedObjectModel.defaultConfigurationName
    lockedURL = url
    lockedIsReadOnly = StoreOptions(options).isReadOnly
    explicitType = nil
    self.options = BridgedValue.bridgedDictionary(options)
    super.init()
    engine.origin.store = self
  }

  init(
    engine: any StoreEngine, type: String, configurationName: String?, url: URL?,
    options: [AnyHashable: Any]?, coordinator: NSPersistentStoreCoordinator
  ) {
    lockedEngine = engine
    explicitType = type
    self.configurationName = configurationName ?? NSManagedObjectModel.defaultConfigurationName
    lockedURL = url
    self.options = BridgedValue.bridgedDictionary(options)
    // The engine knows whether it is read-only. This value is for custom stores that are not open
    // yet.
    lockedIsReadOnly = false
    self.coordinator = coordinator
    super.init()
    engine.origin.store = self
  }

  /// The description that the store was opened with; nil if it was opened without one.
  var openedDescription: NSPersistentStoreDescription? {
    get { lock.withLock { lockedDescription } }
    set { lock.withLock { lockedDescription = newValue } }
  }

  /// The engine that reads and writes the store.
  var engine: any StoreEngine { lock.withLock { lockedEngine } }

  /// Replaces the engine permanently.
  func use(_ engine: any StoreEngine) {
    lock.withLock { lockedEngine = engine }
    engine.origin.store = self
  }

  /// Returns a new engine for the store, which is being opened. `NSAtomicStore` and `NSIncrementalStore` override this
  /// method, which throws for other classes.
  func makeEngine(model: ModelLayout) throws -> any StoreEngine {
    throw CoreDataError.make(
      NSPersistentStoreInvalidTypeError,
      "\(Swift.type(of: self)) is neither an NSAtomicStore nor an NSIncrementalStore")
  }

  /// The type of the store, such as `NSSQLiteStoreType`.
  open var type: String { explicitType ?? metadata?[NSStoreTypeKey] as? String ?? "" }

  /// The URL of the store's file; nil for a store that was opened without a URL. Change it with the coordinator's
  /// `setURL(_:for:)`, because setting this property alone does not make the store use another file.
  open var url: URL? {
    get { lock.withLock { lockedURL } }
    set { lock.withLock { lockedURL = newValue } }
  }

  /// Whether the store can only be read. If this is set to true while the store is open, batch requests and saves that
  /// would write objects to the store throw an error. A SQLite, XML or binary store that was opened for reading only
  /// stays read-only.
  open var isReadOnly: Bool {
    get { lock.withLock { lockedIsReadOnly } || engine.isReadOnly }
    set { lock.withLock { lockedIsReadOnly = newValue } }
  }

  /// The UUID of the store.
  open var identifier: String! {
    get { engine.origin.identifier }
    set {
      var metadata = self.metadata ?? [:]
      metadata[NSStoreUUIDKey] = newValue
      self.metadata = metadata
    }
  }

  /// The coordinator that opened the store; nil once it is deallocated.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    lock.withLock { coordinator }
  }

  /// The metadata of the store: its type and UUID, the version hashes of the model, and the program's own keys.
  /// Numbers and Boolean values are `NSNumber`s.
  ///
  /// After this property is set, the next save writes it to the store. Keys that the store requires keep their values
  /// if the new dictionary lacks them.
  ///
  /// ```swift
  /// if let store = coordinator.persistentStore(for: url) {
  ///   print(store.metadata[NSStoreTypeKey] as? String ?? "")  // SQLite
  ///   store.metadata["origin"] = "import"
  ///   try context.save()
  /// }
  /// ```
  open var metadata: [String: Any]! {
    get { engine.metadata.mapValues { BridgedValue.bridged($0) ?? $0 } }
    set { engine.stageMetadata(newValue ?? [:]) }
  }

  // MARK: For subclasses

  /// Loads the metadata before the store is opened. A subclass sets `metadata` here, with a UUID under
  /// `NSStoreUUIDKey` and the store's type under `NSStoreTypeKey`, or throws if there is no such store.
  open func loadMetadata() throws {}

  /// Called after the store was opened and added to the coordinator's stores.
  ///
  /// ```swift
  /// final class LogStore: NSAtomicStore, @unchecked Sendable {
  ///   override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
  ///     super.didAdd(to: coordinator)
  ///     print("opened", url?.path ?? "")
  ///   }
  /// }
  /// ```
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store is removed from the coordinator's stores. A subclass closes its file here.
  ///
  /// ```swift
  /// final class LogStore: NSAtomicStore, @unchecked Sendable {
  ///   override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
  ///     print("closing", url?.path ?? "")
  ///     super.willRemove(from: coordinator)
  ///   }
  /// }
  /// ```
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// Returns the metadata of a store that is not open. A subclass that supports this overrides this method.
  ///
  /// - Throws: `NSPersistentStoreOperationError` unless overridden.
  ///
  /// ```swift
  /// final class LogStore: NSAtomicStore, @unchecked Sendable {
  ///   override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
  ///     let uuid = try String(contentsOf: url, encoding: .utf8).prefix(36)
  ///     return [NSStoreTypeKey: "Log", NSStoreUUIDKey: String(uuid)]
  ///   }
  /// }
  /// ```
  open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(self) cannot read the metadata of a store that is not open: \(url.path)")
  }

  /// Replaces the metadata of a store that is not open. A subclass that supports this overrides this method.
  ///
  /// - Throws: `NSPersistentStoreOperationError` unless overridden.
  open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(self) cannot set the metadata of a store that is not open: \(url.path)")
  }

  /// Throws an error if the store can only be read.
  func requireWritable() throws {
    guard isReadOnly else { return }
    throw CoreDataError.readOnly("the store \(url?.path ?? identifier ?? "")", at: url)
  }
}
