/// A file (or whatever else) that keeps objects, opened by a coordinator.
///
/// Programs make stores of their own as subclasses of `NSAtomicStore` and `NSIncrementalStore`.
/// Thread-safe.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var lockedEngine: any StoreEngine
  private weak var coordinator: NSPersistentStoreCoordinator?
  private var lockedURL: URL?
  private var lockedIsReadOnly: Bool
  private let explicitType: String?

  /// The model's configuration whose entities the store keeps; `PF_DEFAULT_CONFIGURATION_NAME`
  /// for all of them.
  public let configurationName: String
  /// The options that the store was opened with. Numbers are `NSNumber`s.
  public let options: [AnyHashable: Any]?

  /// Makes a store that is not open yet; the coordinator calls this for registered classes.
  ///
  /// Compared to Apple's Core Data: a required initialiser, because Swift makes objects of a class
  /// that is known at run time only through one.
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
    lockedIsReadOnly = false
    self.coordinator = coordinator
    super.init()
    engine.origin.store = self
  }

  /// The work behind the store.
  var engine: any StoreEngine { lock.withLock { lockedEngine } }

  /// Goes over to another engine, for good.
  func use(_ engine: any StoreEngine) {
    lock.withLock { lockedEngine = engine }
    engine.origin.store = self
  }

  /// Makes the engine of an opened store: the part of opening that a kind of store does itself.
  func makeEngine(model: ModelLayout) throws -> any StoreEngine {
    throw CoreDataError.make(
      NSPersistentStoreInvalidTypeError,
      "\(Swift.type(of: self)) is neither an NSAtomicStore nor an NSIncrementalStore")
  }

  /// The kind of store, such as `NSSQLiteStoreType`.
  open var type: String { explicitType ?? metadata?[NSStoreTypeKey] as? String ?? "" }

  /// The file.
  open var url: URL? {
    get { lock.withLock { lockedURL } }
    set { lock.withLock { lockedURL = newValue } }
  }

  /// Whether the store can be read only. Set it before the store is added to a coordinator.
  open var isReadOnly: Bool {
    get { lock.withLock { lockedIsReadOnly } || engine.isReadOnly }
    set { lock.withLock { lockedIsReadOnly = newValue } }
  }

  /// The store's UUID.
  open var identifier: String! {
    get { engine.origin.identifier }
    set {
      var metadata = self.metadata ?? [:]
      metadata[NSStoreUUIDKey] = newValue
      self.metadata = metadata
    }
  }

  /// The coordinator that opened the store.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    lock.withLock { coordinator }
  }

  /// What the store says of itself: its type and UUID, the model's version hashes, and the
  /// program's own keys. Numbers and truth values are `NSNumber`s.
  ///
  /// What is set is written by the next save; the keys that the store cannot be without stay when
  /// the new dictionary has none.
  open var metadata: [String: Any]! {
    get { engine.metadata.mapValues { BridgedValue.bridged($0) ?? $0 } }
    set { engine.stageMetadata(newValue ?? [:]) }
  }

  // MARK: For subclasses

  /// Reads the metadata, before the store is opened: a subclass sets `metadata`, with a UUID under
  /// `NSStoreUUIDKey` and its type under `NSStoreTypeKey`, or throws when there is no such store.
  open func loadMetadata() throws {}

  /// Called when the store is open and in the coordinator's list.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store leaves the coordinator's list; a subclass lets go of its file here.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// The metadata of a store that is not open. A subclass that can be asked overrides this.
  open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(self) does not say the metadata of a store that is not open: \(url.path)")
  }

  /// Replaces the metadata of a store that is not open. A subclass that can do that overrides this.
  open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(self) does not change the metadata of a store that is not open: \(url.path)")
  }

  /// Throws for a store that can be read only.
  func requireWritable() throws {
    guard isReadOnly else { return }
    throw CoreDataError.readOnly("the store \(url?.path ?? identifier ?? "")", at: url)
  }
}
