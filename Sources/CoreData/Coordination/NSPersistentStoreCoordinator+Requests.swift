extension NSPersistentStoreCoordinator {
  /// Returns the stores that a request reads: its affected stores, or else all stores. If there are several, leaves out
  /// the stores that do not contain the entity.
  ///
  /// Returns each store once, in the order in which the stores were added.
  func stores<Result>(
    for request: NSFetchRequest<Result>, of layout: EntityLayout
  ) -> [NSPersistentStore] {
    var stores = persistentStores
    if let affected = request.affectedStores {
      stores.removeAll { store in !affected.contains { $0 === store } }
    }
    return stores.count > 1 ? stores.filter { $0.engine.contains(layout) } : stores
  }

  /// Returns whether a store, or the one that replaced it when its objects were moved, is open in this coordinator.
  func hasOpen(_ store: NSPersistentStore) -> Bool {
    let present = store.engine.origin.store ?? store
    return persistentStores.contains { $0 === present }
  }

  /// Groups new objects of one context by the store that will contain them: the store of an object's permanent ID, the
  /// store that the object is assigned to, or else the first writable store that contains the entity.
  func storesForInserting(
    _ objects: [NSManagedObject]
  ) throws -> [(NSPersistentStore, [NSManagedObject])] {
    let open = persistentStores
    let session = objects.first?.unsafeContext?.session
    var groups: [(NSPersistentStore, [NSManagedObject])] = []
    var start = 0
    while start < objects.count {
      let first = objects[start]
      // An object that has a permanent ID before its first save already belongs to the store of that ID.
      let given = try first.key > 0 ? first.reachableStore : session?.store(of: first)
      let store = try given ?? storeForInserting(first.layout, open)
      var end = start + 1
      if given == nil, session?.assignsStores != true {
        // Consecutive objects usually have the same entity, and thus go to the same store.
        let layout = first.layout
        while end < objects.count, objects[end].layout === layout, objects[end].key <= 0 {
          end += 1
        }
        // Usually all objects go to one store. Then the array is passed on without a copy.
        if end - start == objects.count { return [(store, objects)] }
      }
      let group = groups.firstIndex { $0.0 === store } ?? groups.count
      if group == groups.count {
        // The context may have had another coordinator when the store was assigned.
        if !open.contains(where: { $0 === store }) { throw first.unreachableStore }
        groups.append((store, []))
      }
      groups[group].1 += objects[start..<end]
      start = end
    }
    return groups
  }

  private func storeForInserting(
    _ layout: EntityLayout, _ open: [NSPersistentStore]
  ) throws -> NSPersistentStore {
    let stores = open.filter { $0.engine.contains(layout) }
    // A table contains a whole entity hierarchy, so a store may contain rows of entities that are in no configuration
    // or in the configuration of another store.
    func those(_ entities: (NSPersistentStore) -> [NSEntityDescription]?) -> [NSPersistentStore] {
      stores.filter { store in
        store.configurationName == NSManagedObjectModel.defaultConfigurationName
          || entities(store)?.contains { $0.name == layout.name } == true
      }
    }
    let model = layouts.model
    var keeping = those { model.entities(forConfigurationName: $0.configurationName) }
    if keeping.isEmpty {
      keeping = those { model.storedEntities(forConfigurationName: $0.configurationName) }
    }
    // As in Apple's Core Data, new objects go to the first writable store (`CoordinatorTests`).
    if let store = keeping.first(where: { !$0.isReadOnly }) { return store }
    if let store = keeping.first {
      throw CoreDataError.readOnly(
        "the store \(store.url?.path ?? "") of entity \(layout.name)", at: store.url)
    }
    throw CoreDataError.make(
      NSPersistentStoreSaveError, "no open store contains entity \(layout.name)")
  }
}

extension NSManagedObject {
  /// The store of an object with a permanent ID.
  ///
  /// - Throws: An error if the store was removed, or its objects were moved to another store and got new IDs.
  var reachableStore: NSPersistentStore {
    get throws {
      if let store = origin.store { return store }
      throw unreachableStore
    }
  }

  /// The error for an object whose store is not open in the coordinator of its context.
  fileprivate var unreachableStore: NSError {
    // Apple's exception has the same text.
    CoreDataError.badRequest(
      "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator:"
        + " \(ownID)")
  }
}

/// The contexts of a coordinator, or the children of a context. Holds them weakly, and merges saves into them.
final class ContextList: @unchecked Sendable {
  private let lock = NSLock()
  private var contexts: [Entry] = []

  private struct Entry { weak var context: NSManagedObjectContext? }

  func add(_ context: NSManagedObjectContext) {
    change(context) { contexts.append(Entry(context: context)) }
  }

  func remove(_ context: NSManagedObjectContext) { change(context) {} }

  /// Removes a context, then runs `body` under the lock.
  private func change(_ context: NSManagedObjectContext, _ body: () -> Void) {
    let present = lock.withLock {
      let present = contexts.map(\.context)
      contexts.removeAll { $0.context == nil || $0.context === context }
      body()
      return present
    }
    // The `deinit` of a context acquires other locks, so a context must not be freed under this one.
    withExtendedLifetime(present) {}
  }

  /// The contexts that still exist.
  var current: [NSManagedObjectContext] { lock.withLock { contexts.compactMap(\.context) } }

  /// Merges a save into the other contexts that merge changes automatically, each on its own queue.
  func mergeSave(_ saved: SavedObjects, exceptIn source: NSManagedObjectContext) {
    let others = current.filter { $0 !== source && $0.mergesOnItsQueue }
    if others.isEmpty { return }
    var ids = saved.ids
    // The store computed derived attributes of these rows again, although no context saved the rows.
    ids.updated += saved.computed
    let changes = ForeignChanges(ids: ids)
    for context in others {
      // As in Apple's Core Data, each context merges asynchronously on its own queue. The reference is weak, so that
      // an enqueued merge does not keep the context alive.
      context.perform { [weak context] in context?.merge(changes) }
    }
  }
}
