// Not `nonisolated`, unlike most classes that programs subclass: a subclass of a `nonisolated`
// and `Sendable` class may have no `lazy` property.

/// Connects contexts to the stores that contain their objects.
///
/// Thread-safe. Contexts of different queues can share a coordinator.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(
///   ofType: NSSQLiteStoreType, configurationName: nil, at: url)
/// let context = NSManagedObjectContext(.mainQueue)
/// context.persistentStoreCoordinator = coordinator
/// ```
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  /// The model of the stores. It is immutable once it is in use.
  open var managedObjectModel: NSManagedObjectModel { model }
  let model: NSManagedObjectModel
  let layouts: ModelLayout
  let contexts = ContextList()
  let remoteChanges = RemoteChanges()
  let queue = ContextQueue(.privateQueueConcurrencyType, isOfCoordinator: true)
  let exclusion = NSRecursiveLock()
  private let stateLock = NSLock()
  private var stores: [NSPersistentStore] = []

  /// Creates a coordinator without stores.
  ///
  /// - Parameter model: The model, which cannot be changed from now on. If it has errors
  ///   (`NSManagedObjectModel.validate()`), it stays mutable, and adding a store throws them.
  public required init(managedObjectModel model: NSManagedObjectModel) {
    self.model = model
    layouts = ModelLayout.of(model)
    layouts.resolveClasses()
    super.init()
  }

  /// Creates a coordinator with a model without entities.
  ///
  /// Compared to Apple's Core Data: there the coordinator has no model, and adding a store raises an exception.
  public override convenience init() {
    self.init(managedObjectModel: NSManagedObjectModel())
  }

  /// A name for debugging. The library does not use it.
  open var name: String? {
    get { stateLock.withLock { lockedName } }
    set { stateLock.withLock { lockedName = newValue } }
  }
  private var lockedName: String?

  /// The open stores, in the order in which they were added.
  open var persistentStores: [NSPersistentStore] { stateLock.withLock { stores } }

  // MARK: Stores
  // In the class itself, so that subclasses can override them.

  /// Opens a store, creating it if the file does not exist.
  ///
  /// Posts `NSPersistentStoreCoordinatorStoresDidChange`.
  ///
  /// - Parameters:
  ///   - storeType: `NSSQLiteStoreType`, `NSXMLStoreType`, `NSBinaryStoreType`, `NSInMemoryStoreType`, or the type of
  ///     a registered class.
  ///   - configuration: The model configuration with the entities of the store; nil for all entities.
  ///   - storeURL: The file. `/dev/null` opens a SQLite store in memory. `/dev/null/NAME` opens a SQLite store in
  ///     memory shared by all coordinators of this process that open it by this name; it exists as long as one of
  ///     them has it open. A store of type `NSInMemoryStoreType` needs no URL.
  ///   - options: Keys such as `NSReadOnlyPersistentStoreOption`.
  /// - Throws: An error of `NSCocoaErrorDomain` that describes the error in the file, or all errors in the model; an
  ///   error if there is no such store type, or if a store with the same UUID is already open; the errors of a
  ///   registered class. After an error the file is unchanged, except for completed stages of a staged migration, and
  ///   for the migration of a store whose UUID is that of an open store.
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

  /// Opens the store of a description, and calls back when the store is open or opening it has failed.
  ///
  /// - Parameters:
  ///   - description: The description.
  ///   - block: Called on the calling thread, unless the description adds the store asynchronously.
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

  /// Moves a store's objects to a store with another location or type, and replaces the store with it, as for "Save
  /// As".
  ///
  /// The new store has a different UUID. If it is a new SQLite file, objects in contexts, with their unsaved changes,
  /// become objects of the new store and keep their IDs. Otherwise they have to be fetched again, and
  /// `NSUUIDChangedPersistentStoresKey` maps old IDs to new ones. If the destination store exists, the objects are
  /// added to those that it contains. The old file is not removed.
  ///
  /// Posts, as Apple's Core Data does, `…StoresDidChange` (added), `…WillRemoveStore` for the old and the new
  /// store, `…StoresDidChange` (UUID changed), `…WillRemoveStore` for the old store, `…StoresDidChange`
  /// (removed).
  ///
  /// - Returns: The new store. The old one is closed; an error of closing it is only logged.
  /// - Throws: If this coordinator has not opened the store, or already has the new one open; if the new store is a
  ///   custom store, or cannot be created or written; or if the file of a value cannot be read. After an error nothing
  ///   has changed.
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

  /// Permanently removes the content of a store. If this coordinator has the store open, the store is removed from the
  /// coordinator first; a store in memory is removed last.
  ///
  /// A SQLite file is emptied under SQLite's locks and not removed, even if it is damaged or truncated; if the file does
  /// not exist, an empty one is created. Files of other store types are removed.
  ///
  /// - Throws: If there is no such store type, a store of a type other than SQLite does not exist, or the store cannot
  ///   be destroyed. A SQLite file with other
  ///   names (hard links) is emptied only with `NSPersistentStoreForceDestroyOption`, because the store would be lost
  ///   under all of its names. If the content is unchanged, a store that was open is open again afterwards, unless it
  ///   is a custom store.
  ///
  /// ```swift
  /// try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
  /// ```
  open func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroy(url, storeType, options)
  }

  /// Replaces a store with the content of another one, completely or not at all. The destination need not exist. If
  /// this coordinator has the destination open, the destination is removed from the coordinator first; a store in
  /// memory is removed last.
  ///
  /// Copies all files of the store: the database, the write-ahead log, and the value files.
  ///
  /// - Throws: If there is no such store type, the source is not a store, the destination is another program's file,
  ///   one of the two cannot be read or written, both are the same file, or the destination is a SQLite file with other
  ///   names (hard links), under which the store would be replaced as well. After an error the destination's file is
  ///   unchanged, unless only value files that saves added to the source during the copy could not be copied. If this
  ///   coordinator had the unchanged destination open, it is open again afterwards, unless it is a custom store.
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

  /// Returns the URL of a store; `/dev/null` for a store that was opened without one.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: "/dev/null")
  }

  /// Changes the location of a store.
  ///
  /// A store that is read and written as a whole keeps its objects, and the next save writes them to the new file. A
  /// SQLite store closes its file and opens the one at the new location, which must be a store of this model. Any other
  /// store only gets the new value of its `url`.
  ///
  /// - Returns: Whether the store has the new location. False if this coordinator has not opened the store, or if the
  ///   file cannot be opened, which is logged.
  ///
  /// ```swift
  /// func follow(_ store: NSPersistentStore, to moved: URL) {
  ///   if !coordinator.setURL(moved, for: store) {
  ///     print("\(moved.path) is not a store of this model")
  ///   }
  /// }
  /// ```
  @discardableResult
  open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    change(store, to: url)
  }

  /// Returns the metadata of an open store.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

  /// Replaces the metadata of an open store. The next save of a context writes it. Keys that the store requires keep
  /// their values if the new dictionary lacks them.
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

  /// Returns the metadata of a store from its file. The store need not be open.
  ///
  /// - Throws: If there is no such store type, if the file does not exist, or if it cannot be read as a store of this
  ///   type (`NSPersistentStoreTypeMismatchError` if it is a store of another type).
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

  /// Immediately replaces the metadata of a store that is not open. Keys that the store requires keep their values if
  /// the new dictionary lacks them.
  ///
  /// - Throws: If there is no such store type, or if the file does not exist, is not a store of this type, or cannot be
  ///   written.
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

  /// Registers a class for the stores of a type. Stops the program if it is not a subclass of `NSPersistentStore`.
  ///
  /// - Parameters:
  ///   - storeClass: A subclass of `NSAtomicStore` or `NSIncrementalStore`; nil to remove the
  ///     registered class.
  ///   - storeType: The type, which is the key of the class in `registeredStoreTypes`.
  ///
  /// ```swift
  /// final class LogStore: NSAtomicStore, @unchecked Sendable {}
  /// NSPersistentStoreCoordinator.registerStoreClass(LogStore.self, forStoreType: "Log")
  /// ```
  open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
    registerStoreClass(storeClass, storeType)
  }

  /// The available store types, and the classes of their stores.
  ///
  /// Compared to Apple's Core Data: the values are the classes themselves, without an `NSValue` around them.
  ///
  /// ```swift
  /// let types = NSPersistentStoreCoordinator.registeredStoreTypes.keys.sorted()
  /// print(types)  // ["Binary", "InMemory", "SQLite", "XML"]
  /// ```
  open class var registeredStoreTypes: [String: AnyClass] {
    var types: [String: AnyClass] = StoreClasses.all
    for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType] {
      types[type] = NSPersistentStore.self
    }
    return types
  }

  /// Runs a block on the coordinator's queue, after all blocks that are already enqueued. Returns immediately.
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

  /// Runs a block on the coordinator's queue and waits for it. Calls can be nested.
  ///
  /// ```swift
  /// coordinator.performAndWait {
  ///   print(coordinator.persistentStores.count)
  /// }
  /// ```
  open func performAndWait(_ block: () -> Void) { queue.sync(block) }

  /// Executes a request on the stores, for a context.
  ///
  /// Call this on the context's queue. For a fetch request, this returns the array that the context's `fetch(_:)`
  /// returns. For a save request, it writes the context's changes and returns an empty array. For any other request,
  /// it returns the result of the context's `execute(_:)`.
  ///
  /// - Throws: The errors of `fetch(_:)`, `save()` and `execute(_:)`; `NSPersistentStoreUnsupportedRequestTypeError`
  ///   for a request of an unknown class; `NSCoreDataError` if the context does not belong to this coordinator, or if a
  ///   save request contains only some of the context's changes or locks an object of another context.
  ///
  /// ```swift
  /// let results = try coordinator.execute(Person.fetchRequest(), with: context) as? [Person]
  /// ```
  open func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    try run(request, for: context)
  }

  /// Returns the current position in the persistent history of stores; nil if none of them has a readable history.
  ///
  /// A request for the history after this token returns what is saved from now on by any context or process.
  ///
  /// - Parameter stores: `NSPersistentStore`s of this coordinator; nil or empty for all of its stores.
  ///
  /// ```swift
  /// let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// person.age = 37
  /// try context.save()
  /// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
  /// ```
  open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
    let chosen = stores ?? []
    return historyToken(
      of: chosen.isEmpty ? persistentStores : chosen.compactMap { $0 as? NSPersistentStore })
  }

  /// Locks the coordinator for the calling thread, until `unlock()`.
  @available(*, deprecated, message: "Use performAndWait")
  open func lock() { exclusion.lock() }

  /// Ends the lock that `lock()` or `tryLock()` acquired.
  @available(*, deprecated, message: "Use performAndWait")
  open func unlock() { exclusion.unlock() }

  /// Locks the coordinator for the calling thread and returns true; returns false if another thread has locked it.
  @available(*, deprecated, message: "Use performAndWait")
  open func tryLock() -> Bool { exclusion.try() }

  // MARK: The list of stores

  /// Adds an open store, and posts `NSPersistentStoreCoordinatorStoresDidChange`.
  func add(_ store: NSPersistentStore) {
    stateLock.withLock { stores.append(store) }
    store.didAdd(to: self)
    watchStores()
    // Posted last, because observers use `persistentStores`.
    postChange([NSAddedPersistentStoresKey: [store]])
  }

  /// Closes a store. Contexts can no longer fire its faults or save its objects.
  ///
  /// Posts `NSPersistentStoreCoordinatorWillRemoveStore` before it closes the store, and
  /// `NSPersistentStoreCoordinatorStoresDidChange` afterwards.
  ///
  /// - Throws: If this coordinator has not opened the store, or if the store cannot be closed; it then stays open.
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
    try closeAndRemove(store)
  }

  /// Removes a store after ``postWillRemove(_:)``.
  ///
  /// - Parameter hasMoved: Whether another store has the objects by now. Then the store is removed even if it cannot be
  ///   closed, and the error is only logged.
  func closeAndRemove(_ store: NSPersistentStore, hasMoved: Bool = false) throws {
    store.willRemove(from: self)
    let engine = store.engine
    // The watch reads the store on its own queue, so it ends before the store is closed. Its errors
    // are ignored from here on.
    remoteChanges.end(store)
    do {
      try engine.close()
    } catch {
      guard hasMoved else {
        // The store stays open, so its watch starts again.
        watchStores()
        throw error
      }
      Log.storeError(
        "the store \(url(for: store).path) could not be closed: \(error.localizedDescription)")
    }
    stateLock.withLock { stores.removeAll { $0 === store } }
    // If the store was moved and its objects kept their IDs, the origin now belongs to the new store.
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

  /// Returns the open store of a file; nil if there is none. The store may have been opened by another path that leads
  /// to the file through symbolic links.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    let location = StoreLocation(URL).withoutLinks
    return persistentStores.first { store in
      store.url.map { StoreLocation($0).withoutLinks } == location
    }
  }

  /// Returns the object ID of a URI; nil if no open store has the UUID of the URI, if the model lacks the entity, or if
  /// the URI is not that of a permanent ID.
  ///
  /// Does not check whether the object exists.
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
        // The host of a URL is case-insensitive.
        $0.identifier.caseInsensitiveCompare(uuid) == .orderedSame
      })
    else { return nil }
    let text = String(url.pathComponents[2].dropFirst())
    let origin = store.engine.origin
    // Only custom stores have reference objects. For other stores, and after the objects have moved
    // to a SQLite file, the text is the key itself.
    let known = origin.references?.key(ofText: text, in: layout)
    guard let key = known ?? Int64(text), key > 0 else { return nil }
    return NSManagedObjectID(layout: layout, key: key, origin: origin)
  }

  /// Returns the object ID of a URI in a string; see `managedObjectID(forURIRepresentation:)`.
  public func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
  }
}
