// The controller processes the context's events one at a time. It queues events that arrive while it notifies its
// delegate and observers, so that the results match the report until the last of them has received it.

extension NSFetchedResultsController {
  /// Whether the controller has a delegate, an observer or a reader.
  var isFollowed: Bool { delegate != nil || !audience.isEmpty }

  func fetch(notifiesDelegate: Bool) throws {
    let loaded = try liveResults()
    try loaded.load(cacheName: cacheName)
    replaceResults(by: loaded, notifiesDelegate: notifiesDelegate)
  }

  /// Replaces the results and reports the differences between the former and the new rows.
  private func replaceResults(by loaded: LiveResults, notifiesDelegate: Bool) {
    let old = results
    // A delegate may call `performFetch` while it is being notified. The other observers then receive the current
    // report before the results change.
    if let old { deliverPendingReport(in: old) }
    // Read here, because the records of missed changes are cleared below.
    let missed = missedRows
    results = loaded
    changeObserver.changeCount = managedObjectContext.announcing.changeCount
    changeObserver.isBehind = false
    changeObserver.isFollowing = true
    // The loaded rows include these changes.
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

  /// Starts or stops following the context, depending on whether there is a delegate, an observer or a reader.
  func audienceChanged() {
    // A new delegate or observer may be the first one that needs IDs.
    changeObserver.hasUnidentifiedRows = true
    let wasFollowing = changeObserver.isFollowing
    changeObserver.isFollowing = isFollowed && results != nil
    if changeObserver.isFollowing {
      // The context has announced changes since the controller stopped following it.
      if !wasFollowing, changeObserver.changeCount != managedObjectContext.announcing.changeCount {
        changeObserver.isBehind = true
      }
    } else if wasFollowing {
      changeObserver.changeCount = managedObjectContext.announcing.changeCount
      changeObserver.unsaved = unsavedRows
    }
    let observers = managedObjectContext.announcing.observers
    let observes = changeObserver.isFollowing || results?.mayHaveUnsavedRows == true
    // Adding the observer again would change the order in which observers are notified.
    if observes == observers.contains(changeObserver) { return }
    if observes { observers.add(changeObserver) } else { observers.remove(changeObserver) }
  }

  /// The rows that may have changed since the last report.
  private var missedRows: Set<RowKey> {
    // A change that was undone leaves no trace in the store, so the versions of the rows do not
    // reveal it.
    var rows = changeObserver.isBehind ? changeObserver.unsaved.union(unsavedRows) : []
    for case .changed(let changes, _) in changeObserver.queuedEvents {
      for object in changes.updated { rows.insert(RowKey(object)) }
    }
    return rows
  }

  /// The rows of objects that differ from the store, or differed from it at the last report.
  private var unsavedRows: Set<RowKey> {
    var rows: Set<RowKey> = []
    guard let results else { return rows }
    let context = managedObjectContext
    // An undo that the context has not reported yet is only in the pending changes.
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
      // The IDs are applied immediately, because the report that is being prepared has to include
      // the moves that they cause.
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

  /// Rereads the results if they miss changes.
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
      // Without this, the next reread would report the saved rows as changed, because their versions
      // differ.
      results?.recordVersions(objects)
      return
    case .changed(let changes, let slots):
      // The flag is cleared before the change is applied, because `changeResults` sets it again if the store fails.
      if isBehind { changeObserver.isBehind = false }
      let missed = isBehind ? changeObserver.unsaved.union(unsavedRows) : []
      delta = changeResults { results in
        (isBehind || changes.isIncomplete) && !changes.isReset
          ? try results.reread(changes, missed: missed) : try results.apply(changes, slots)
      }
      if delta == nil {
        recordUnapplied(changes, and: missed)
      } else if isBehind {
        changeObserver.unsaved = []
      }
    case .identified(let objects):
      // Rows that the results lack so far will be read with their permanent IDs.
      delta =
        isBehind
        ? results?.assignPermanentIDs(objects) : changeResults { try $0.identify(objects) }
      if delta != nil, reportsIDs {
        identified = objects.filter { results?.rank(of: $0.object) != nil }
      }
    }
    if let delta, !delta.isEmpty || !identified.isEmpty { deliver(delta, identified: identified) }
  }

  /// Processes an event while there is no delegate, observer or reader. The rows stay as they were fetched, except that
  /// they adopt permanent IDs.
  private func processUnobserved(_ event: ControllerChangeObserver.Event) {
    let wasFollowing = changeObserver.isFollowing
    audienceChanged()
    switch event {
    case .changed(let changes, _):
      // The weakly held delegate was deallocated, so the results miss this change.
      if wasFollowing { recordUnapplied(changes, and: changeObserver.unsaved) }
      changeObserver.isBehind = true
    case .identified(let objects):
      // Without this, the rows of saved objects could not be found by their objects.
      _ = results?.assignPermanentIDs(objects)
      if !objects.isEmpty { changeObserver.isBehind = true }
    case .saved: break
    }
  }

  /// Records the rows of a change that could not be applied.
  private func recordUnapplied(_ changes: ObjectChanges, and others: Set<RowKey>) {
    changeObserver.unsaved = others
    for object in changes.updated { changeObserver.unsaved.insert(RowKey(object)) }
  }

  /// Applies a change to the results and returns the changes to rows.
  ///
  /// - Returns: Nil if there are no results, or if `change` throws, for example because the store fails. The error is
  ///   logged, and the results do not change until the next change rereads them.
  private func changeResults(_ change: (LiveResults) throws -> ResultsDelta) -> ResultsDelta? {
    guard let results else { return nil }
    do {
      let delta = try change(results)
      if !delta.isEmpty { sectionList = nil }
      return delta
    } catch {
      changeObserver.isBehind = true
      Log.contextNotice(
        "cannot update results of \(fetchRequest.entityName ?? ""): \(error.localizedDescription)")
      return nil
    }
  }

  // MARK: Permanent IDs

  /// Obtains permanent IDs for new rows before they are reported by ID.
  ///
  /// If a store cannot assign IDs now, rows keep their temporary IDs until a later report or a save.
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
      // The next report tries again.
      changeObserver.hasUnidentifiedRows = true
      Log.contextNotice(
        "cannot obtain permanent IDs for fetched results of \(fetchRequest.entityName ?? ""):"
          + " \(error.localizedDescription)")
    }
    changeObserver.activity = before
    // The rows that the new order by ID moved into the range of the request's limit and offset.
    let shown = changeObserver.reordered[known...].flatMap(\.inserted)
    if !shown.isEmpty { identifyRows(shown) }
  }

  /// Runs `body`, which calls code of the app. Changes that this code makes in the context are processed afterwards.
  func whileNotifying(_ body: () -> Void) {
    let before = changeObserver.activity
    changeObserver.activity = .notifying
    body()
    changeObserver.activity = before
    // In a nested call, the outer activity processes the events when it ends.
    if before == .none { processQueuedEvents() }
  }
}
