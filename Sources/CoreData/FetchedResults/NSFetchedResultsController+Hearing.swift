import Foundation

// What the context says, one thing after the other: what happens while the delegate and the observers are
// told waits, so that the results are as the report says until the last of them was told.

extension NSFetchedResultsController {
  /// Whether anybody wants to know of changes.
  var isFollowed: Bool { delegate != nil || !audience.isEmpty }

  func fetch(tellsDelegate: Bool) throws {
    let loaded = try liveResults()
    try loaded.load(cacheName: cacheName)
    take(loaded, tellsDelegate: tellsDelegate)
  }

  /// Takes the place of the former results, and tells what that does to the rows.
  private func take(_ loaded: LiveResults, tellsDelegate: Bool) {
    let old = results
    // A delegate may fetch anew while it is told.
    if let old { tellAudience(in: old) }
    results = loaded
    hearing.changeCount = managedObjectContext.changeCount
    hearing.isBehind = false
    hearing.waiting = []
    audienceChanged()
    if audience.isEmpty, !tellsDelegate { return }
    if tellsIDs { identifyRows() }
    hearing.reordered = []
    if let old {
      let delta = loaded.delta(from: old)
      if !delta.isEmpty { tell(delta, tellsDelegate: tellsDelegate) }
    } else {
      audience.begin { loaded.firstSnapshot }
    }
  }

  /// Follows the context from here on, or no longer.
  func audienceChanged() {
    hearing.hasUnidentifiedRows = true
    let observers = managedObjectContext.observers
    let isFollowing = observers.contains(hearing)
    if isFollowed, results != nil {
      if isFollowing { return }
      if hearing.changeCount != managedObjectContext.changeCount { hearing.isBehind = true }
      observers.add(hearing)
    } else if isFollowing {
      observers.remove(hearing)
      hearing.changeCount = managedObjectContext.changeCount
    }
  }

  func hear(_ event: ControllerHearing.Event) {
    switch hearing.activity {
    case .none: break
    case .telling:
      hearing.waiting.append(event)
      return
    case .identifying:
      if case .identified(let keys) = event {
        if let delta = changeResults({ try $0.identify(keys) }), !delta.isEmpty {
          hearing.reordered.append(delta)
        }
      } else {
        hearing.waiting.append(event)
      }
      return
    }
    take(event)
    takeWaiting()
  }

  private func takeWaiting() {
    while !hearing.waiting.isEmpty { take(hearing.waiting.removeFirst()) }
  }

  /// Reads anew what was missed while nobody was there to be told.
  func catchUp() {
    guard hearing.isBehind, hearing.activity == .none else { return }
    hear(
      .changed(
        ObjectChanges(
          inserted: [], updated: [], deleted: [], isReset: false, isIncomplete: true)))
  }

  private func take(_ event: ControllerHearing.Event) {
    guard isFollowed else {
      // The delegate is gone; this change is missed.
      audienceChanged()
      return hearing.isBehind = true
    }
    let isBehind = hearing.isBehind
    var renamed: [ControllerHearing.NewID] = []
    let delta: ResultsDelta?
    switch event {
    case .saved(let objects):
      results?.noteVersions(objects)
      return
    case .changed(let changes):
      if isBehind { hearing.isBehind = false }
      delta = changeResults { results in
        (isBehind || changes.isIncomplete) && !changes.isReset
          ? try results.reread(changes) : try results.apply(changes)
      }
    case .identified(let keys):
      // Rows that are not there yet have the IDs when they come.
      delta = isBehind ? nil : changeResults { try $0.identify(keys) }
      if delta != nil, tellsIDs { renamed = keys.filter { results?.rank(of: $0.object) != nil } }
    }
    if let delta, !delta.isEmpty || !renamed.isEmpty { tell(delta, renamed: renamed) }
  }

  /// - Returns: nil where the store failed; what is shown stays as it was, and is read anew with the next
  ///   change.
  private func changeResults(_ change: (LiveResults) throws -> ResultsDelta) -> ResultsDelta? {
    guard let results else { return nil }
    do {
      let delta = try change(results)
      if !delta.isEmpty { sectionList = nil }
      return delta
    } catch {
      hearing.isBehind = true
      Log.contextNotice(
        "live results of \(fetchRequest.entityName ?? ""): \(error.localizedDescription)")
      return nil
    }
  }

  // MARK: Permanent IDs

  /// Gives new rows their permanent IDs before they are told of by ID.
  ///
  /// Where a store cannot give IDs now, rows keep temporary ones until they are saved.
  func identifyRows(_ new: [ResultsDelta.Row] = []) {
    guard let results else { return }
    var objects = new.map { $0.subject.object(in: results) }
    if hearing.hasUnidentifiedRows {
      objects = managedObjectContext.inserted.filter { results.rank(of: $0) != nil }
    }
    objects = objects.filter { $0.flags.contains(.inserted) && $0.identifiedKey < 0 }
    hearing.hasUnidentifiedRows = false
    if objects.isEmpty { return }
    let before = hearing.activity
    hearing.activity = .identifying
    defer { hearing.activity = before }
    do {
      try managedObjectContext.obtainPermanentIDs(for: objects)
    } catch {
      hearing.hasUnidentifiedRows = true
      Log.contextNotice(
        "IDs for live results of \(fetchRequest.entityName ?? ""): \(error.localizedDescription)")
    }
  }

  /// Does what outsiders take part in; what they change is heard of afterwards.
  func telling(_ body: () -> Void) {
    let before = hearing.activity
    hearing.activity = .telling
    body()
    hearing.activity = before
    if before == .none { takeWaiting() }
  }
}
