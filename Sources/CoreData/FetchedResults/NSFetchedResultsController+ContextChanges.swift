// The context's events are processed one after the other: those that come while the delegate and the observers are
// notified are queued, so that the results are as the report says until the last of them has received it.

extension NSFetchedResultsController {
  /// Whether there is a delegate, an observer or a reader.
  var isFollowed: Bool { delegate != nil || !audience.isEmpty }

  func fetch(notifiesDelegate: Bool) throws {
    let loaded = try liveResults()
    try loaded.load(cacheName: cacheName)
    replaceResults(by: loaded, notifiesDelegate: notifiesDelegate)
  }

  /// Puts new results in the place of the former ones, and reports the difference of their rows.
  private func replaceResults(by loaded: LiveResults, notifiesDelegate: Bool) {
    let old = results
    // A delegate may fetch again while it is notified.
    if let old { deliverPendingReport(in: old) }
    let missed = missedRows
    results = loaded
    changeObserver.changeCount = managedObjectContext.announcing.changeCount
    changeObserver.isBehind = false
    changeObserver.isFollowing = true
    changeObserver.queuedEvents = []
    audienceChanged()
    let deliversSnapshot = delegate.map { DelegateForms(of: $0).mayHave(.snapshot) } ?? false
    if reportsIDs { identifyRows() }
    changeObserver.reordered = []
    if audience.isEmpty, !notifiesDelegate, !deliversSnapshot { return }
    var changed: [NSManagedObjectID] = []
    var isReported = false
    if let old {
      let delta = loaded.delta(from: old, missed: missed)
      isReported = notifiesDelegate && !delta.isEmpty
      if deliversSnapshot, !isReported {
        changed = (delta.moved + delta.updated).map(\.subject.objectID)
      }
      if !delta.isEmpty { deliver(delta, notifiesDelegate: notifiesDelegate) }
    } else {
      audience.begin(mayMerge: loaded.mayMergeInSnapshots) { loaded.firstSnapshot }
    }
    if deliversSnapshot, !isReported { notifyDelegateOfFetch(loaded, reloading: changed) }
  }

  /// Follows the context from here on, or no longer.
  func audienceChanged() {
    changeObserver.hasUnidentifiedRows = true
    let wasFollowing = changeObserver.isFollowing
    changeObserver.isFollowing = isFollowed && results != nil
    if changeObserver.isFollowing {
      if !wasFollowing, changeObserver.changeCount != managedObjectContext.announcing.changeCount {
        changeObserver.isBehind = true
      }
    } else if wasFollowing {
      changeObserver.changeCount = managedObjectContext.announcing.changeCount
      changeObserver.unsaved = unsavedRows
    }
    let observers = managedObjectContext.announcing.observers
    let observes = changeObserver.isFollowing || results?.mayHaveUnsavedRows == true
    if observes == observers.contains(changeObserver) { return }
    if observes { observers.add(changeObserver) } else { observers.remove(changeObserver) }
  }

  /// Rows that may have changed since the last report, perhaps without a trace in the store.
  private var missedRows: Set<RowKey> {
    var rows = changeObserver.isBehind ? changeObserver.unsaved.union(unsavedRows) : []
    for case .changed(let changes, _) in changeObserver.queuedEvents {
      for object in changes.updated { rows.insert(RowKey(object)) }
    }
    return rows
  }

  /// Rows of objects that are not as the store has them, or were not at the last report.
  private var unsavedRows: Set<RowKey> {
    var rows: Set<RowKey> = []
    guard let results else { return rows }
    let context = managedObjectContext
    // What was undone a moment ago is not reported yet.
    let lists = [
      context.unsaved.inserted, context.unsaved.updated, context.unsaved.deleted,
      context.pending.inserted,
      context.pending.refreshed,
    ]
    for list in lists {
      for object in list where results.members.covers(object.layout) { rows.insert(RowKey(object)) }
    }
    return rows
  }

  func receive(_ event: ControllerChangeObserver.Event) {
    switch changeObserver.activity {
    case .none: break
    case .notifying:
      changeObserver.enqueue(event)
      return
    case .identifying:
      if case .identified(let objects) = event {
        if let delta = changeResults({ try $0.identify(objects) }), !delta.isEmpty {
          changeObserver.reordered.append(delta)
        }
      } else {
        changeObserver.enqueue(event)
      }
      return
    }
    process(event)
    processQueuedEvents()
  }

  private func processQueuedEvents() {
    while !changeObserver.queuedEvents.isEmpty {
      process(changeObserver.queuedEvents.removeFirst())
    }
  }

  /// Reads again what was missed while there was no delegate, observer or reader.
  func catchUp() {
    guard changeObserver.isBehind, changeObserver.activity == .none else { return }
    receive(
      .changed(
        ObjectChanges(inserted: [], updated: [], deleted: [], isReset: false, isIncomplete: true),
        ChangedSlots()))
  }

  private func process(_ event: ControllerChangeObserver.Event) {
    guard isFollowed else { return processUnobserved(event) }
    let isBehind = changeObserver.isBehind
    var identified: [IdentifiedObject] = []
    let delta: ResultsDelta?
    switch event {
    case .saved(let objects):
      results?.noteVersions(objects)
      return
    case .changed(let changes, let slots):
      if isBehind { changeObserver.isBehind = false }
      let missed = isBehind ? changeObserver.unsaved.union(unsavedRows) : []
      delta = changeResults { results in
        (isBehind || changes.isIncomplete) && !changes.isReset
          ? try results.reread(changes, missed: missed) : try results.apply(changes, slots)
      }
      if delta == nil {
        note(changes, and: missed)
      } else if isBehind {
        changeObserver.unsaved = []
      }
    case .identified(let objects):
      // Rows that are not there yet have the IDs when they come.
      delta =
        isBehind
        ? results?.assignPermanentIDs(objects) : changeResults { try $0.identify(objects) }
      if delta != nil, reportsIDs {
        identified = objects.filter { results?.rank(of: $0.object) != nil }
      }
    }
    if let delta, !delta.isEmpty || !identified.isEmpty { deliver(delta, identified: identified) }
  }

  /// Processes an event without a delegate, observer or reader: rows stay as they are, and keep being found when they
  /// are saved.
  private func processUnobserved(_ event: ControllerChangeObserver.Event) {
    let wasFollowing = changeObserver.isFollowing
    audienceChanged()
    switch event {
    case .changed(let changes, _):
      // The delegate is gone; this change is missed.
      if wasFollowing { note(changes, and: changeObserver.unsaved) }
      changeObserver.isBehind = true
    case .identified(let objects):
      _ = results?.assignPermanentIDs(objects)
      if !objects.isEmpty { changeObserver.isBehind = true }
    case .saved: break
    }
  }

  /// Keeps in mind which rows a change named that was not taken over.
  private func note(_ changes: ObjectChanges, and others: Set<RowKey>) {
    changeObserver.unsaved = others
    for object in changes.updated { changeObserver.unsaved.insert(RowKey(object)) }
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
      changeObserver.isBehind = true
      Log.contextNotice(
        "live results of \(fetchRequest.entityName ?? ""): \(error.localizedDescription)")
      return nil
    }
  }

  // MARK: Permanent IDs

  /// Obtains the permanent IDs of new rows before these are reported by ID.
  ///
  /// Where a store cannot give IDs now, rows keep temporary ones until they are saved.
  func identifyRows(_ new: [ResultsDelta.Row] = []) {
    guard let results else { return }
    let objects =
      changeObserver.hasUnidentifiedRows
      ? results.unidentifiedObjects
      : new.map { $0.subject.object(in: results) }.filter { $0.primaryKey < 0 }
    changeObserver.hasUnidentifiedRows = false
    if objects.isEmpty { return }
    let (before, known) = (changeObserver.activity, changeObserver.reordered.count)
    changeObserver.activity = .identifying
    do {
      try managedObjectContext.obtainPermanentIDs(for: objects)
    } catch {
      changeObserver.hasUnidentifiedRows = true
      Log.contextNotice(
        "IDs for live results of \(fetchRequest.entityName ?? ""): \(error.localizedDescription)")
    }
    changeObserver.activity = before
    // Those that the new IDs put into what a limit or an offset shows.
    let shown = changeObserver.reordered[known...].flatMap(\.inserted)
    if !shown.isEmpty { identifyRows(shown) }
  }

  /// Calls code of the program; the changes that it makes are processed afterwards.
  func whileNotifying(_ body: () -> Void) {
    let before = changeObserver.activity
    changeObserver.activity = .notifying
    body()
    changeObserver.activity = before
    if before == .none { processQueuedEvents() }
  }
}
