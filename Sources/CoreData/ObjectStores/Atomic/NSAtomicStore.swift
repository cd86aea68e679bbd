/// The base class of custom stores that are read completely when they are opened and written as a whole by each save,
/// such as a text file in the program's format.
///
/// Register a subclass with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. It overrides
/// `loadMetadata()`, `load()` and `save()`, and can override `newReferenceObject(for:)`, `newCacheNode(for:)` and
/// `updateCacheNode(_:from:)`. This class implements fetch requests.
///
/// Compared to Apple's Core Data: fetch requests support the whole predicate language, as in a SQLite store. A failed
/// save leaves the nodes unchanged.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
  private let nodesLock = NSLock()
  private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]

  // MARK: For subclasses to override

  /// Reads the file, creates a node for each object, and adds the nodes with `addCacheNodes(_:)`. The default
  /// implementation throws `NSPersistentStoreOperationError`.
  ///
  /// ```swift
  /// final class WordFile: NSAtomicStore, @unchecked Sendable {
  ///   override func load() throws {
  ///     let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName
  ///     guard let url, let word = entities?["Word"] else { return }
  ///     for line in try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n") {
  ///       let id = objectID(for: word, withReferenceObject: line)
  ///       let node = NSAtomicStoreCacheNode(objectID: id)
  ///       node.setValue(line, forKey: "text")
  ///       addCacheNodes([node])
  ///     }
  ///   }
  /// }
  /// ```
  open func load() throws {
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "\(Swift.type(of: self)) does not override load()")
  }

  /// Writes `cacheNodes()` and `metadata` to the file. The default implementation throws
  /// `NSPersistentStoreOperationError`.
  ///
  /// ```swift
  /// final class WordFile: NSAtomicStore, @unchecked Sendable {
  ///   override func save() throws {
  ///     let words = cacheNodes().compactMap { $0.value(forKey: "text") as? String }
  ///     guard let url else { return }
  ///     try words.sorted().joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
  ///   }
  /// }
  /// ```
  open func save() throws {
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "\(Swift.type(of: self)) does not override save()")
  }

  /// Returns a node for a new object, which already has its permanent ID.
  ///
  /// The default implementation creates a node and updates it from the object. Nodes of other new objects may not exist
  /// yet, so once all new objects have nodes, `updateCacheNode(_:from:)` is called for each that has relationships.
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node = NSAtomicStoreCacheNode(objectID: managedObject.ownID)
    updateCacheNode(node, from: managedObject)
    return node
  }

  /// Updates a node with the values of a new or changed object. The default implementation copies all values except
  /// those of transient and fetched properties.
  ///
  /// ```swift
  /// final class WordFile: NSAtomicStore, @unchecked Sendable {
  ///   override func updateCacheNode(
  ///     _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
  ///   ) {
  ///     super.updateCacheNode(node, from: managedObject)
  ///     let text = node.value(forKey: "text") as? String ?? ""
  ///     node.setValue(text.trimmingCharacters(in: .whitespaces), forKey: "text")
  ///   }
  /// }
  /// ```
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
    cacheNode(for: object.ownID)
  }

  /// Called before the nodes of deleted objects are removed.
  ///
  /// ```swift
  /// final class WordFile: NSAtomicStore, @unchecked Sendable {
  ///   override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
  ///     for node in cacheNodes { print("removes", referenceObject(for: node.objectID)) }
  ///   }
  /// }
  /// ```
  open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

  /// Returns a reference object for a new object: any value that no other object of its entity hierarchy has. The
  /// default implementation returns a new UUID string.
  ///
  /// ```swift
  /// final class WordFile: NSAtomicStore, @unchecked Sendable {
  ///   override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
  ///     managedObject.value(forKey: "text") as? String ?? UUID().uuidString
  ///   }
  /// }
  /// ```
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

  // MARK: Nodes and IDs

  /// Returns all nodes.
  open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
    nodesLock.withLock { Set(nodes.values) }
  }

  /// Adds nodes. A node replaces the previous node of the same object.
  open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    nodesLock.withLock { for node in cacheNodes { nodes[node.objectID] = node } }
  }

  /// Returns the node of an object; nil if there is none.
  open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    nodesLock.withLock { nodes[objectID] }
  }

  /// Returns the ID of an object of this store. Equal reference objects in one entity hierarchy have equal IDs.
  ///
  /// Stops the program if the entity does not belong to the store's model.
  open func objectID(
    for entity: NSEntityDescription, withReferenceObject data: Any
  ) -> NSManagedObjectID {
    objectID(for: entity, reference: data)
  }

  /// Returns the reference object of an ID of this store. Stops the program if the ID belongs to another store.
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
    // Replaces the UUID that the in-memory database has set.
    origin.identifier = metadata[NSStoreUUIDKey] as? String ?? ""
    try load()
    let nodes = cacheNodes().sorted { $0.objectID.key < $1.objectID.key }
    let changes = try CacheNodeRows(rows).changes(nodes)
    try rows.load(changes, from: url)
    return CacheNodeEngine(store: self, rows: rows, metadata: metadata)
  }
}
