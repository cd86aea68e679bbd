/// A base for stores of a program's own that are read when they are opened and written as a whole
/// by each save: a text file in the program's form.
///
/// A subclass is registered with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`
/// and overrides `loadMetadata()`, `load()`, `save()`, `newReferenceObject(for:)`,
/// `newCacheNode(for:)` and `updateCacheNode(_:from:)`. Fetches are answered here.
///
/// Compared to Apple's Core Data: fetches have all of the predicate language, as in a SQLite store.
/// A save that fails leaves the nodes as they were.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
  private let nodesLock = NSLock()
  private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]

  // MARK: For subclasses to override

  /// Reads the file: makes a node for each object and adds them with `addCacheNodes(_:)`.
  open func load() throws {
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "\(Swift.type(of: self)) does not override load()")
  }

  /// Writes the file from `cacheNodes()` and `metadata`.
  open func save() throws {
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "\(Swift.type(of: self)) does not override save()")
  }

  /// A node for a new object, which has its permanent ID.
  ///
  /// The nodes of all new objects are there when `updateCacheNode(_:from:)` is called for those
  /// that have relationships. As it stands, a node without values, then updated.
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    updateCacheNode(node, from: managedObject)
    return node
  }

  /// Takes the values of a changed object into its node. As it stands, all of them.
  open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
    for slot in managedObject.layout.slots where !slot.isTransient && slot.composite == nil {
      let value = managedObject.value(forKey: slot.name)
      switch slot.kind {
      case .attribute, .composite: node.setValue(value, forKey: slot.name)
      case .toOne:
        node.setValue((value as? NSManagedObject).flatMap(self.node), forKey: slot.name)
      case .toMany:
        let ordered = (value as? NSOrderedSet)?.array
        let members = ordered ?? (value as? NSSet)?.allObjects ?? []
        let list = members.compactMap { ($0 as? NSManagedObject).flatMap(self.node) }
        node.setValue(
          ordered == nil ? NSSet(array: list) : NSOrderedSet(array: list), forKey: slot.name)
      case .fetched: break
      }
    }
  }

  private func node(of object: NSManagedObject) -> NSAtomicStoreCacheNode? {
    cacheNode(for: object.objectID)
  }

  /// Called before nodes of deleted objects go.
  open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

  /// What a new object is called in the store: anything with a value that no other object has.
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

  // MARK: Nodes and IDs

  /// All nodes.
  open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
    nodesLock.withLock { Set(nodes.values) }
  }

  /// Adds nodes; one of the same object is replaced.
  open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    nodesLock.withLock { for node in cacheNodes { nodes[node.objectID] = node } }
  }

  /// The node of an object.
  open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    nodesLock.withLock { nodes[objectID] }
  }

  /// The ID of an object of this store; equal reference objects of one hierarchy of entities give
  /// equal IDs.
  open func objectID(
    for entity: NSEntityDescription, withReferenceObject data: Any
  ) -> NSManagedObjectID {
    objectID(for: entity, reference: data)
  }

  /// The reference object of an ID of this store.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID) }

  // MARK: For the engine

  func removeNodes(_ ids: [NSManagedObjectID]) {
    nodesLock.withLock { for id in ids { nodes[id] = nil } }
  }

  override func makeEngine(model: ModelLayout) throws -> any StoreEngine {
    let metadata = metadata ?? [:]
    let origin = engine.origin
    let rows = try StoreKind.sqlite.makeRowStorage(
      model: model, configuration: configurationName, origin: origin)
    // The database has a UUID too, which is nobody's business.
    origin.identifier = metadata[NSStoreUUIDKey] as? String ?? ""
    try load()
    let nodes = cacheNodes().sorted { $0.objectID.key < $1.objectID.key }
    let changes = try CacheNodeRows(rows).changes(nodes)
    try rows.load(changes, from: url)
    return CacheNodeEngine(store: self, rows: rows, metadata: metadata)
  }
}
