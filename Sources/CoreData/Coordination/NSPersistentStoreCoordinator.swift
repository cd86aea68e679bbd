public import Foundation
public import ObjectModel

/// Stands between contexts and the stores that keep their objects.
///
/// Thread-safe: contexts of any queue may share one.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  /// The model that the stores are read with. It cannot be changed any more.
  public let managedObjectModel: NSManagedObjectModel
  let layouts: ModelLayout
  let contexts = ContextList()
  private let lock = NSLock()
  private var stores: [NSPersistentStore] = []

  /// Makes a coordinator without stores.
  ///
  /// - Parameter model: from here on it cannot be changed, unless it has errors
  ///   (`NSManagedObjectModel.validate()`): then no store can be added, and what is thrown says why.
  public init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
    layouts = ModelLayout.of(model)
    super.init()
  }

  /// A name for messages and debugging.
  open var name: String? {
    get { lock.withLock { lockedName } }
    set { lock.withLock { lockedName = newValue } }
  }
  private var lockedName: String?

  /// The open stores, in the order in which they were added.
  open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

  /// Opens a store, or makes it when there is no file yet.
  ///
  /// - Parameters:
  ///   - storeType: `NSSQLiteStoreType`.
  ///   - configuration: the model's configuration whose entities the store keeps; nil for all.
  ///   - storeURL: the file; `/dev/null` gives a store in memory.
  ///   - options: keys such as `NSReadOnlyPersistentStoreOption`.
  /// - Throws: an error of `NSCocoaErrorDomain` that names the file and what is wrong with it or
  ///   with the model; the file is then as it was. All errors of a model come at once.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    if let fault = layouts.fault { throw fault }
    guard storeType == NSSQLiteStoreType else {
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError, "there is no store of type \"\(storeType)\"")
    }
    guard let storeURL else {
      throw CoreDataError.make(NSPersistentStoreOpenError, "a SQLite store needs the URL of a file")
    }
    let engine = try SQLiteStore.open(
      storeURL.resolvingSymlinksInPath(), model: layouts, configuration: configuration,
      options: StoreOptions(options))
    let store = NSPersistentStore(
      engine: engine, type: storeType, configurationName: configuration, url: storeURL,
      options: options, coordinator: self)
    lock.withLock { stores.append(store) }
    return store
  }

  /// Opens the store of a description, and calls back when that is done or has failed.
  ///
  /// - Parameter block: called on the calling thread, unless the description says that the store
  ///   is added asynchronously.
  open func addPersistentStore(
    with description: NSPersistentStoreDescription,
    completionHandler block:
      @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let add: @Sendable () -> Void = { [self] in
      do {
        try addPersistentStore(
          ofType: description.type, configurationName: description.configuration,
          at: description.url, options: description.options)
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

  /// Closes a store. Objects that contexts still have of it can no longer be read or saved.
  open func remove(_ store: NSPersistentStore) throws {
    let wasOpen = lock.withLock { () -> Bool in
      guard let index = stores.firstIndex(where: { $0 === store }) else { return false }
      stores.remove(at: index)
      return true
    }
    guard wasOpen else {
      throw CoreDataError.badRequest("the store is not open in this coordinator")
    }
    try store.engine.close()
    store.engine.origin.store = nil
  }

  /// The open store of a file.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
  }

  /// The file of a store; `/dev/null` for a store that has none.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: "/dev/null")
  }

  /// The metadata of an open store.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

  /// The ID that a URI stands for; nil when no open store has its UUID, or it is no object's URI.
  ///
  /// Whether there is such an object is not looked up.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    guard url.scheme == "x-coredata", let uuid = url.host, url.pathComponents.count == 3,
      let layout = layouts.layout(named: url.pathComponents[1]),
      url.pathComponents[2].hasPrefix("p"), let key = Int64(url.pathComponents[2].dropFirst()),
      let store = persistentStores.first(where: {
        $0.identifier.caseInsensitiveCompare(uuid) == .orderedSame
      })
    else { return nil }
    return NSManagedObjectID(layout: layout, key: key, origin: store.engine.origin)
  }

  /// The metadata of a store that need not be open, read from its file.
  ///
  /// - Throws: when there is no such file, or it is no store.
  open class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    guard storeType == NSSQLiteStoreType else {
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError, "there is no store of type \"\(storeType)\"")
    }
    return try SQLiteStore.metadata(of: url)
  }

  /// The model that a store was made with, from the copy that the store carries; nil for stores
  /// older than 2014, which carry none.
  ///
  /// Compared to Apple's Core Data: there is no public way to this copy there.
  ///
  /// - Throws: when there is no such file, it is no store, or the copy is damaged.
  public class func cachedModel(ofStoreAt url: URL) throws -> NSManagedObjectModel? {
    try SQLiteStore.cachedModel(of: url)
  }

  /// A model made from a store's tables, for a store that carries none: entities and their
  /// hierarchy, attributes with the types of their columns, relationships from key columns and
  /// join tables.
  ///
  /// Names come in the tables' upper case, except the entities'; open the store with
  /// `NSIgnorePersistentStoreVersioningOption`.
  ///
  /// Compared to Apple's Core Data: new.
  public class func inferredModel(ofStoreAt url: URL) throws -> NSManagedObjectModel {
    try ModelInference.model(of: url)
  }
}
