/// Observes the context's changes for hierarchical results. It queues changes that occur while the delegate or a
/// listener is being notified, and records the changes that the results miss.
final class HierarchyChangeObserver: ObjectChangeObserver {
  enum Event {
    case changed(ObjectChanges, ChangedSlots)
    case identified([IdentifiedObject])

    /// Applies the event to results and returns the updates. If it throws, the results stay as they were.
    func apply(to results: HierarchicalResults) throws -> TableUpdates {
      switch self {
      case .changed(let changes, let slots): try results.apply(changes, slots)
      case .identified(let objects): try results.identify(objects)
      }
    }
  }

  let interest = ChangeInterest()
  var onEvent: (Event) -> Void = { _ in }
  /// Assigns the new IDs of objects to their rows.
  var onPermanentIDs: ([IdentifiedObject]) -> Void = { _ in }
  var onSave: (SavedObjects) -> Void = { _ in }
  /// Returns whether the results cover an entity.
  var coversEntity: (EntityLayout) -> Bool = { _ in false }
  private(set) var isNotifying = false
  /// The events that arrived while the delegate or a listener was being notified.
  var queuedEvents: [Event] = []
  /// The last report, and the listeners that have not received it yet.
  var pendingDelivery: (updates: TableUpdates, listeners: ArraySlice<HierarchyListener>) = (
    .init(), []
  )
  /// Whether the results miss changes, because there was no delegate or listener, or because the store failed.
  private(set) var isBehind = false
  /// The objects of the results that the missed changes affect.
  private var missed = ChangeList()

  /// Queues an event that arrives while the delegate or a listener is being notified. Rows adopt
  /// new IDs immediately.
  func enqueue(_ event: Event, in results: HierarchicalResults) {
    let identified: [IdentifiedObject]
    switch event {
    case .identified(let objects): identified = objects
    case .changed(let changes, _):
      // Compares old and new values now, because the context discards the old ones after it has notified its observers.
      return queuedEvents.append(.changed(changes, ChangedSlots(of: changes.updated)))
    }
    // Rows adopt the IDs immediately, because rows are looked up by the IDs that their objects have
    // now.
    results.assignPermanentIDs(identified)
    if case .identified(var earlier)? = queuedEvents.first {
      // Empties the event first, so that appending does not copy the array.
      queuedEvents[0] = .identified([])
      earlier.append(contentsOf: identified)
      queuedEvents[0] = .identified(earlier)
    } else {
      // The event is inserted in front, because the queued changes look rows up by the new IDs.
      queuedEvents.insert(.identified(identified), at: 0)
    }
  }

  /// Runs `body`, which calls code of the app or reads from the store. Changes that occur meanwhile are queued.
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

  /// Clears the missed changes, after the results were read again.
  ///
  /// - Parameter results: The former results.
  /// - Returns: The objects with unreported changes.
  func drainMissedChanges(in results: HierarchicalResults?) -> ChangeList {
    if let results { for event in queuedEvents { recordMissed(event, in: results) } }
    queuedEvents = []
    isBehind = false
    return exchange(&missed, with: ChangeList())
  }

  func contextDidChange(_ changes: ObjectChanges) {
    guard changes.isReset else { return onEvent(.changed(changes, ChangedSlots())) }
    // Another observer of the reset may insert objects before this one is notified. They are a separate change.
    onEvent(.changed(changes.resetAlone, ChangedSlots()))
    if !changes.afterReset.isEmpty { onEvent(.changed(changes.afterReset, ChangedSlots())) }
  }

  func covers(_ layout: EntityLayout) -> Bool { coversEntity(layout) }

  /// Always `false`: hierarchical results retain all objects that they show.
  func shows(_ key: Int64, _ origin: StoreOrigin) -> Bool { false }

  func adoptPermanentIDs(_ objects: [IdentifiedObject]) { onPermanentIDs(objects) }
  func objectsDidGetPermanentIDs(_ objects: [IdentifiedObject]) { onEvent(.identified(objects)) }
  func contextDidSave(_ objects: SavedObjects) { onSave(objects) }
}
