import OrderedCollections

extension NSManagedObjectContext {
  /// Registers what a batch of changes did.
  func registerUndo(of batch: PendingChanges) {
    guard let undoManager, let undoRecorder = undoing.recorder else { return }
    if undoing.isRegistering { return undoRecorder.pass(batch, in: self) }
    undoing.setRegistering(true)
    defer { undoing.setRegistering(false) }
    do {
      guard let step = try undoRecorder.record(batch, in: self) else { return }
      undoManager.registerUndo(withTarget: self) { $0.revert(step) }
    } catch {
      Log.contextNotice("these changes cannot be undone: \(error.localizedDescription)")
    }
  }

  /// Forgets what could be undone.
  func clearUndo() {
    undoing.recorder?.forgetSaved(in: self)
    undoManager?.removeAllActions()
  }

  /// Reverts the changes of an event, for undo and redo; what that changes is registered in turn.
  private func revert(_ step: UndoStep) {
    let isRedo = undoManager?.isRedoing == true
    adoptPermanentIDs()
    step.adoptPermanentIDs()
    let settlement = Settlement(step, in: self)
    let back = step.objects.filter { $0.wasPresent && !$0.isPresent }
    let thereAgain = objectsWithRecreatedRows(back.map(\.object))
    for change in back where !thereAgain.contains(change.object) { bringBack(change) }
    for change in back { change.object.removeMissingDestinations() }
    let restored = RestoredSlots(step)
    for change in step.objects where change.wasPresent && change.object.unsafeContext === self {
      do {
        try restore(change)
      } catch {
        Log.contextNotice("\(change.object.objectID): \(error.localizedDescription)")
      }
    }
    settlement.settle()
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
    processPendingChanges()
  }

  /// Of objects whose deletion was saved, those whose rows another process has inserted again since: they need not be
  /// brought back. One without a registered counterpart becomes its row's object again.
  private func objectsWithRecreatedRows(_ objects: [NSManagedObject]) -> Set<NSManagedObject> {
    let left = objects.filter { $0.unsafeContext == nil && $0.key > 0 }
    var thereAgain = Set(left.filter { registeredCounterpart(of: $0) != nil })
    let candidates = left.filter { !thereAgain.contains($0) }
    if candidates.isEmpty { return thereAgain }
    let former = candidates.map(\.state)
    for object in candidates {
      object.state.startsOver()
      object.unsafeContext = self
    }
    do {
      try readExistingRows(of: candidates)
    } catch {
      Log.contextNotice("rows of what comes back: \(error.localizedDescription)")
    }
    for (object, former) in zip(candidates, former) {
      if object.snapshot.isPresent {
        register(object)
        noteReturn(of: object)
        thereAgain.insert(object)
      } else {
        object.state.returned(to: former)
        object.unsafeContext = nil
      }
    }
    rejoinOwners(candidates.filter(thereAgain.contains))
    return thereAgain
  }

  /// The registered object of an object's row: itself, or, after its deletion was saved, one that was read since.
  private func registeredCounterpart(of object: NSManagedObject) -> NSManagedObject? {
    if object.unsafeContext === self { return object }
    guard object.unsafeContext == nil,
      let other = registry[object.layout, object.key, object.origin], other.unsafeContext === self
    else { return nil }
    return other
  }

  /// An object that was deleted is there again, with its ID.
  private func bringBack(_ change: ObjectUndo) {
    let object = change.object
    guard let last = change.last else { return }
    let isGoneElsewhere = unsaved.withdrawDeletionElsewhere(object)
    if object.unsafeContext === self, !isGoneElsewhere {
      guard unsaved.withdrawDeletion(object) else { return }
      object.state.deletionEnded()
      if !object.flags.contains(.inserted) {
        object.state.becameUpdated()
        unsaved.update(object)
        // Members that were read while it was away lack those that were deleted meanwhile, and may be back by now.
        for slot in object.layout.toManySlots { object.state.forgetReadMembers(slot) }
      }
    } else if object.unsafeContext == nil || isGoneElsewhere {
      // Its row is gone, or never was: it is inserted with the ID that it had.
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
      if object.key > 0 { undoing.recorder?.returned.insert(object) }
      if isGoneElsewhere {
        unsaved.withdrawDeletion(object)
      } else {
        object.unsafeContext = self
        register(object)
      }
      unsaved.insert(object)
    }
    pending.bringBack(object)
    scheduleProcessing()
  }

  /// Propagates the deletions of reverted insertions by the delete rules. The other sides are as they were already:
  /// an object that was never saved was no member in the store, and its removal is no change.
  private func propagateDeletesOfReverted(_ step: UndoStep) {
    guard propagatesDeletesAtEndOfEvent else { return }
    do {
      try propagateDeletes()
    } catch {
      Log.contextNotice("delete rules of what is taken back: \(error.localizedDescription)")
    }
    for change in step.objects where change.object.unsafeContext === self {
      for members in change.members {
        for member in members.added where member.flags.contains([.inserted, .deleted]) {
          change.object.unreadContent(members.slot).forget(member)
        }
      }
    }
  }

  /// Removes an object that was inserted. The objects that it was given since are restored already, and its
  /// delete rules do not reach them.
  private func removeInserted(_ object: NSManagedObject, _ restored: RestoredSlots) {
    guard object.unsafeContext === self, !object.flags.contains(.deleted) else { return }
    do {
      try object.disconnect(from: restored)
    } catch {
      Log.contextNotice("\(object.objectID): \(error.localizedDescription)")
    }
    beginDeletion(of: object)
  }

  /// Both sides of a relationship were changed, and both are restored here.
  private func restore(_ change: ObjectUndo) throws {
    let object = change.object
    guard !object.flags.contains(.deleted) else { return }
    try object.fire()
    for (slot, value) in change.values {
      object.willChangeContent(slot)
      // A value that cannot be read is still in the row, and nowhere else.
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

  /// An object that has its stored values again needs no saving.
  func forgetUpdateIfUnchanged(_ object: NSManagedObject) {
    guard object.flags.contains(.updated), !object.flags.contains(.deleted),
      !object.layout.slots.contains(where: { object.isChanged($0) })
    else { return }
    object.state.isAsTheRowSays()
    unsaved.withdrawUpdate(object)
  }
}

extension NSManagedObjectContext: UndoManagerClient {
  func registerPendingChanges() {
    // While a group is opened for changes that are being processed, there are none besides.
    if !undoing.isRegistering { processPendingChanges() }
  }
}

extension NSManagedObject {
  /// Removes destinations that are no longer in the context from an object that comes back.
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
