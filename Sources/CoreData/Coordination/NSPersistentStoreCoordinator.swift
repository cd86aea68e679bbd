/// Stands between contexts and the stores that keep their objects.
///
/// Thread-safe: contexts of any queue may share one.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(
///   ofType: NSSQLiteStoreType, configurationName: nil, at: url)
/// let context = NSManagedObjectContext(.mainQueue)
/// context.persistentStoreCoordinator = coordinator
/// ```
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  /// The model that the stores are read with. It cannot be changed any more.
  public let managedObjectModel: NSManagedObjectModel
  let layouts: ModelLayout
  let contexts = ContextList()
  let remoteChanges = RemoteChanges()
  let queue = ContextQueue(.privateQueueConcurrencyType)
  let exclusion = NSRecursiveLock()
  private let stateLock = NSLock()
  private var stores: [NSPersistentStore] = []

  /// Makes a coordinator without stores.
  ///
  /// - Parameter model: from here on it cannot be changed, unless it has errors
  ///   (`NSManagedObjectModel.validate()`): then no store can be added, and what is thrown says why.
  public required init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
    layouts = ModelLayout.of(model)
    layouts.resolveClasses()
    super.init()
  }

  /// Makes a coordinator of a model without entities.
  ///
  /// Compared to Apple's Core Data: there the coordinator has no model, and adding a store raises an
  /// exception.
  public override convenience init() {
    self.init(managedObjectModel: NSManagedObjectModel())
  }

  /// A name for messages and debugging.
  open var name: String? {
    get { stateLock.withLock { lockedName } }
    set { stateLock.withLock { lockedName = newValue } }
  }
  private var lockedName: String?

  /// The open stores, in the order in which they were added.
  open var persistentStores: [NSPersistentStore] { stateLock.withLock { stores } }

  // MARK: Stores
  // In the class itself, so that subclasses may override them.

  /// Opens a store, or makes it when there is no file yet.
  ///
  /// Posts `NSPersistentStoreCoordinatorStoresDidChange`.
  ///
  /// - Parameters:
  ///   - storeType: `NSSQLiteStoreType`, `NSXMLStoreType`, `NSBinaryStoreType`,
  ///     `NSInMemoryStoreType`, or the type of a registered class.
  ///   - configuration: the model's configuration whose entities the store keeps; nil for all.
  ///   - storeURL: the file; `/dev/null` gives a SQLite store in memory, `/dev/null/NAME` one that
  ///     all coordinators of this process share that open it by this name, for as long as one has
  ///     it. A store of type `NSInMemoryStoreType` needs none.
  ///   - options: keys such as `NSReadOnlyPersistentStoreOption`.
  /// - Throws: an error of `NSCocoaErrorDomain` that names the file and what is wrong with it or
  ///   with the model; the file is then as it was. All errors of a model come at once.
  ///
  /// ```swift
  /// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  /// do {
  ///   try coordinator.addPersistentStore(
  ///     ofType: NSSQLiteStoreType, configurationName: nil, at: url,
  ///     options: [NSReadOnlyPersistentStoreOption: true])
  /// } catch let error as CocoaError where error.code == .persistentStoreIncompatibleVersionHash {
  ///   print(error.userInfo[storeModelDifferencesErrorKey] ?? "")
  /// }
  /// ```
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try openAndAdd(storeType, configuration, storeURL, options)
  }

  /// Opens the store of a description, and calls back when that is done or has failed.
  ///
  /// - Parameter block: called on the calling thread, unless the description says that the store
  ///   is added asynchronously.
  ///
  /// ```swift
  /// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  /// coordinator.addPersistentStore(with: description) { description, error in
  ///   print(error?.localizedDescription ?? "open")
  /// }
  /// ```
  open func addPersistentStore(
    with description: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    openAndAdd(description, block)
  }

  /// Moves a store's objects to a store of another place or type, and goes on with that: "Save As".
  ///
  /// The new store has a UUID of its own. When it is a new SQLite file, the objects that contexts
  /// have, unsaved changes too, go over to it with their IDs; else they have to be fetched anew, and
  /// `NSUUIDChangedPersistentStoresKey` says which ID became which. The objects of a store that is
  /// there already stay, and the others are added to them. The old file stays where it is.
  ///
  /// Posts, as Apple's Core Data does, `…StoresDidChange` (added), `…WillRemoveStore` for both,
  /// `…StoresDidChange` (UUID changed), `…WillRemoveStore` for the old one, `…StoresDidChange`
  /// (removed).
  ///
  /// - Returns: the new store; the old one is closed.
  /// - Throws: when the new store cannot be made or written. Nothing has changed then.
  ///
  /// ```swift
  /// if let store = coordinator.persistentStore(for: url) {
  ///   let saved = try coordinator.migratePersistentStore(
  ///     store, to: url.appendingPathExtension("xml"), withType: NSXMLStoreType)
  ///   print(saved.type)  // XML
  /// }
  /// ```
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try move(store, to: URL, options, storeType)
  }

  /// Removes a store's content for good. A store that this coordinator has open is removed from it
  /// first.
  ///
  /// A SQLite file is emptied and stays where it is, with regard for the locks of others, and is made
  /// where there is none; files of other stores are removed.
  ///
  /// - Throws: when there is no such store, or it cannot be destroyed. A SQLite file with other names (hard links) is
  ///   emptied with `NSPersistentStoreForceDestroyOption` only: the store would be gone under all of them.
  ///
  /// ```swift
  /// try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
  /// ```
  open func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroy(url, storeType, options)
  }

  /// Puts the content of one store in the place of another, or where there is none: all or nothing.
  /// The destination, if this coordinator has it open, is removed from it first.
  ///
  /// All files of the store go together: its database, the write-ahead log, and the files of
  /// externally kept values.
  ///
  /// - Throws: when the source is no store, or one of the two cannot be read or written; when both are the same file, or
  ///   the destination is a SQLite file with other names (hard links), under which the store would be replaced as well. The
  ///   destination's file is then as it was.
  ///
  /// ```swift
  /// let backup = url.appendingPathExtension("backup")
  /// try coordinator.replacePersistentStore(
  ///   at: backup, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
  /// ```
  open func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try replace(destinationURL, destinationOptions, with: sourceURL, sourceOptions, storeType)
  }

  /// The file of a store; `/dev/null` for a store that has none.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: "/dev/null")
  }

  /// Changes the place of a store.
  ///
  /// A store that is read and written as a whole goes on with its objects, and the next save writes
  /// them to the new file. A SQLite store lets go of its file and opens the one at the new place,
  /// where there must be a store of this model.
  ///
  /// - Returns: whether the store has the new place; the reason is logged when it has not.
  @discardableResult
  open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    change(store, to: url)
  }

  /// The metadata of an open store.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

  /// Replaces the metadata of an open store. It is written by the next save of a context; the
  /// keys that the store cannot be without stay when the new dictionary has none.
  ///
  /// ```swift
  /// if let store = coordinator.persistentStore(for: url) {
  ///   var metadata = coordinator.metadata(for: store)
  ///   metadata["lastImport"] = Date()
  ///   coordinator.setMetadata(metadata, for: store)
  ///   try context.save()
  /// }
  /// ```
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = metadata
  }

  /// The metadata of a store that need not be open, read from its file.
  ///
  /// - Throws: when there is no such file, or it is no store of this type
  ///   (`NSPersistentStoreTypeMismatchError` where it is one of another).
  ///
  /// ```swift
  /// let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
  ///   ofType: NSSQLiteStoreType, at: url)
  /// print(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))  // true
  /// ```
  open class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    let isImmutable = ImmutableStoreScope.isOn || StoreOptions(options).isImmutable
    return try ImmutableStoreScope.$isOn.withValue(isImmutable) {
      try StoreTypeMismatch.find(storeType, url) {
        try readMetadata(storeType, url, options).mapValues { BridgedValue.bridged($0) ?? $0 }
      }
    }
  }

  /// Replaces the metadata of a store that is not open, at once; the keys that the store cannot be
  /// without stay when the new dictionary has none.
  ///
  /// - Throws: when there is no such file, it is no store of this type, or it cannot be written.
  ///
  /// ```swift
  /// var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
  ///   ofType: NSSQLiteStoreType, at: url)
  /// metadata["origin"] = "import"
  /// try NSPersistentStoreCoordinator.setMetadata(
  ///   metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: url)
  /// ```
  open class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try writeMetadata(metadata, storeType, url, options)
  }

  /// Makes a class of stores known by the type under which its stores are added; nil takes it back.
  ///
  /// - Parameter storeClass: a subclass of `NSAtomicStore` or `NSIncrementalStore`.
  open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
    registerStoreClass(storeClass, storeType)
  }

  /// The types of store that can be added, and the classes of their stores.
  ///
  /// Compared to Apple's Core Data: the values are the classes themselves, not in an `NSValue`.
  open class var registeredStoreTypes: [String: AnyClass] {
    var types: [String: AnyClass] = StoreClasses.all
    for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType] {
      types[type] = NSPersistentStore.self
    }
    return types
  }

  /// Runs a block on the coordinator's own queue, after what was enqueued before; returns at once.
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

  /// Runs a block on the coordinator's own queue and waits for it. May be nested.
  ///
  /// ```swift
  /// coordinator.performAndWait {
  ///   print(coordinator.persistentStores.count)
  /// }
  /// ```
  open func performAndWait(_ block: () -> Void) { queue.sync(block) }

  /// Runs a request against the stores, for a context: a fetch or a save.
  ///
  /// Call it on the context's queue. A fetch gives what the context's `fetch(_:)` does, as an array;
  /// a save writes the context's changes, and gives an empty array.
  ///
  /// - Throws: as `fetch(_:)` and `save()`; `NSPersistentStoreUnsupportedRequestTypeError` for other
  ///   requests.
  ///
  /// ```swift
  /// let results = try coordinator.execute(Person.fetchRequest(), with: context) as? [Person]
  /// ```
  open func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    try run(request, for: context)
  }

  /// The place in the persistent history where stores are now; nil where none of them keeps one.
  ///
  /// A request for the history after it gives what is saved from now on, by whomever.
  ///
  /// - Parameter stores: `NSPersistentStore`s of this coordinator; nil for all.
  ///
  /// ```swift
  /// let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// person.age = 37
  /// try context.save()
  /// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
  /// ```
  open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
    historyToken(of: stores.map { $0.compactMap { $0 as? NSPersistentStore } } ?? persistentStores)
  }

  /// Takes the coordinator for the calling thread, until `unlock()`.
  @available(*, deprecated, message: "Use performAndWait")
  open func lock() { exclusion.lock() }

  /// Ends what `lock()` or `tryLock()` began.
  @available(*, deprecated, message: "Use performAndWait")
  open func unlock() { exclusion.unlock() }

  /// Takes the coordinator for the calling thread, unless another one has it.
  @available(*, deprecated, message: "Use performAndWait")
  open func tryLock() -> Bool { exclusion.try() }

  // MARK: The list of stores

  /// Takes an opened store in, and tells everybody.
  func add(_ store: NSPersistentStore) {
    stateLock.withLock { stores.append(store) }
    store.didAdd(to: self)
    watchStores()
    postChange([NSAddedPersistentStoresKey: [store]])
  }

  /// Closes a store. Objects that contexts still have of it can no longer be read or saved.
  ///
  /// Posts `NSPersistentStoreCoordinatorWillRemoveStore` before and
  /// `NSPersistentStoreCoordinatorStoresDidChange` after it.
  ///
  /// ```swift
  /// if let store = coordinator.persistentStore(for: url) {
  ///   try coordinator.remove(store)
  /// }
  /// ```
  open func remove(_ store: NSPersistentStore) throws {
    guard persistentStores.contains(where: { $0 === store }) else {
      throw CoreDataError.badRequest("the store is not open in this coordinator")
    }
    postWillRemove(store)
    store.willRemove(from: self)
    let engine = store.engine
    remoteChanges.end(store)
    do {
      try engine.close()
    } catch {
      watchStores()
      throw error
    }
    stateLock.withLock { stores.removeAll { $0 === store } }
    // A store that was moved to another file left its objects to its successor.
    if engine.origin.store === store { engine.origin.store = nil }
    postChange([NSRemovedPersistentStoresKey: [store]])
  }

  func postChange(_ stores: [String: [NSPersistentStore]]) {
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: stores)
  }

  func postWillRemove(_ store: NSPersistentStore) {
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
  }

  /// The open store of a file.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
  }

  /// The ID that a URI stands for; nil when no open store has its UUID, or it is no object's URI.
  ///
  /// Whether there is such an object is not looked up.
  ///
  /// ```swift
  /// let link = person.objectID.uriRepresentation()
  /// if let id = coordinator.managedObjectID(forURIRepresentation: link) {
  ///   print(try context.existingObject(with: id) === person)  // true
  /// }
  /// ```
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    guard url.scheme == "x-coredata", let uuid = url.host, url.pathComponents.count == 3,
      let layout = layouts.layout(named: url.pathComponents[1]),
      url.pathComponents[2].hasPrefix("p"),
      let store = persistentStores.first(where: {
        $0.identifier.caseInsensitiveCompare(uuid) == .orderedSame
      })
    else { return nil }
    let text = String(url.pathComponents[2].dropFirst())
    let origin = store.engine.origin
    if let references = origin.references {
      return NSManagedObjectID(
        layout: layout, key: references.key(ofText: text, in: layout), origin: origin)
    }
    guard let key = Int64(text), key > 0 else { return nil }
    return NSManagedObjectID(layout: layout, key: key, origin: origin)
  }

  /// The ID that an object's URI, given as text, stands for; as
  /// `managedObjectID(forURIRepresentation:)`.
  public func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
  }
}
