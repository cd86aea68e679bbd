/// The engine of a custom atomic store. It copies the store's nodes to rows of a SQLite database in memory, which
/// executes requests. To save, it updates the nodes and calls the store, which writes them to its file.
final class CacheNodeEngine: ObjectStoreEngine, RowsBackedEngine, @unchecked Sendable {
  // Not retained, because the store owns its engine.
  private unowned let store: NSAtomicStore
  let rows: any RowStorage
  private let lock = NSLock()
  private var lockedMetadata: StagedMetadata

  init(store: NSAtomicStore, rows: any RowStorage, metadata: [String: Any]) {
    self.store = store
    self.rows = rows
    lockedMetadata = StagedMetadata(metadata)
  }

  // `NSPersistentStore` itself records whether the store is opened for reading only.
  var isReadOnly: Bool { false }
  var metadata: [String: Any] { lock.withLock { lockedMetadata.values } }

  func stageMetadata(_ metadata: [String: Any]) {
    // The type is read before the lock is acquired, because the store may acquire it, too.
    let type = self.metadata[NSStoreTypeKey] as? String ?? store.type
    lock.withLock { lockedMetadata.stage(metadata, type: type) }
    if let identifier = self.metadata[NSStoreUUIDKey] as? String { origin.identifier = identifier }
  }

  private var hasStagedMetadata: Bool { lock.withLock { lockedMetadata.isUnwritten } }

  func stagedMetadata(over current: [String: Any]) -> [String: Any]? {
    lock.withLock { lockedMetadata.merged(over: current) }
  }

  func saveMetadata() throws {
    guard hasStagedMetadata else { return }
    // As in `AtomicStore`, the file must not contain only a part of a save.
    try rows.withoutSaves { try writeFile() }
  }

  /// Calls the store to write its nodes and metadata.
  private func writeFile() throws {
    // The count is read before the store reads its metadata, because metadata that is staged during the save may be
    // missing in the file.
    let (metadata, changeCount) = lock.withLock {
      (lockedMetadata.values, lockedMetadata.changeCount)
    }
    try store.save()
    lock.withLock { lockedMetadata.wereWritten(metadata, changeCount) }
  }

  /// Makes the next save write the file, even without changes. Ignores the URL, because the custom store has it.
  func move(to url: URL) { lock.withLock { lockedMetadata.requireWrite() } }

  func close() throws { try rows.close() }

  // MARK: Saving

  func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64] {
    objects.map { object in
      store.objectID(
        for: object.layout.entity, withReferenceObject: store.newReferenceObject(for: object)
      ).key
    }
  }

  func save(
    _ part: SavedObjects, from context: NSManagedObjectContext, _ build: () throws -> ChangeSet
  ) throws -> (changes: ChangeSet, outcome: SaveOutcome) {
    if part.isEmpty {
      try saveMetadata()
      return (ChangeSet(), .saved(insertedVersions: [], updatedVersions: []))
    }
    var changes = try build()
    // The file is written inside the transaction of the rows, so that a failure leaves both
    // unchanged.
    let outcome = try rows.save(&changes, note: SaveNote()) { try writeNodes(part) }
    return (changes, outcome)
  }

  /// Updates the nodes and writes the file. If that fails, it restores the nodes.
  private func writeNodes(_ part: SavedObjects) throws {
    // A changed object without a node is one whose row was deleted and is inserted again.
    let inserted = part.inserted + part.updated.filter { store.cacheNode(for: $0.ownID) == nil }
    let updated = part.updated.compactMap { object in
      store.cacheNode(for: object.ownID).map { (object: object, node: $0) }
    }
    // Copies, to restore the nodes if writing fails.
    let values = updated.map { $0.node.propertyCache?.mutableCopy() as? NSMutableDictionary }
    let removed = part.deleted.compactMap { store.cacheNode(for: $0.ownID) }
    if !removed.isEmpty { store.willRemoveCacheNodes(Set(removed)) }
    store.removeNodes(removed.map(\.objectID))
    var added: [NSAtomicStoreCacheNode] = []
    do {
      for object in inserted {
        let node = store.newCacheNode(for: object)
        guard node.objectID == object.ownID else {
          throw CoreDataError.make(
            NSPersistentStoreOperationError,
            "newCacheNode(for:) returned a node of \(node.objectID) for \(object.ownID)")
        }
        store.addCacheNodes([node])
        added.append(node)
      }
      // All new nodes must exist before relationships are set, because a relationship may lead from
      // one new node to another.
      for (object, node) in zip(inserted, added)
      where !(object.layout.toOneSlots.isEmpty && object.layout.toManySlots.isEmpty) {
        store.updateCacheNode(node, from: object)
      }
      for (object, node) in updated { store.updateCacheNode(node, from: object) }
      try writeFile()
    } catch {
      store.removeNodes(added.map(\.objectID))
      store.addCacheNodes(Set(removed))
      for (item, values) in zip(updated, values) { item.node.propertyCache = values }
      throw error
    }
  }
}
