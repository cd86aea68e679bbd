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
  let queue = ContextQueue(.privateQueueConcurrencyType)
  let exclusion = NSRecursiveLock()
  private let stateLock = NSLock()
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
    get { stateLock.withLock { lockedName } }
    set { stateLock.withLock { lockedName = newValue } }
  }
  private var lockedName: String?

  /// The open stores, in the order in which they were added.
  open var persistentStores: [NSPersistentStore] { stateLock.withLock { stores } }

  // MARK: The list of stores

  /// Takes an opened store in, and tells everybody.
  func add(_ store: NSPersistentStore) {
    stateLock.withLock { stores.append(store) }
    store.didAdd(to: self)
    postChange([NSAddedPersistentStoresKey: [store]])
  }

  /// Closes a store. Objects that contexts still have of it can no longer be read or saved.
  ///
  /// Posts `NSPersistentStoreCoordinatorWillRemoveStore` before and
  /// `NSPersistentStoreCoordinatorStoresDidChange` after it.
  open func remove(_ store: NSPersistentStore) throws {
    guard persistentStores.contains(where: { $0 === store }) else {
      throw CoreDataError.badRequest("the store is not open in this coordinator")
    }
    postWillRemove(store)
    store.willRemove(from: self)
    let engine = store.engine
    try engine.close()
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
