/// Observes the context's changes for a controller, and queues those that the controller cannot process immediately.
final class ControllerChangeObserver: ObjectChangeObserver {
  enum Event {
    case changed(ObjectChanges, ChangedSlots)
    case identified([IdentifiedObject])
    case saved(SavedObjects)
  }

  /// The controller's current activity.
  enum Activity {
    case none
    /// The controller is obtaining permanent IDs for the rows of the next report.
    case identifying
    case notifying
  }

  var onEvent: (Event) -> Void = { _ in }
  let interest = ChangeInterest()
  /// The controller's results; nil before the first fetch.
  var results: LiveResults? { didSet { setInterest() } }
  var activity = Activity.none
  /// The events that arrived while the controller was notifying its delegate and observers, or obtaining permanent IDs.
  var queuedEvents: [Event] = []
  /// The moves that new permanent IDs caused, which the next report includes.
  var reordered: [ResultsDelta] = []
  /// The report that the delegate is receiving, and that observers and readers receive after it; nil if there is none.
  var pendingReport: AudienceReport?
  /// The context's change count when the controller last fetched or stopped following the context.
  var changeCount = 0
  /// Whether the context's changes are applied to the results. Otherwise only IDs of unsaved rows are updated.
  var isFollowing = false
  /// Whether the results may lack earlier changes.
  var isBehind = false { didSet { setInterest() } }
  /// The rows that had unsaved changes when the results last matched the context, and those of later changes that could
  /// not be applied. Undoing such a change later leaves no trace in the store.
  var unsaved: Set<RowKey> = []
  /// Whether there may be rows without a permanent ID that have not been reported.
  var hasUnidentifiedRows = true

  // Breaks a retain cycle: the context's list of observers retains `interest`, and the filter retains the context.
  deinit { interest.filter = nil }

  /// Results that lack earlier changes are reread with the next change, so no change may be filtered out.
  private func setInterest() { interest.filter = isBehind ? nil : results }

  /// Queues an event that arrives while the controller notifies its delegate and observers or obtains permanent IDs.
  /// Rows adopt permanent IDs immediately.
  func enqueue(_ event: Event) {
    // The findings of `mayChange(by:)` are no longer valid when the event is processed.
    results?.examined = (0, false)
    let identified: [IdentifiedObject]
    switch event {
    case .identified(let objects): identified = objects
    case .changed(let changes, _):
      // Compares now, because the context forgets the former values after it has notified its observers.
      return queuedEvents.append(.changed(changes, ChangedSlots(of: changes.updated)))
    case .saved: return queuedEvents.append(event)
    }
    // Rows adopt the IDs immediately, because their objects have these IDs from now on, and both
    // the delegate and the queued changes look rows up by them.
    adoptPermanentIDs(identified)
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

  func contextDidChange(_ changes: ObjectChanges) {
    // The findings of `mayChange(by:)` are valid for these changes only.
    defer { results?.examined = (0, false) }
    if isFollowing { onEvent(.changed(changes, ChangedSlots())) }
  }

  func covers(_ layout: EntityLayout) -> Bool {
    isFollowing && results?.covers(layout) == true
  }

  func shows(_ key: Int64, _ origin: StoreOrigin) -> Bool {
    results?.tree.location(ofKey: key, origin) != nil
  }

  func adoptPermanentIDs(_ objects: [IdentifiedObject]) {
    _ = results?.assignPermanentIDs(objects)
    if unsaved.isEmpty { return }
    for (object, temporary) in objects
    where unsaved.remove(RowKey(object.layout, temporary, .temporary)) != nil {
      unsaved.insert(RowKey(object))
    }
  }

  func objectsDidGetPermanentIDs(_ objects: [IdentifiedObject]) { onEvent(.identified(objects)) }
  func contextDidSave(_ objects: SavedObjects) { onEvent(.saved(objects)) }
}
