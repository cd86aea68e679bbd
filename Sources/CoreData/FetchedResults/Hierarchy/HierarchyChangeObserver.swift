/// Observes the context's changes for hierarchical results, and queues those that happen while the delegate or a
/// listener is notified, or while there is none.
final class HierarchyChangeObserver: ObjectChangeObserver {
  enum Event {
    case changed(ObjectChanges, ChangedSlots)
    case identified([IdentifiedObject])

    /// Changes results and returns how. Where it throws, they are as they were.
    func apply(to results: HierarchicalResults) throws -> TableUpdates {
      switch self {
      case .changed(let changes, let slots): try results.apply(changes, slots)
      case .identified(let objects): try results.identify(objects)
      }
    }
  }

  let interest = ChangeInterest()
  var onEvent: (Event) -> Void = { _ in }
  /// Gives rows the IDs that their objects have from now on.
  var adopted: ([IdentifiedObject]) -> Void = { _ in }
  var saved: (SavedObjects) -> Void = { _ in }
  private(set) var isNotifying = false
  /// The events that came while the delegate or a listener was notified.
  var queuedEvents: [Event] = []
  /// The last report, and the listeners that have not received it yet.
  var pendingDelivery: (updates: TableUpdates, listeners: ArraySlice<HierarchyListener>) = (
    .init(), []
  )
  /// Whether changes happened that the results do not have: nobody was there to be told, or the store failed.
  private(set) var isBehind = false
  /// The objects of the results that changed with them.
  private var missed = ChangeList()

  /// Queues an event that comes while the delegate or a listener is notified. Objects have their new IDs from then
  /// on: rows are found by them, and the order that goes with them comes before other changes.
  func enqueue(_ event: Event, in results: HierarchicalResults) {
    let identified: [IdentifiedObject]
    switch event {
    case .identified(let objects): identified = objects
    case .changed(let changes, _):
      return queuedEvents.append(.changed(changes, ChangedSlots(of: changes.updated)))
    }
    results.assignPermanentIDs(identified)
    if case .identified(var earlier)? = queuedEvents.first {
      // The list is not copied while the event refers to it no more.
      queuedEvents[0] = .identified([])
      earlier.append(contentsOf: identified)
      queuedEvents[0] = .identified(earlier)
    } else {
      queuedEvents.insert(.identified(identified), at: 0)
    }
  }

  /// Calls code of the program; the changes that it makes are processed afterwards.
  func whileNotifying<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = isNotifying
    isNotifying = true
    defer { isNotifying = before }
    return try body()
  }

  /// Records an event that the results do not apply.
  func recordMissed(_ event: Event, in results: HierarchicalResults) {
    switch event {
    case .changed(let changes, let slots):
      isBehind = true
      for list in [changes.inserted, changes.updated, changes.deleted] {
        for object in list where results.shows(object, slots) { missed.insert(object) }
      }
    case .identified(let objects):
      if objects.contains(where: { results.has($0.object) }) { isBehind = true }
    }
  }

  /// The results are read again, with all changes.
  ///
  /// - Parameter results: the former ones.
  /// - Returns: the objects that changed and were not reported.
  func drainMissedChanges(in results: HierarchicalResults?) -> ChangeList {
    if let results { for event in queuedEvents { recordMissed(event, in: results) } }
    queuedEvents = []
    isBehind = false
    return exchange(&missed, with: ChangeList())
  }

  func contextDidChange(_ changes: ObjectChanges) {
    guard changes.isReset else { return onEvent(.changed(changes, ChangedSlots())) }
    // Whoever hears of a reset may insert objects before it is told here: that comes as a change of its own.
    onEvent(.changed(changes.resetAlone, ChangedSlots()))
    if !changes.afterReset.isEmpty { onEvent(.changed(changes.afterReset, ChangedSlots())) }
  }

  /// Hierarchical results hold all objects that they show.
  func shows(_ key: Int64, _ origin: StoreOrigin) -> Bool { false }

  func adoptPermanentIDs(_ objects: [IdentifiedObject]) { adopted(objects) }
  func objectsDidGetPermanentIDs(_ objects: [IdentifiedObject]) { onEvent(.identified(objects)) }
  func contextDidSave(_ objects: SavedObjects) { saved(objects) }
}
