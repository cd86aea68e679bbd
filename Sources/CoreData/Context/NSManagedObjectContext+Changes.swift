extension NSManagedObjectContext {
  /// Records that an object's values were set. `NSManagedObject.noteChange()` calls this only if needed.
  func noteChange(_ object: NSManagedObject) {
    guard registry.quietDepth == 0 else { return }
    if !object.flags.contains(.inserted), !object.flags.contains(.deleted) {
      if !object.flags.contains(.updated) {
        object.state.becameUpdated()
        unsaved.update(object)
      }
    }
    // The change is recorded even for a new object, because observers that have been notified of
    // its insertion need its later changes.
    pending.update(object)
    scheduleProcessing()
    // This follows `scheduleProcessing`, which may set `willProcess`.
    object.state.wasTouched(isNoted: willProcess)
  }

  /// Runs `body` without recording the values it sets as changes.
  func quietly(_ body: () -> Void) {
    registry.quietDepth += 1
    body()
    registry.quietDepth -= 1
  }

  /// Whether pending changes will be processed without a further change: by the queue, or by the
  /// program if the context has no queue.
  var willProcess: Bool { announcing.isScheduled || queue.isConfined }

  /// Schedules the processing of changes for the end of the queue's current work.
  func scheduleProcessing() {
    // A program that uses the context off its queue processes changes itself, with a fetch or a save. Work on the
    // queue could process them at the same time.
    guard !announcing.isScheduled, queue.isCurrent, !queue.isConfined else { return }
    announcing.schedule()
    // Weak, because work in the queue must not extend the context's life. A fetch or save may
    // process the changes before this block runs; the event for undo ends here nevertheless.
    queue.async { [weak self] in
      guard let self else { return }
      if self.announcing.isScheduled { self.processPendingChanges() }
      self.undoManager?.endEvent()
    }
  }

  func processPending() {
    if announcing.isDeferred { return }
    if !pending.isEmpty { requireQueue() }
    announcing.beginProcessing()
    // A save needs the deletions that the rules cause, whatever the setting.
    if propagatesDeletesAtEndOfEvent || session.isSaving {
      do {
        try propagateDeletes()
      } catch {
        Log.contextNotice(
          "delete rules could not be applied, so the save applies them: \(error.localizedDescription)"
        )
      }
    }
    // If an observer makes changes and then fetches, its changes are reported after the current ones,
    // not in between.
    if announcing.isNotifying && !session.isSaving { return }
    adoptPermanentIDs()
    reportPermanentIDs()
    let wasNotifying = announcing.setNotifying(true)
    defer { _ = announcing.setNotifying(wasNotifying) }
    // Observers may make further changes. These form the next batch.
    while !pending.isEmpty {
      let batch = pending.removeAll()
      announcing.countChange()
      // The batch is registered before observers run, so that the observers' changes are a separate
      // undo action.
      if undoing.recorder != nil { registerUndo(of: batch) }
      let outer = announcing.setEvent(
        AnnouncedEvent(
          changes: batch, baselines: announcing.baselines, saveCount: session.count))
      beginEvent(after: batch)
      for row in batch.replaced { row.object.notifyObservers(ofDifferencesFrom: row.former) }
      announce(batch)
      // An object's reference to its context is unowned, and the context's `deinit` resets it only in registered
      // objects. Placeholders are not registered: one that the program keeps would have an invalid reference.
      for object in batch.unseenDeletions { object.unsafeContext = nil }
      _ = announcing.setEvent(outer)
      for object in batch.deleted
      // An object that was inserted and deleted again is in none of a save's lists, so no save would
      // release it.
      where object.flags.isSuperset(of: [.inserted, .deleted, .propagated]) { drop(object) }
    }
  }

  /// Starts a new event for `changedValuesForCurrentEvent`. Observers still see the announced event.
  private func beginEvent(after batch: PendingChanges) {
    for object in batch.inserted { object.state.eventEnded() }
    for object in batch.updated { object.state.eventEnded() }
    announcing.forgetBaselines()
  }

  private func announce(_ batch: PendingChanges) {
    // An object that was inserted and deleted again is reported only as deleted.
    let inserted = batch.inserted.filter {
      !$0.flags.contains(.deleted)
        && ($0.flags.contains(.inserted) || $0.unsafeContext === self)
    }
    let deleted = batch.deleted.objects
    // Sets, because the notification contains sets.
    let gone = Set(members: deleted)
    let isNew = Set(members: inserted)
    let updated = batch.updated.filter { !isNew.contains($0) && !gone.contains($0) }
    let refreshed = batch.refreshed.filter { !gone.contains($0) && !isNew.contains($0) }
    // Live results also need changes that the notification does not contain.
    let isQuiet =
      inserted.isEmpty && deleted.isEmpty && updated.isEmpty && refreshed.isEmpty
      && !batch.isReset
    if isQuiet, batch.outdated.isEmpty, batch.unseenDeletions.isEmpty, !batch.isIncomplete {
      return
    }
    let changed = Set(members: updated)
    let outdated = batch.outdated.filter {
      !gone.contains($0) && !isNew.contains($0) && !batch.refreshed.contains($0)
    }
    let changes = ObjectChanges(
      inserted: inserted,
      updated: updated + (refreshed + outdated).filter { !changed.contains($0) },
      deleted: deleted + batch.unseenDeletions, isReset: batch.isReset,
      isIncomplete: batch.isIncomplete, lostReferences: batch.lostReferences)
    announcing.observers.notify(changes)
    if isQuiet { return }
    session.noteAnnounced(inserted, isNew)

    var info: [String: Any] = [:]
    func add(_ key: String, _ objects: Set<NSManagedObject>) {
      if !objects.isEmpty { info[key] = objects }
    }
    add(NSInsertedObjectsKey, isNew)
    add(NSUpdatedObjectsKey, changed)
    add(NSDeletedObjectsKey, gone)
    add(NSRefreshedObjectsKey, Set(members: refreshed))
    add("NSObjectsChangedByMergeChangesKey", batch.merged.set)
    if batch.isReset { info[NSInvalidatedAllObjectsKey] = batch.invalidatedAll }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: info)
  }
}
