extension NSPersistentStoreCoordinator {
  /// Opens a store, migrates it if necessary, and adds it to the coordinator's stores.
  func openAndAdd(
    _ storeType: String, _ configuration: String?, _ storeURL: URL?, _ options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    let store = try openMigrated(storeType, configuration, storeURL, options)
    try requireNewIdentifier(of: store)
    add(store)
    return store
  }

  /// Closes a store that was opened to be added and throws an error, if one of the coordinator's stores has the same
  /// UUID.
  func requireNewIdentifier(of store: NSPersistentStore) throws {
    // If two stores had the same UUID, an ID could not identify its store.
    guard persistentStores.contains(where: { $0.identifier == store.identifier }) else { return }
    try store.engine.close()
    throw CoreDataError.make(
      NSPersistentStoreOpenError,
      "Can't add the same store twice: \(url(for: store).path) has the UUID"
        + " \(store.identifier ?? "") of an open store", at: url(for: store).path)
  }

  /// Opens a store, creating it if the file does not exist; see
  /// `addPersistentStore(ofType:configurationName:at:options:)`.
  ///
  /// ```swift
  /// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  /// let file = url.deletingLastPathComponent().appendingPathComponent("Notes.sqlite")
  /// let store = try coordinator.addPersistentStore(
  ///   type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
  /// ```
  @discardableResult
  public func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  func openAndAdd(
    _ description: NSPersistentStoreDescription,
    _ block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    // Apple's signature does not require a sendable block. The block runs on another thread only if the program sets
    // `shouldAddStoreAsynchronously`.
    nonisolated(unsafe) let block = block
    let add: @Sendable () -> Void = { [self] in
      do {
        let store = try addPersistentStore(
          ofType: description.type, configurationName: description.configuration,
          at: description.url, options: description.options)
        store.openedDescription = description
        block(description, nil)
      } catch {
        block(description, error)
      }
    }
    if description.shouldAddStoreAsynchronously {
      DispatchQueue.global().async(execute: add)
    } else {
      add()
    }
  }

  /// Opens a store without adding it to the coordinator's stores.
  ///
  /// - Parameter origin: The origin of the IDs that the store's objects keep; nil if they get new IDs.
  func open(
    _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any]?,
    origin: StoreOrigin? = nil
  ) throws -> NSPersistentStore {
    if let error = layouts.error { throw error }
    if let error = layouts.writingError, !StoreOptions(options).isReadOnly { throw error }
    try makeFolder(of: url, options)
    let engine: any StoreEngine
    switch try StoreKind(type) {
    case .file(let files):
      guard let url else {
        throw CoreDataError.make(
          NSPersistentStoreOpenError, "a store of type \(type) needs the URL of a file")
      }
      engine = try StoreTypeMismatch.find(type, url) {
        try files.open(
          url, model: layouts, configuration: configuration, options: StoreOptions(options),
          origin: origin)
      }
    case .engine(let type):
      engine = try type.open(
        StoreLocation(url), model: layouts, configuration: configuration,
        options: StoreOptions(options), origin: origin)
    case .atomic(let format):
      engine = try StoreTypeMismatch.find(type, url) {
        try AtomicStore.open(
          format, at: url?.withoutLinks, model: layouts, configuration: configuration,
          options: StoreOptions(options), origin: origin)
      }
    case .custom(let storeClass):
      return try openCustom(storeClass, type, configuration, url, options)
    }
    return NSPersistentStore(
      engine: engine, type: type, configurationName: configuration, url: url, options: options,
      coordinator: self)
  }

  /// Creates the missing folder of a new store, as Apple's Core Data does.
  private func makeFolder(of url: URL?, _ options: [AnyHashable: Any]?) throws {
    guard url?.isFileURL == true, let url = url?.withoutLinks, !StoreLocation(url).isInMemory,
      !StoreOptions(options).isReadOnly
    else { return }
    let folder = url.deletingLastPathComponent()
    if FileManager.default.fileExists(atPath: folder.path) { return }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CoreDataError.make(
        NSPersistentStoreOpenError,
        "cannot create \(url.path): its folder does not exist and cannot be created:"
          + " \(error.localizedDescription)",
        [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
    }
  }

  private func openCustom(
    _ storeClass: NSPersistentStore.Type, _ type: String, _ configuration: String?, _ url: URL?,
    _ options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    // The initializer has Apple's signature, which requires a URL.
    let url = url ?? URL(fileURLWithPath: "/dev/null")
    let store = storeClass.init(
      persistentStoreCoordinator: self, configurationName: configuration, at: url, options: options)
    // The metadata is loaded before the engine is made, because a store of another model or type must
    // not be opened.
    try store.loadMetadata()
    let metadata = store.metadata ?? [:]
    guard metadata[NSStoreUUIDKey] is String else {
      throw CoreDataError.make(
        NSPersistentStoreOpenError,
        "\(storeClass) cannot be opened: loadMetadata() left no UUID under NSStoreUUIDKey",
        at: url.path)
    }
    if let found = metadata[NSStoreTypeKey] as? String, found != type {
      throw StoreTypeMismatch.make(found, type, url)
    }
    // A custom store need not keep version hashes. Without them there is nothing to compare.
    if metadata[NSStoreModelVersionHashesKey] != nil, !StoreOptions(options).ignoresVersionHashes {
      try ModelCheck(model: layouts, configuration: configuration).require(
        metadata, url: url, storeModel: { nil })
    }
    store.use(try store.makeEngine(model: layouts))
    return store
  }

  // MARK: Store classes

  static func registerStoreClass(_ storeClass: AnyClass?, _ storeType: String) {
    guard let storeClass else { return StoreClasses.register(nil, storeType) }
    guard let type = storeClass as? NSPersistentStore.Type else {
      stopProgram(
        "\(storeClass) is not a subclass of NSPersistentStore, so it cannot be a store class")
    }
    StoreClasses.register(type, storeType)
  }

  /// Registers a class for the stores of a type; nil removes the registered class. See
  /// `registerStoreClass(_:forStoreType:)`.
  public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
    registerStoreClass(storeClass, forStoreType: type.rawValue)
  }
}
