/// Hears of the context's changes for a controller, and keeps what comes while it is telling.
final class ControllerHearing: ObjectChangeObserver {
  enum Event {
    case changed(ObjectChanges, ChangedSlots)
    case identified([NewID])
    case saved(SavedObjects)
  }

  /// What the controller is doing.
  enum Activity {
    case none
    /// Permanent IDs are obtained for what will be told.
    case identifying
    case telling
  }

  var heard: (Event) -> Void = { _ in }
  let interest = ChangeInterest()
  /// The controller's results.
  var results: LiveResults? { didSet { setInterest() } }
  var activity = Activity.none
  /// What happened while the delegate and the observers were being told.
  var waiting: [Event] = []
  /// What permanent IDs did to the order of rows that are about to be told.
  var reordered: [ResultsDelta] = []
  /// The report that is being told and that the audience was not told yet.
  var untold: AudienceReport?
  /// The context's count of changes when the results were in step with it and nobody followed.
  var changeCount = 0
  /// Whether the results are kept in step with the context; else only the IDs of unsaved rows are.
  var isFollowing = false
  /// Whether the results may lack changes that happened before.
  var isBehind = false { didSet { setInterest() } }
  /// Rows with unsaved changes when the results were in step last: whoever takes these back later leaves
  /// no trace in the store.
  var unsaved: Set<RowKey> = []
  /// Whether there may be rows without a permanent ID that were not told.
  var hasUnidentifiedRows = true

  deinit { interest.filter = nil }

  /// Results that lack changes are read anew with the next change, whatever it is.
  private func setInterest() { interest.filter = isBehind ? nil : results }

  /// Keeps what happened while others are told.
  ///
  /// Objects have their new IDs from now on, so their rows get them at once and are found by them; and changes
  /// that wait will look for them by these, so the order that goes with the IDs comes before them.
  func keep(_ event: Event) {
    let keys: [NewID]
    switch event {
    case .identified(let new): keys = new
    case .changed(let changes, _):
      return waiting.append(.changed(changes, ChangedSlots(of: changes.updated)))
    case .saved: return waiting.append(event)
    }
    adoptPermanentIDs(keys)
    if case .identified(var earlier)? = waiting.first {
      // The list is not copied while the event refers to it no more.
      waiting[0] = .identified([])
      earlier.append(contentsOf: keys)
      waiting[0] = .identified(earlier)
    } else {
      waiting.insert(.identified(keys), at: 0)
    }
  }

  func contextDidChange(_ changes: ObjectChanges) {
    if isFollowing { heard(.changed(changes, ChangedSlots())) }
  }

  func shows(_ key: Int64, _ origin: StoreOrigin) -> Bool {
    results?.tree.place(ofKey: key, origin) != nil
  }

  func adoptPermanentIDs(_ keys: [NewID]) {
    _ = results?.takeIDs(keys)
    if unsaved.isEmpty { return }
    for (object, temporary) in keys
    where unsaved.remove(RowKey(object.layout, temporary, .temporary)) != nil {
      unsaved.insert(RowKey(object))
    }
  }

  func objectsDidGetPermanentIDs(_ keys: [NewID]) { heard(.identified(keys)) }
  func contextDidSave(_ objects: SavedObjects) { heard(.saved(objects)) }
}
