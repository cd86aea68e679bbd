import OrderedCollections

extension NSManagedObjectContext {
  /// Registers the changes of a batch for undo.
  func registerUndo(of batch: PendingChanges) {
    guard let undoManager, let undoRecorder = undoing.recorder else { return }
    if undoing.isRegistering { return undoRecorder.pass(batch, in: self) }
    undoing.setRegistering(true)
    defer { undoing.setRegistering(false) }
    do {
      guard let step = try undoRecorder.record(batch, in: self) else { return }
      // The action retains the step and its objects, so that undo can insert a deleted object again as
      // the same object.
      undoManager.registerUndo(withTarget: self) { $0.revert(step) }
    } catch {
      Log.contextNotice("changes cannot be undone: \(error.localizedDescription)")
    }
  }

  /// Runs `body` without registering its changes for undo. Registers earlier changes first.
  func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard undoing.recorder != nil, !undoing.isRegistering else { return try body() }
    processPendingChanges()
    undoing.setRegistering(true)
    defer {
      processPendingChanges()
      undoing.setRegistering(false)
    }
    return try body()
  }

  /// Forgets all actions that could be undone or redone.
  func clearUndo() {
    undoing.recorder?.forgetSaved(in: self)
    undoManager?.removeAllActions()
  }

  /// Reverts the changes of an event, for undo and redo. The reverted changes are registered in turn.
  private func revert(_ step: UndoStep) {
    let isRedo = undoManager?.isRedoing == true
    adoptPermanentIDs()
    step.adoptPermanentIDs()
    // Notes the owners that objects have before the step is reverted.
    let reconciliation = RelationshipReconciliation(step, in: self)
    let back = step.objects.filter { $0.wasPresent && !$0.isPresent }
    let recreated = objectsWithRecreatedRows(back.map(\.object))
    // Deleted objects are restored first, because the values restored below refer to them.
    for change in back where !recreated.contains(change.object) { restoreDeleted(change) }
    for change in back { change.object.removeMissingDestinations() }
    let restored = RestoredSlots(step)
    for change in step.objects where change.wasPresent && change.object.unsafeContext === self {
      do {
        try restore(change)
      } catch {
        Log.contextNotice(
          "\(change.object.ownID) cannot be restored: \(error.localizedDescription)")
      }
    }
    reconciliation.reconcile()
    // Inserted objects are removed last. If they were removed earlier, their delete rules would reach
    // objects that are no longer related to them after the values are restored.
    for change in step.objects where !change.wasPresent { removeInserted(change.object, restored) }
    propagateDeletesOfReverted(step)
    for change in step.objects where change.object.unsafeContext === self {
      let object = change.object
      let event: NSSnapshotEventType =
        !change.wasPresent
        ? .undoInsertion : (change.isPresent ? .undoUpdate : .undoDeletion)
      if !(isRedo && event == .undoInsertion) { wake(object, event) }
      forgetUpdateIfUnchanged(object)
    }
    // Registers the reverse of this step while the manager is undoing, so it becomes the redo.
    processPendingChanges()
  }

  /// Returns the objects with a saved deletion and a row that exists again because another context or process inserted
  /// it. These objects need not be inserted. Registers each of them that has no registered counterpart.
  private func objectsWithRecreatedRows(_ objects: [NSManagedObject]) -> Set<NSManagedObject> {
    let left = objects.filter { $0.unsafeContext == nil && $0.key > 0 }
    var recreated = Set(left.filter { registeredCounterpart(of: $0) != nil })
    let candidates = left.filter { !recreated.contains($0) }
    if candidates.isEmpty { return recreated }
    // Only faults of the context can be read. Objects without a row get their state back below.
    let former = candidates.map(\.state)
    for object in candidates {
      object.state.wasReset()
      object.unsafeContext = self
    }
    do {
      try readExistingRows(of: candidates)
    } catch {
      Log.contextNotice("rows of restored objects cannot be read: \(error.localizedDescription)")
    }
    for (object, former) in zip(candidates, former) {
      if object.snapshot.isPresent {
        register(object)
        noteReappearance(of: object)
        recreated.insert(object)
      } else {
        object.state.wasRestored(to: former)
        object.unsafeContext = nil
      }
    }
    invalidateOwnersMissing(candidates.filter(recreated.contains))
    return recreated
  }

  /// Returns the registered object of an object's row: the object itself, or one that was read after the object's
  /// deletion was saved; nil if there is none.
  private func registeredCounterpart(of object: NSManagedObject) -> NSManagedObject? {
    if object.unsafeContext === self { return object }
    guard object.unsafeContext == nil,
      let other = registry[object.layout, object.key, object.origin], other.unsafeContext === self
    else { return nil }
    return other
  }

  /// Restores a deleted object with its ID.
  private func restoreDeleted(_ change: ObjectUndo) {
    let object = change.object
    guard let last = change.last else { return }
    let isGoneElsewhere = unsaved.withdrawDeletionElsewhere(object)
    if object.unsafeContext === self, !isGoneElsewhere {
      guard unsaved.withdrawDeletion(object) else { return }
      object.state.deletionEnded()
      if !object.flags.contains(.inserted) {
        object.state.becameUpdated()
        unsaved.update(object)
        // Members that were read while this object was deleted lack the objects that were also deleted then. This undo
        // may have restored those objects.
        for slot in object.layout.toManySlots { object.state.forgetReadMembers(slot) }
      }
    } else if object.unsafeContext == nil || isGoneElsewhere {
      // The row is gone or never existed, so the object is inserted with its former ID.
      let contents = object.layout.slots.map { slot -> SlotContent in
        switch slot.kind {
        case .attribute: return .written(last.value(slot, of: object))
        case .toOne: return .writtenObject(last.destination(slot, of: object, in: self))
        case .toMany:
          let content = ToManyContent(isOrdered: slot.relationship?.isOrdered ?? false)
          if case .toMany(let members) = last.content(slot.index) {
            for member in members.objects { content.insert(member) }
          }
          return .toMany(content)
        case .fetched, .composite: return .unread
        }
      }
      object.state.becameInserted(with: contents)
      if object.key > 0 { undoing.recorder?.noteReturn(of: object) }
      if isGoneElsewhere {
        unsaved.withdrawDeletion(object)
      } else {
        object.unsafeContext = self
        register(object)
      }
      unsaved.insert(object)
    }
    pending.reinsert(object)
    scheduleProcessing()
  }

  /// Carries out the delete rules of the reverted insertions.
  private func propagateDeletesOfReverted(_ step: UndoStep) {
    guard propagatesDeletesAtEndOfEvent else { return }
    do {
      try propagateDeletes()
    } catch {
      Log.contextNotice(
        "the delete rules of undone insertions cannot be applied: \(error.localizedDescription)")
    }
    for change in step.objects where change.object.unsafeContext === self {
      for members in change.members {
        for member in members.added where member.flags.contains([.inserted, .deleted]) {
          // The other side has already been restored. The store has no members that were never saved,
          // so removing one is not a change.
          change.object.unreadContent(members.slot).forget(member)
        }
      }
    }
  }

  /// Deletes an inserted object. Its delete rules do not reach objects that became related to it
  /// later, because their relationships have already been restored.
  private func removeInserted(_ object: NSManagedObject, _ restored: RestoredSlots) {
    guard object.unsafeContext === self, !object.flags.contains(.deleted) else { return }
    do {
      try object.disconnect(from: restored)
    } catch {
      Log.contextNotice(
        "\(object.ownID) cannot be removed from its relationships: \(error.localizedDescription)"
      )
    }
    beginDeletion(of: object)
  }

  /// Restores the values of an object. A step contains both sides of changed relationships.
  private func restore(_ change: ObjectUndo) throws {
    let object = change.object
    guard !object.flags.contains(.deleted) else { return }
    try object.fire()
    for (slot, value) in change.values {
      object.willChangeContent(slot)
      // A value that cannot be read exists only in the row.
      object.setContent(slot, value.isUnreadable ? .unread : .written(value))
    }
    for (slot, destination) in change.destinations {
      object.willChangeContent(slot)
      object.setContent(slot, .writtenObject(destination.flatMap(registeredCounterpart)))
    }
    for members in change.members {
      object.willChangeContent(members.slot)
      let content =
        members.order == nil
        ? object.unreadContent(members.slot) : try object.toManyContent(members.slot)
      for member in members.added { content.remove(member) }
      for member in members.removed.compactMap(registeredCounterpart) { content.insert(member) }
      if let order = members.order {
        var next = OrderedSet(order.filter { content.contains($0) })
        next.append(contentsOf: content.objects)
        content.reorder(next)
      }
    }
    noteChange(object)
    for members in change.members where members.order != nil {
      object.unreadContent(members.slot)
        .forgetOrder(ifStoredAs: try object.committedMembers(members.slot))
    }
  }

  /// Removes an object from the updates if it has its stored values again.
  func forgetUpdateIfUnchanged(_ object: NSManagedObject) {
    guard object.flags.contains(.updated), !object.flags.contains(.deleted),
      !object.layout.slots.contains(where: { object.isChanged($0) })
    else { return }
    object.state.matchesItsRow()
    unsaved.withdrawUpdate(object)
  }
}

extension NSManagedObjectContext: UndoManagerClient {
  func registerPendingChanges() {
    // A group that is opened while changes are being registered has no other changes to register.
    if !undoing.isRegistering { processPendingChanges() }
  }
}

extension NSManagedObject {
  /// Removes destinations that are no longer in the context from a restored object.
  fileprivate func removeMissingDestinations() {
    for slot in layout.slots.indices {
      switch content(slot) {
      case .writtenObject(let destination?) where destination.unsafeContext !== unsafeContext:
        setContent(slot, .writtenObject(nil))
      case .toMany(let members):
        for member in members.added where member.unsafeContext !== unsafeContext {
          members.remove(member)
        }
      default: break
      }
    }
  }
}
