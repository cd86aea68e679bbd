import Foundation
import ObjectModel
import StoreEngine

extension NSManagedObjectContext {
  /// Notes that an object's values were set; `NSManagedObject.noteChange()` asks whether that is needed.
  func noteChange(_ object: NSManagedObject) {
    guard quietDepth == 0 else { return }
    if !object.flags.contains(.inserted), !object.flags.contains(.deleted) {
      if !object.flags.contains(.updated) {
        object.state.becameUpdated()
        updated.insert(object)
      }
    }
    pending.updated.insert(object)
    scheduleProcessing()
    object.state.wasTouched(isNoted: willProcess)
  }

  /// Whether pending changes are processed without another change: by the queue, or, where there is
  /// none, by the program.
  var willProcess: Bool { isProcessScheduled || queue.isConfined }

  /// Sees to it that changes are processed at the end of what the queue is doing now.
  func scheduleProcessing() {
    // Off the queue the program processes changes itself, with a fetch or save: doing it from the
    // queue would be at the same time.
    guard !isProcessScheduled, queue.isCurrent, !queue.isConfined else { return }
    isProcessScheduled = true
    queue.async { [weak self] in
      guard let self, self.isProcessScheduled else { return }
      self.processPendingChanges()
      self.undoManager?.endEvent()
    }
  }

  func processPending() {
    if isProcessingPutOff { return }
    if !pending.isEmpty { requireQueue() }
    isProcessScheduled = false
    liveSetInUse = nil
    if propagatesDeletesAtEndOfEvent || isSaving {
      do {
        try propagateDeletes()
      } catch {
        Log.contextNotice(
          "delete rules, which the save will carry out: \(error.localizedDescription)")
      }
    }
    // An observer that fetches is told of its own changes after these, not in between.
    if isAnnouncing && !isSaving { return }
    adoptPermanentIDs()
    reportPermanentIDs()
    let wasAnnouncing = isAnnouncing
    isAnnouncing = true
    defer { isAnnouncing = wasAnnouncing }
    while !pending.isEmpty {
      let batch = pending
      pending = PendingChanges()
      changeCount &+= 1
      if undoRecorder != nil { registerUndo(of: batch) }
      let outer = announcedEvent
      announcedEvent = AnnouncedEvent(
        changes: batch, baselines: eventBaselines, saveCount: saveCount)
      beginEvent(after: batch)
      for row in batch.replaced { row.object.notifyObservers(ofDifferencesFrom: row.former) }
      announce(batch)
      for object in batch.unseenDeletions { object.unsafeContext = nil }
      announcedEvent = outer
      for object in batch.deleted
      where object.flags.isSuperset(of: [.inserted, .deleted, .propagated]) { drop(object) }
    }
  }

  /// From here on `changedValuesForCurrentEvent` counts anew; observers still see the announced event.
  private func beginEvent(after batch: PendingChanges) {
    for object in batch.inserted { object.state.eventEnded() }
    for object in batch.updated { object.state.eventEnded() }
    if !eventBaselines.isEmpty { eventBaselines = [:] }
  }

  private func announce(_ batch: PendingChanges) {
    // Of an object that was inserted and deleted again only the deletion is told.
    let inserted = batch.inserted.filter {
      !$0.flags.contains(.deleted)
        && ($0.flags.contains(.inserted) || $0.unsafeContext === self)
    }
    let deleted = batch.deleted.objects
    // They are told as sets, too.
    let gone = Set(members: deleted)
    let isNew = Set(members: inserted)
    let updated = batch.updated.filter { !isNew.contains($0) && !gone.contains($0) }
    let refreshed = batch.refreshed.filter { !gone.contains($0) && !isNew.contains($0) }
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
    observers.notify(changes)
    if isQuiet { return }
    if isSaving { announcedInsertions = (inserted, isNew) }

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
