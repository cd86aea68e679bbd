import Foundation

/// What happened in a context since its changes were processed last.
struct PendingChanges {
  var inserted = ChangeList()
  var updated = ChangeList()
  var deleted = ChangeList()
  /// Objects whose values were taken anew from the store.
  var refreshed = ChangeList()
  /// Those of the above that another context's save brought.
  var merged = ChangeList()
  /// Objects whose rows changed while nobody here had read them: only live results are told.
  var outdated = ChangeList()
  /// Rows changed in the stores that nobody named: live results have to look themselves.
  var isIncomplete = false
  /// Everything was let go (`reset`).
  var invalidatedAll: [NSManagedObjectID] = []

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && outdated.isEmpty && invalidatedAll.isEmpty && !isIncomplete
  }
}

/// What live results are told: which objects are new, other than before, or gone.
struct ObjectChanges {
  let inserted: [NSManagedObject]
  /// Changed here, or taken anew from the store.
  let updated: [NSManagedObject]
  let deleted: [NSManagedObject]
  let isReset: Bool
  /// Whether rows changed beside these, unknown which.
  let isIncomplete: Bool
}

/// Whoever wants to know of a context's changes, held weakly.
final class ChangeObservers {
  private var observers: [Entry] = []

  /// In an object of its own: copying an array of weak references takes longer than telling.
  private final class Entry {
    weak var observer: (any ObjectChangeObserver)?
    init(_ observer: any ObjectChangeObserver) { self.observer = observer }
  }

  func add(_ observer: any ObjectChangeObserver) {
    remove(observer)
    observers.append(Entry(observer))
  }

  func remove(_ observer: any ObjectChangeObserver) {
    observers.removeAll { $0.observer == nil || $0.observer === observer }
  }

  func contains(_ observer: any ObjectChangeObserver) -> Bool {
    observers.contains { $0.observer === observer }
  }

  var isEmpty: Bool { !observers.contains { $0.observer != nil } }

  /// Those who are there now, in the order in which they came; one may end while others are told.
  func forEach(_ tell: (any ObjectChangeObserver) -> Void) {
    for entry in observers { if let observer = entry.observer { tell(observer) } }
  }
}

/// Is told of a context's changes, on its queue, each time they are processed.
protocol ObjectChangeObserver: AnyObject {
  func contextDidChange(_ changes: ObjectChanges)
  /// Unsaved objects got their permanent IDs.
  func objectsDidGetPermanentIDs(_ keys: [(object: NSManagedObject, temporary: Int64)])
  /// The context's objects were saved, and their rows have new versions.
  func contextDidSave(_ objects: SavedObjects)
}
