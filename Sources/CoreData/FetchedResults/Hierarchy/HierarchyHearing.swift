import Foundation

/// Hears of the context's changes for hierarchical results, and keeps what comes while somebody is told, or
/// while nobody is there to be told.
final class HierarchyHearing: ObjectChangeObserver {
  enum Event {
    case changed(ObjectChanges, ChangedSlots)
    case identified([NewID])

    /// Changes results; tells how. Where it throws, they are as they were.
    func apply(to results: HierarchicalResults) throws -> TableUpdates {
      switch self {
      case .changed(let changes, let slots): try results.apply(changes, slots)
      case .identified(let keys): try results.identify(keys)
      }
    }
  }

  let interest = ChangeInterest()
  var heard: (Event) -> Void = { _ in }
  /// Gives rows the IDs that their objects have from now on.
  var adopted: ([NewID]) -> Void = { _ in }
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

  /// Keeps what happens while somebody is told. Objects have their new IDs from then on: rows are found by them, and
  /// the order that goes with them comes before other changes.
  func keep(_ event: Event, in results: HierarchicalResults) {
    let keys: [NewID]
    switch event {
    case .identified(let new): keys = new
    case .changed(let changes, _):
      return waiting.append(.changed(changes, ChangedSlots(of: changes.updated)))
    }
    results.takeIDs(keys)
    if case .identified(var earlier)? = waiting.first {
      // The list is not copied while the event refers to it no more.
      waiting[0] = .identified([])
      earlier.append(contentsOf: keys)
      waiting[0] = .identified(earlier)
    } else {
      waiting.insert(.identified(keys), at: 0)
    }
  }

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
    case .changed(let changes, let slots):
      isBehind = true
      for list in [changes.inserted, changes.updated, changes.deleted] {
        for object in list where results.shows(object, slots) { missed.insert(object) }
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

  func contextDidChange(_ changes: ObjectChanges) {
    guard changes.isReset else { return heard(.changed(changes, ChangedSlots())) }
    // Whoever hears of a reset may insert objects before it is told here: that comes as a change of its own.
    heard(.changed(changes.resetAlone, ChangedSlots()))
    if !changes.afterReset.isEmpty { heard(.changed(changes.afterReset, ChangedSlots())) }
  }

  /// Hierarchical results hold all objects that they show.
  func shows(_ key: Int64, _ origin: StoreOrigin) -> Bool { false }

  func adoptPermanentIDs(_ keys: [NewID]) { adopted(keys) }
  func objectsDidGetPermanentIDs(_ keys: [NewID]) { heard(.identified(keys)) }
  func contextDidSave(_ objects: SavedObjects) { saved(objects) }
}

/// Somebody who is told of hierarchical results.
final class HierarchyListener {
  let told: (TableUpdates) -> Void
  private weak var view: AnyObject?
  private let hasView: Bool

  /// - Parameter view: for whom it listens, where it ends with it.
  init(for view: AnyObject? = nil, _ told: @escaping (TableUpdates) -> Void) {
    self.told = told
    self.view = view
    hasView = view != nil
  }

  /// Whether nobody is there any more.
  var isOver: Bool { hasView && view == nil }
}
