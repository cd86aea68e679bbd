import Foundation

/// Hears of the context's changes for hierarchical results, and keeps what comes while somebody is told, or
/// while nobody is there to be told.
final class HierarchyHearing: ObjectChangeObserver {
  enum Event {
    case changed(ObjectChanges, ChangedKeys)
    case identified([ControllerHearing.NewID])

    /// Changes results; tells how. Where it throws, they are as they were.
    func apply(to results: HierarchicalResults) throws -> TableUpdates {
      switch self {
      case .changed(let changes, let keys): try results.apply(changes, keys)
      case .identified(let keys): try results.identify(keys)
      }
    }

    /// With what can be asked only now.
    func kept(for results: HierarchicalResults) -> Event {
      guard case .changed(let changes, _) = self else { return self }
      return .changed(changes, ChangedKeys(of: changes.updated.filter(results.hasParent)))
    }
  }

  let interest = ChangeInterest()
  var heard: (Event) -> Void = { _ in }
  var saved: (SavedObjects) -> Void = { _ in }
  private(set) var isTelling = false
  /// What happened while somebody was told.
  var waiting: [Event] = []
  /// The last report, and who is still to be told of it.
  var untold: (updates: TableUpdates, listeners: ArraySlice<HierarchyListener>) = (.init(), [])
  /// Whether changes happened that the results do not have: nobody was there to be told, or the store failed.
  private(set) var isBehind = false
  /// The objects of the results that changed with them.
  private var missed = ChangeList()

  /// Does what outsiders take part in; what they change is heard of afterwards.
  func telling<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = isTelling
    isTelling = true
    defer { isTelling = before }
    return try body()
  }

  /// Notes what the results do not take in.
  func miss(_ event: Event, in results: HierarchicalResults) {
    switch event {
    case .changed(let changes, let keys):
      isBehind = true
      for list in [changes.inserted, changes.updated, changes.deleted] {
        for object in list where results.shows(object, keys) { missed.insert(object) }
      }
    case .identified(let keys):
      if keys.contains(where: { results.has($0.object) }) { isBehind = true }
    }
  }

  /// The results are read anew, with all that happened.
  ///
  /// - Parameter results: the former ones.
  /// - Returns: the objects that changed and were not told of.
  func takeMissed(in results: HierarchicalResults?) -> ChangeList {
    if let results { for event in waiting { miss(event, in: results) } }
    waiting = []
    isBehind = false
    defer { missed = ChangeList() }
    return missed
  }

  func contextDidChange(_ changes: ObjectChanges) { heard(.changed(changes, ChangedKeys())) }
  func objectsDidGetPermanentIDs(_ keys: [ControllerHearing.NewID]) { heard(.identified(keys)) }
  func contextDidSave(_ objects: SavedObjects) { saved(objects) }
}

/// Somebody who is told of hierarchical results.
final class HierarchyListener {
  let told: (TableUpdates) -> Void
  init(_ told: @escaping (TableUpdates) -> Void) { self.told = told }
}

/// Which properties of objects changed. Objects can be asked for it while the change is processed; of one
/// that waits it is kept.
struct ChangedKeys {
  private var kept: [ObjectIdentifier: Set<String>]?

  /// Asks the objects.
  init() {}

  /// Keeps what objects say now.
  init(of objects: [NSManagedObject]) {
    var kept: [ObjectIdentifier: Set<String>] = [:]
    for object in objects { kept[ObjectIdentifier(object)] = Self.keys(of: object) }
    self.kept = kept
  }

  private static func keys(of object: NSManagedObject) -> Set<String> {
    Set(object.changedValuesForCurrentEvent().keys)
  }

  /// Whether an object changed in something beside one property, as far as is known.
  func areOther(than key: String, of object: NSManagedObject) -> Bool {
    let keys = kept.map { $0[ObjectIdentifier(object)] ?? [] } ?? Self.keys(of: object)
    return keys.isEmpty || keys.contains { $0 != key }
  }
}
