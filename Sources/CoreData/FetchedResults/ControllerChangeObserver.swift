/// Observes the context's changes for a controller, and queues those that happen while the controller notifies its
/// delegate and observers.
final class ControllerChangeObserver: ObjectChangeObserver {
  enum Event {
    case changed(ObjectChanges, ChangedSlots)
    case identified([IdentifiedObject])
    case saved(SavedObjects)
  }

  /// What the controller is doing.
  enum Activity {
    case none
    /// Permanent IDs are obtained for the rows of the next report.
    case identifying
    case notifying
  }

  var onEvent: (Event) -> Void = { _ in }
  let interest = ChangeInterest()
  /// The controller's results.
  var results: LiveResults? { didSet { setInterest() } }
  var activity = Activity.none
  /// The events that came while the delegate and the observers were notified.
  var queuedEvents: [Event] = []
  /// What permanent IDs did to the order of rows that are about to be reported.
  var reordered: [ResultsDelta] = []
  /// The report that the delegate is being notified of and that the audience has not received yet.
  var pendingReport: AudienceReport?
  /// The context's count of changes when the results were in step with it and nobody followed.
  var changeCount = 0
  /// Whether the results are kept in step with the context; else only the IDs of unsaved rows are.
  var isFollowing = false
  /// Whether the results may lack changes that happened before.
  var isBehind = false { didSet { setInterest() } }
  /// Rows with unsaved changes when the results were in step last: whoever takes these back later leaves
  /// no trace in the store.
  var unsaved: Set<RowKey> = []
  /// Whether there may be rows without a permanent ID that were not reported.
  var hasUnidentifiedRows = true

  deinit { interest.filter = nil }

  /// Results that lack changes are read anew with the next change, whatever it is.
  private func setInterest() { interest.filter = isBehind ? nil : results }

  /// Queues an event that comes while the delegate and the observers are notified.
  ///
  /// Objects have their new IDs from now on, so their rows get them at once and are found by them; and queued
  /// changes will look for them by these, so the order that goes with the IDs comes before them.
  func enqueue(_ event: Event) {
    results?.examined = (0, false)
    let identified: [IdentifiedObject]
    switch event {
    case .identified(let objects): identified = objects
    case .changed(let changes, _):
      return queuedEvents.append(.changed(changes, ChangedSlots(of: changes.updated)))
    case .saved: return queuedEvents.append(event)
    }
    adoptPermanentIDs(identified)
    if case .identified(var earlier)? = queuedEvents.first {
      // The list is not copied while the event refers to it no more.
      queuedEvents[0] = .identified([])
      earlier.append(contentsOf: identified)
      queuedEvents[0] = .identified(earlier)
    } else {
      queuedEvents.insert(.identified(identified), at: 0)
    }
  }

  func contextDidChange(_ changes: ObjectChanges) {
    // What was found of these changes holds for them alone.
    defer { results?.examined = (0, false) }
    if isFollowing { onEvent(.changed(changes, ChangedSlots())) }
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
