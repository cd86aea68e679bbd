import Foundation
import ObjectModel

extension NSManagedObjectContext {
  /// Notes that an object's values were set.
  func noteChange(_ object: NSManagedObject) {
    guard quietDepth == 0 else { return }
    if !object.flags.contains(.inserted), !object.flags.contains(.deleted) {
      if !object.flags.contains(.updated) {
        object.flags.insert(.updated)
        updated.insert(object)
      }
    }
    object.flags.insert(.touched)
    pending.updated.insert(object)
    scheduleProcessing()
  }

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
    if !pending.isEmpty { requireQueue() }
    isProcessScheduled = false
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
    let wasAnnouncing = isAnnouncing
    isAnnouncing = true
    defer { isAnnouncing = wasAnnouncing }
    while !pending.isEmpty {
      let batch = pending
      pending = PendingChanges()
      if undoRecorder != nil { registerUndo(of: batch) }
      beginEvent(after: batch)
      announce(batch)
      for object in batch.deleted
      where object.flags.isSuperset(of: [.inserted, .deleted, .propagated]) { drop(object) }
    }
  }

  /// From here on `changedValuesForCurrentEvent` counts anew.
  private func beginEvent(after batch: PendingChanges) {
    for object in batch.inserted { object.flags.remove(.touched) }
    for object in batch.updated { object.flags.remove(.touched) }
    if !eventBaselines.isEmpty { eventBaselines = [:] }
  }

  private func announce(_ batch: PendingChanges) {
    // An object that was inserted and deleted again never was there for anybody.
    let inserted = batch.inserted.filter {
      !$0.flags.contains(.deleted) && $0.unsafeContext === self
    }
    let deleted = batch.deleted.filter {
      !batch.inserted.contains($0) || !$0.flags.contains(.inserted)
    }
    let gone = Set(deleted)
    let isNew = Set(inserted)
    let updated = batch.updated.filter { !isNew.contains($0) && !gone.contains($0) }
    let refreshed = batch.refreshed.filter { !gone.contains($0) && !isNew.contains($0) }
    let isQuiet =
      inserted.isEmpty && deleted.isEmpty && updated.isEmpty && refreshed.isEmpty
      && batch.invalidatedAll.isEmpty
    if isQuiet, batch.outdated.isEmpty { return }
    let changed = Set(updated)
    let outdated = batch.outdated.filter {
      !gone.contains($0) && !isNew.contains($0) && !batch.refreshed.contains($0)
    }
    let changes = ObjectChanges(
      inserted: inserted,
      updated: updated + (refreshed + outdated).filter { !changed.contains($0) },
      deleted: deleted, isReset: !batch.invalidatedAll.isEmpty)
    for observer in observers.current { observer.contextDidChange(changes) }
    if isQuiet { return }

    var info: [String: Any] = [:]
    func add(_ key: String, _ objects: [NSManagedObject]) {
      if !objects.isEmpty { info[key] = Set(objects) }
    }
    add(NSInsertedObjectsKey, inserted)
    add(NSUpdatedObjectsKey, updated)
    add(NSDeletedObjectsKey, deleted)
    add(NSRefreshedObjectsKey, refreshed)
    add("NSObjectsChangedByMergeChangesKey", Array(batch.merged))
    if !batch.invalidatedAll.isEmpty { info[NSInvalidatedAllObjectsKey] = batch.invalidatedAll }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: info)
  }

  // MARK: Delete rules

  /// Carries out the delete rules of objects that were deleted since last time, and of those that
  /// go with them.
  ///
  /// - Throws: when the store cannot be read; the objects concerned are tried again next time.
  func propagateDeletes() throws {
    if deleted.isEmpty { return }
    var queue = deleted.filter { !$0.flags.contains(.propagated) }
    var next = 0
    var failure: (any Error)?
    while next < queue.count {
      let object = queue[next]
      next += 1
      if object.flags.contains(.propagated) { continue }
      object.flags.insert(.propagated)
      do {
        queue += try propagateDelete(of: object)
      } catch  where CoreDataError.isRowGone(error) {
        // Its row is gone already; so is all that it could lead to.
        Log.contextNotice("delete rules of \(object.objectID): \(error.localizedDescription)")
      } catch {
        object.flags.remove(.propagated)
        failure = failure ?? error
        continue
      }
      forgetIfUnsaved(object)
    }
    if let failure { throw failure }
  }

  /// An object that was never saved needs no deletion in the store.
  private func forgetIfUnsaved(_ object: NSManagedObject) {
    updated.remove(object)
    guard object.flags.contains(.inserted) else { return }
    inserted.remove(object)
    deleted.remove(object)
  }

  /// Carries out one object's delete rules; returns the objects that are to be deleted with it.
  private func propagateDelete(of object: NSManagedObject) throws -> [NSManagedObject] {
    var cascaded: [NSManagedObject] = []
    for slot in object.layout.toOneSlots + object.layout.toManySlots {
      guard let relationship = object.layout.slots[slot].relationship else { continue }
      // An object that never had a row leaves nothing behind that refers to it, whatever the rule.
      let rule =
        object.flags.contains(.inserted) && relationship.deleteRule != .cascadeDeleteRule
        ? .nullifyDeleteRule : relationship.deleteRule
      if rule == .noActionDeleteRule { continue }
      let isToOne = object.layout.slots[slot].kind == .toOne
      let destinations =
        isToOne
        ? [try object.toOneObject(slot)].compactMap { $0 } : try object.toManyObjects(slot)
      switch rule {
      case .cascadeDeleteRule:
        for destination in destinations where !destination.flags.contains(.deleted) {
          delete(destination)
          cascaded.append(destination)
        }
        try removeInverse(of: object, relationship, destinations)
      case .nullifyDeleteRule: try removeInverse(of: object, relationship, destinations)
      default: break  // Deny is a matter of validation.
      }
    }
    return cascaded
  }

  private func removeInverse(
    of object: NSManagedObject, _ relationship: RelationshipLayout,
    _ destinations: [NSManagedObject]
  ) throws {
    guard let inverse = relationship.inverse else { return }
    for destination in destinations where !destination.flags.contains(.deleted) {
      try destination.removeDestination(inverse, object)
    }
  }
}
