import Foundation

extension NSPersistentStoreCoordinator {
  /// The stores that a request asks.
  func stores<Result>(for request: NSFetchRequest<Result>) -> [NSPersistentStore] {
    let open = persistentStores
    guard let affected = request.affectedStores else { return open }
    return affected.filter { store in open.contains { $0 === store } }
  }

  /// Groups new objects by the store that will keep them: the first that can be written and has
  /// the entity.
  func storesForInserting(
    _ objects: [NSManagedObject]
  ) throws -> [(NSPersistentStore, [NSManagedObject])] {
    let open = persistentStores
    var groups: [(NSPersistentStore, [NSManagedObject])] = []
    // Those of one entity mostly come one after the other.
    var last: (layout: EntityLayout, group: Int)?
    for object in objects {
      let isTemporary = object.origin === StoreOrigin.temporary
      let given =
        (isTemporary ? nil : object.origin.store)
        ?? object.unsafeContext?.assignedStore(of: object)
      if given == nil, isTemporary, let last, last.layout === object.layout {
        groups[last.group].1.append(object)
        continue
      }
      guard
        let store = given
          ?? open.first(where: { !$0.isReadOnly && $0.engine.contains(object.layout) })
      else {
        throw CoreDataError.make(
          NSPersistentStoreSaveError,
          open.contains { $0.engine.contains(object.layout) }
            ? "the store of entity \(object.layout.name) is open for reading only"
            : "no open store keeps entity \(object.layout.name)")
      }
      let group = groups.firstIndex { $0.0 === store } ?? groups.count
      if group == groups.count { groups.append((store, [])) }
      groups[group].1.append(object)
      if given == nil { last = (object.layout, group) }
    }
    return groups
  }
}

/// The contexts of a coordinator, or the children of a context, held weakly, which are told of
/// saves.
final class ContextList: @unchecked Sendable {
  private let lock = NSLock()
  private var contexts: [Entry] = []

  private struct Entry { weak var context: NSManagedObjectContext? }

  func add(_ context: NSManagedObjectContext) {
    lock.withLock {
      contexts.removeAll { $0.context == nil || $0.context === context }
      contexts.append(Entry(context: context))
    }
  }

  func remove(_ context: NSManagedObjectContext) {
    lock.withLock { contexts.removeAll { $0.context == nil || $0.context === context } }
  }

  /// The contexts that are still in use.
  var current: [NSManagedObjectContext] { lock.withLock { contexts.compactMap(\.context) } }

  /// Merges a save into the contexts that ask for it, each on its own queue.
  func tell(_ saved: SavedObjects, except source: NSManagedObjectContext) {
    let others = current.filter { $0 !== source && $0.automaticallyMergesChangesFromParent }
    if others.isEmpty { return }
    var ids = saved.ids
    ids.updated += saved.computed
    let changes = ForeignChanges(ids: ids)
    for context in others {
      context.perform { [weak context] in context?.merge(changes) }
    }
  }
}
