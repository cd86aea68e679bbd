import OrderedCollections

// A child's save becomes unsaved changes of its parent. Nothing is written before the root saves.

extension NSManagedObjectContext {
  func requireSavable() throws {
    guard let source else { throw noCoordinator }
    try source.requireSavable()
  }

  func save(_ child: NSManagedObjectContext, _ saved: inout SavedObjects) throws {
    let part = try serve(child) {
      // Processes earlier changes separately, because they are not part of this save.
      processPendingChanges()
      let part = try changesToApply(of: child)
      try applyChanges(part, of: child)
      // The child's changes are an event of their own, so later changes are not part of it.
      processPendingChanges()
      return part
    }
    // The child adopts its values as saved only now, when the parent has applied all changes: after
    // an error the child's changes must remain unsaved.
    for object in part.inserted + part.updated {
      object.didSaveValues(version: object.snapshot.version)
    }
    saved = part
    // A deleted fault without a row has left the child, so there is no deletion to save.
    saved.deleted.removeAll { $0.unsafeContext !== child }
  }

  /// Returns a child's changes. A change to an object that is deleted here is a conflict. The child's merge policy
  /// resolves it first, as if the object's row were gone from a store.
  private func changesToApply(of child: NSManagedObjectContext) throws -> SavedObjects {
    var hasCalledPolicy = false
    while true {
      let part = SavedObjects(
        inserted: Array(child.unsaved.inserted), updated: Array(child.unsaved.updated),
        deleted: child.ownDeletions)
      try child.readRows(of: part.updated + part.deleted)
      let targets = part.updated.map(counterpart)
      try readRows(of: targets)
      let gone = zip(part.updated, targets).filter { object, target in
        !child.session.restoredObjects.contains(object)
          && (target.flags.contains(.deleted)
            || !target.flags.contains(.inserted) && !target.snapshot.isPresent)
      }
      if gone.isEmpty { return part }
      let conflicts = gone.map { object, _ in
        NSMergeConflict(
          object, oldVersion: object.snapshot.version, read: object.snapshot, present: .none,
          isForeign: false)
      }
      // A policy that leaves the conflicts as they are would be called without end.
      guard let policy = child.mergePolicy as? NSMergePolicy, !hasCalledPolicy else {
        throw CoreDataError.conflicts(conflicts, isUnresolved: hasCalledPolicy)
      }
      try child.withoutUndo { try policy.resolve(mergeConflicts: conflicts) }
      try child.propagateDeletes()
      child.processPendingChanges()
      hasCalledPolicy = true
    }
  }

  func didSave(_ saved: SavedObjects, by context: NSManagedObjectContext) {
    // Other children are notified when this context saves.
  }

  /// Applies a child's changes to the objects of this context.
  private func applyChanges(_ part: SavedObjects, of child: NSManagedObjectContext) throws {
    // The child reads from this context meanwhile, which must not split the save into two events.
    let wasDeferred = announcing.setDeferred(true)
    defer { _ = announcing.setDeferred(wasDeferred) }
    let targets = part.updated.map(counterpart)
    let deleted = part.deleted.map(counterpart)
    try readRows(of: targets)
    for (object, target) in zip(part.updated, targets)
    where child.session.restoredObjects.contains(object) {
      try restoreDeleted(target, for: object)
    }
    let inserted = try part.inserted.map(insertCounterpart)
    for target in targets { try target.fire() }
    let pairs = Array(zip(part.inserted + part.updated, inserted + targets))
    // To-many relationships are copied last, because a member's own side determines whether it is
    // still a member.
    for isOfMembers in [false, true] {
      for (object, target) in pairs {
        let isNew =
          object.flags.contains(.inserted)
          || target.flags.contains(.inserted) && child.session.restoredObjects.contains(object)
        for slot in object.layout.slots
        where (slot.kind == .toMany) == isOfMembers && (isNew || object.isPropertyChanged(slot)) {
          try copy(slot, of: object, into: target)
        }
      }
    }
    for (_, target) in pairs { noteChange(target) }
    // The deletion of an object must not cascade to a destination that the object had left before.
    let leaving = zip(part.deleted, deleted).filter { $0.0.hasChangedStoredValues }
    try readRows(of: leaving.map(\.1))
    for (object, target) in leaving where target.existsHere {
      try copyRemovals(object, into: target)
    }
    for target in deleted where !target.flags.contains(.deleted) { beginDeletion(of: target) }
    scheduleProcessing()
  }

  /// Reverts the deletion of an object that the child's merge policy keeps, or that the child
  /// inserted.
  private func restoreDeleted(_ target: NSManagedObject, for object: NSManagedObject) throws {
    try revertDeletion(of: target, .none)
    if target.snapshot.isPresent, !target.flags.contains(.deleted) { return }
    unsaved.withdrawDeletion(target)
    // The row that the object was read from is gone.
    if unsaved.withdrawDeletionElsewhere(target), !isChild { target.state.rowIsUnknown() }
    pending.withdrawDeletion(target)
    target.state.wasRestoredByChild()
    let isMissing = !target.snapshot.isPresent
    if target.key < 0 || isMissing && (!isChild || object.flags.contains(.inserted)) {
      // The object was never in a store, or its row is gone from the store, too. An undo deletes the object again.
      target.state.isInsertedAgain()
      unsaved.insert(target)
      pending.insert(target)
      // The deletion removed the object from its members' inverse relationships.
      for slot in target.layout.toManySlots { target.state.forgetReadMembers(slot) }
    } else if isMissing {
      // The row is gone from this context's source, too. This context's own save will find that out.
      target.state.rowWasRead(object.snapshot)
    }
  }

  /// Returns the object with the ID of a child's new object: a new one, or one that is registered already, whose
  /// deletion is reverted.
  private func insertCounterpart(of object: NSManagedObject) throws -> NSManagedObject {
    if let child = object.unsafeContext { align(child) }
    if let known = registry[object.layout, object.primaryKey, object.origin] {
      if known.flags.contains(.inserted), !known.flags.contains(.deleted) { return known }
      try readExistingRows(of: [known])
      // The object is deleted in this context, or it is a fault that the program requested by its ID.
      if known.flags.contains(.deleted) || !known.snapshot.isPresent {
        try restoreDeleted(known, for: object)
        session.assign(known, to: object.unsafeContext?.session.store(of: object))
      }
      try known.fire()
      return known
    }
    let target = object.layout.managedObjectClass.init(
      entity: object.layout.entity, insertInto: nil)
    target.key = object.primaryKey
    target.origin = object.origin
    target.state.becameInserted()
    target.unsafeContext = self
    register(target)
    unsaved.insert(target)
    pending.insert(target)
    session.assign(target, to: object.unsafeContext?.session.store(of: object))
    quietly { target.awakeFromInsert() }
    return target
  }

  /// Copies a value that the child's object changed. Of a relationship, copies only this object's side: the child has
  /// changed the other side, too, so that side is copied with its own object.
  private func copy(
    _ slot: PropertySlot, of object: NSManagedObject, into target: NSManagedObject
  ) throws {
    // An element of a changed composite may be unset and unreadable. Then it exists only in the row.
    if slot.composite != nil, !object.content(slot.index).isWritten,
      object.snapshot.hasValue(of: slot, in: object.layout),
      try object.storedValue(slot.index).isNull
    {
      return
    }
    target.willChangeContent(slot.index)
    switch slot.kind {
    case .attribute:
      target.setContent(slot.index, .written(try object.storedValue(slot.index)))
    case .toOne: try copyToOne(slot, of: object, into: target)
    case .toMany: try copyToMany(slot, of: object, into: target)
    case .fetched, .composite: break
    }
  }

  /// Removes a deleted object from the relationships that the child's object had left before its deletion.
  /// Relationships that it had joined instead need no change, because its deletion in the child has removed it from
  /// them.
  private func copyRemovals(_ object: NSManagedObject, into target: NSManagedObject) throws {
    for slot in object.layout.slots where object.isPropertyChanged(slot) {
      target.willChangeContent(slot.index)
      switch slot.kind {
      case .attribute:
        target.setContent(slot.index, .written(try object.storedValue(slot.index)))
      case .toOne:
        var before: NSManagedObjectID?
        if case .reference(let id) = object.committedValue(slot) { before = id }
        // If the object has another owner in the parent by now, its deletion there removes it from that owner.
        if try target.toOneID(slot.index)?.current == before?.current {
          target.setContent(slot.index, .writtenObject(nil))
        }
      case .toMany:
        guard case .toMany(let content) = object.content(slot.index) else { continue }
        let members = target.unreadContent(slot.index)
        for member in content.removed { members.remove(counterpart(member)) }
      case .fetched, .composite: break
      }
    }
  }

  private func copyToOne(
    _ slot: PropertySlot, of object: NSManagedObject, into target: NSManagedObject
  ) throws {
    let destination = try object.toOneObject(slot.index).map(counterpart)
    var before: NSManagedObjectID?
    if case .reference(let id) = object.committedValue(slot) { before = id }
    if try target.toOneID(slot.index)?.current == before?.current {
      if let before, let inverse = slot.relationship?.inverse {
        // The child may have read the former owner's members before they included this object.
        let owner = self.object(with: before)
        if !owner.flags.contains(.deleted) { try owner.removeDestination(inverse, target) }
      }
      target.setContent(slot.index, .writtenObject(destination))
    } else {
      // The parent has a different destination by now, whose own side must be updated, too.
      try target.setToOne(slot.index, destination)
    }
  }

  private func copyToMany(
    _ slot: PropertySlot, of object: NSManagedObject, into target: NSManagedObject
  ) throws {
    guard case .toMany(let content) = object.content(slot.index), content.isChanged else { return }
    let members = target.unreadContent(slot.index)
    var going: Set<NSManagedObject> = []
    let ownSide = slot.relationship.flatMap { relationship in
      relationship.inverse.map { relationship.destination.slots[$0].kind }
    }
    for member in content.removed {
      // If the inverse is to-one, copying the member's own side has already removed the member. Removing it again would
      // count as a change to the stored members.
      if ownSide == .toOne, !member.flags.contains(.deleted) { continue }
      if try object.losesByDeletion(member, slot) {
        going.insert(counterpart(member))
      } else {
        members.remove(counterpart(member))
      }
    }
    for own in content.added where !own.flags.contains(.deleted) {
      let member = counterpart(own)
      if try !member.hasOtherOwner(slot, than: target) { members.insert(member) }
    }
    // Members are reordered after additions and removals, because only present members have
    // positions.
    if content.isOrdered {
      let order = try object.toManyObjects(slot.index).filter { !$0.flags.contains(.deleted) }
      try target.reorderMembers(slot.index, OrderedSet(order.map(counterpart)), going)
    }
  }
}

extension NSManagedObject {
  /// Returns whether an object was a member until it was deleted. If so, its deletion in the parent removes it from the
  /// members. It must not be removed earlier, because unread members record only the removal of an object that is still
  /// one of them.
  fileprivate func losesByDeletion(
    _ member: NSManagedObject, _ slot: PropertySlot
  ) throws -> Bool {
    guard member.flags.contains(.deleted), let context = unsafeContext,
      !context.unsaved.deletedElsewhere.contains(member), let inverse = slot.relationship?.inverse
    else { return false }
    if member.layout.slots[inverse].kind == .toOne {
      return try member.toOneObject(inverse) === self
    }
    guard case .toMany(let content) = member.content(inverse) else { return true }
    return !content.removed.contains(self)
  }

  /// Returns whether a member has a different owner by now, or none. A member that left the child's relationship and
  /// came back has not changed in the child, so it keeps the owner that it has in the parent.
  fileprivate func hasOtherOwner(_ slot: PropertySlot, than owner: NSManagedObject) throws -> Bool {
    guard let inverse = slot.relationship?.inverse, layout.slots[inverse].kind == .toOne else {
      return false
    }
    do {
      return try toOneObject(inverse) !== owner
    } catch let error where CoreDataError.isRowGone(error) {
      return true
    }
  }

  /// Puts the members of an ordered relationship in an order. Members that are not in that order follow at the end.
  ///
  /// - Parameter going: Members that a deletion will remove, so their positions do not matter.
  fileprivate func reorderMembers(
    _ slot: Int, _ order: OrderedSet<NSManagedObject>, _ going: Set<NSManagedObject>
  ) throws {
    let content = try toManyContent(slot)
    let present = content.objects
    let staying = going.isEmpty ? present : present.filter { !going.contains($0) }
    var next = OrderedSet(order.filter { content.contains($0) })
    next.append(contentsOf: staying)
    if next.elementsEqual(staying, by: ===) { return }
    next.append(contentsOf: present)
    content.reorder(next)
  }
}
