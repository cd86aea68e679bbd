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
    let missed = missedRows
    results = loaded
    hearing.changeCount = managedObjectContext.changeCount
    hearing.isBehind = false
    hearing.isFollowing = true
    hearing.waiting = []
    audienceChanged()
    let givesSnapshot = delegate.map { DelegateForms(of: $0).mayHave(.snapshot) } ?? false
    if tellsIDs { identifyRows() }
    hearing.reordered = []
    if audience.isEmpty, !tellsDelegate, !givesSnapshot { return }
    var changed: [NSManagedObjectID] = []
    var isTold = false
    if let old {
      let delta = loaded.delta(from: old, missed: missed)
      isTold = tellsDelegate && !delta.isEmpty
      if givesSnapshot, !isTold { changed = FetchedResultsReport(delta).changedIDs }
      if !delta.isEmpty { tell(delta, tellsDelegate: tellsDelegate) }
    } else {
      audience.begin(mayMerge: loaded.mayMergeInSnapshots) { loaded.firstSnapshot }
    }
    if givesSnapshot, !isTold { tellFetched(loaded, reloading: changed) }
  }

  /// Follows the context from here on, or no longer.
  func audienceChanged() {
    hearing.hasUnidentifiedRows = true
    let wasFollowing = hearing.isFollowing
    hearing.isFollowing = isFollowed && results != nil
    if hearing.isFollowing {
      if !wasFollowing, hearing.changeCount != managedObjectContext.changeCount {
        hearing.isBehind = true
      }
    } else if wasFollowing {
      hearing.changeCount = managedObjectContext.changeCount
      hearing.unsaved = unsavedRows
    }
    let observers = managedObjectContext.observers
    let hears = hearing.isFollowing || results?.mayHaveUnsavedRows == true
    if hears == observers.contains(hearing) { return }
    if hears { observers.add(hearing) } else { observers.remove(hearing) }
  }

  /// Rows that may have changed since changes were told last, perhaps without a trace in the store.
  private var missedRows: Set<RowKey> {
    var rows = hearing.isBehind ? hearing.unsaved.union(unsavedRows) : []
    for case .changed(let changes, _) in hearing.waiting {
      for object in changes.updated { rows.insert(RowKey(object)) }
    }
    return rows
  }

  /// Rows of objects that are not as the store has them, or were not when changes were told last.
  private var unsavedRows: Set<RowKey> {
    var rows: Set<RowKey> = []
    guard let results else { return rows }
    let context = managedObjectContext
    // What was taken back a moment ago is not told yet.
    let lists = [
      context.inserted, context.updated, context.deleted, context.pending.inserted,
      context.pending.refreshed,
    ]
    for list in lists {
      for object in list where results.members.covers(object.layout) { rows.insert(RowKey(object)) }
    }
    return rows
  }

  func hear(_ event: ControllerHearing.Event) {
    switch hearing.activity {
    case .none: break
    case .telling:
      hearing.keep(event)
      return
    case .identifying:
      if case .identified(let keys) = event {
        if let delta = changeResults({ try $0.identify(keys) }), !delta.isEmpty {
          hearing.reordered.append(delta)
        }
      } else {
        hearing.keep(event)
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
          inserted: [], updated: [], deleted: [], isReset: false, isIncomplete: true),
        ChangedSlots()))
  }

  private func take(_ event: ControllerHearing.Event) {
    guard isFollowed else { return takeUntold(event) }
    let isBehind = hearing.isBehind
    var renamed: [NewID] = []
    let delta: ResultsDelta?
    switch event {
    case .saved(let objects):
      results?.noteVersions(objects)
      return
    case .changed(let changes, let slots):
      if isBehind { hearing.isBehind = false }
      let missed = isBehind ? hearing.unsaved.union(unsavedRows) : []
      delta = changeResults { results in
        (isBehind || changes.isIncomplete) && !changes.isReset
          ? try results.reread(changes, missed: missed) : try results.apply(changes, slots)
      }
      if delta == nil {
        note(changes, and: missed)
      } else if isBehind {
        hearing.unsaved = []
      }
    case .identified(let keys):
      // Rows that are not there yet have the IDs when they come.
      delta =
        isBehind ? results?.takeIDs(keys) : changeResults { try $0.identify(keys) }
      if delta != nil, tellsIDs { renamed = keys.filter { results?.rank(of: $0.object) != nil } }
    }
    if let delta, !delta.isEmpty || !renamed.isEmpty { tell(delta, renamed: renamed) }
  }

  /// Nobody is told any more: rows stay as they are, and keep being found when they are saved.
  private func takeUntold(_ event: ControllerHearing.Event) {
    let wasFollowing = hearing.isFollowing
    audienceChanged()
    switch event {
    case .changed(let changes, _):
      // The delegate is gone; this change is missed.
      if wasFollowing { note(changes, and: hearing.unsaved) }
      hearing.isBehind = true
    case .identified(let keys):
      _ = results?.takeIDs(keys)
      if !keys.isEmpty { hearing.isBehind = true }
    case .saved: break
    }
  }

  /// Keeps in mind which rows a change named that was not taken over.
  private func note(_ changes: ObjectChanges, and others: Set<RowKey>) {
    hearing.unsaved = others
    for object in changes.updated { hearing.unsaved.insert(RowKey(object)) }
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
    let objects =
      hearing.hasUnidentifiedRows
      ? results.unidentifiedObjects
      : new.map { $0.subject.object(in: results) }.filter { $0.identifiedKey < 0 }
    hearing.hasUnidentifiedRows = false
    if objects.isEmpty { return }
    let (before, known) = (hearing.activity, hearing.reordered.count)
    hearing.activity = .identifying
    do {
      try managedObjectContext.obtainPermanentIDs(for: objects)
    } catch {
      hearing.hasUnidentifiedRows = true
      Log.contextNotice(
        "IDs for live results of \(fetchRequest.entityName ?? ""): \(error.localizedDescription)")
    }
    hearing.activity = before
    // Those that the new IDs put into what a limit or an offset shows.
    let shown = hearing.reordered[known...].flatMap(\.inserted)
    if !shown.isEmpty { identifyRows(shown) }
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
