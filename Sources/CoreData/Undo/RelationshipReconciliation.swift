/// Makes both sides of relationships consistent after an undo step has been reverted.
///
/// A step contains only its own changes. After they were recorded, merges, refreshes and saves may have changed the
/// other sides, or the context may have read the other sides while an object was deleted. After the reconciliation, no
/// relationship leads to an object that does not exist.
struct RelationshipReconciliation {
  private let context: NSManagedObjectContext
  private let restored: [ObjectUndo]
  private let removedObjects: Set<NSManagedObject>
  /// The owners that objects had before the step was reverted, by member and slot.
  private var former: [(member: NSManagedObject, slot: Int, owner: NSManagedObject)] = []

  /// - Parameter step: The step that is about to be reverted.
  init(_ step: UndoStep, in context: NSManagedObjectContext) {
    self.context = context
    restored = step.objects.filter(\.wasPresent)
    removedObjects = Set(step.objects.filter { !$0.wasPresent }.map(\.object))
    for change in restored where exists(change.object) {
      for (slot, _) in change.destinations {
        attempt(change.object) {
          guard let owner = try change.object.toOneObject(slot) else { return }
          former.append((change.object, slot, owner))
        }
      }
    }
  }

  private func exists(_ object: NSManagedObject) -> Bool {
    object.unsafeContext === context && !object.isDeletedForGood && !removedObjects.contains(object)
  }

  private func attempt(_ object: NSManagedObject, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      Log.contextNotice(
        "relationships of \(object.ownID) may be inconsistent: \(error.localizedDescription)")
    }
  }

  /// Reconciles the relationships. Call it after restoring values and before deleting inserted objects.
  func reconcile() {
    readMembersAhead()
    for (member, slot, owner) in former {
      attempt(member) {
        guard let inverse = member.layout.slots[slot].relationship?.inverse,
          try member.toOneObject(slot) !== owner
        else { return }
        try owner.leave(inverse, member, isStored: member.isStored(slot, owner))
      }
    }
    for change in restored where exists(change.object) {
      if !change.isPresent {
        // The object may have a different owner in the store by now.
        attempt(change.object) { try context.removeFromStoredOwners(change.object) }
      }
      for slot in change.object.layout.slots {
        attempt(change.object) { try reconcile(change, slot) }
      }
    }
  }

  private func reconcile(_ change: ObjectUndo, _ slot: PropertySlot) throws {
    guard let inverse = slot.relationship?.inverse else { return }
    let object = change.object
    let isBack = !change.isPresent
    if slot.kind == .toOne {
      guard isBack || change.destinations.contains(where: { $0.slot == slot.index }),
        let owner = try object.toOneObject(slot.index)
      else { return }
      if try exists(owner) && !isAssignedElsewhere(owner, inverse, from: object) {
        try owner.join(inverse, object, isStored: object.isStored(slot.index, owner))
      } else {
        try object.leave(slot.index, owner, isStored: true)
      }
    } else {
      let members = change.members.first { $0.slot == slot.index }
      var concerned = Set((members?.added ?? []) + (members?.removed ?? []))
      if isBack { concerned.formUnion(try object.toManyObjects(slot.index)) }
      for member in concerned { try reconcile(object, slot.index, member, inverse) }
    }
  }

  /// Returns whether an owner's to-one relationship leads to a different object that exists.
  private func isAssignedElsewhere(
    _ owner: NSManagedObject, _ slot: Int, from object: NSManagedObject
  ) throws -> Bool {
    guard owner.layout.slots[slot].kind == .toOne, let other = try owner.toOneObject(slot) else {
      return false
    }
    return other !== object && exists(other)
  }

  /// Reconciles one member of a to-many relationship.
  private func reconcile(
    _ owner: NSManagedObject, _ slot: Int, _ member: NSManagedObject, _ inverse: Int
  ) throws {
    if !exists(member) {
      try owner.leave(slot, member, isStored: false)
    } else if member.layout.slots[inverse].kind == .toOne {
      // As in a store, the to-one side determines the relationship.
      let isStored: Bool
      let leads: Bool
      do {
        leads = try member.toOneObject(inverse) === owner
        isStored = member.isStored(inverse, owner)
      } catch let error where CoreDataError.isRowGone(error) {
        // A member whose row is gone belongs to no owner.
        leads = false
        isStored = false
      }
      if leads {
        try owner.join(slot, member, isStored: isStored)
      } else {
        try owner.leave(slot, member, isStored: isStored)
      }
    } else {
      // Of two to-many sides, the one that the step restored determines the relationship.
      let content = try owner.toManyContent(slot)
      if content.contains(member) {
        let isStored = !content.added.contains(member)
        let back = try member.toManyContent(inverse)
        if isStored, !back.contains(owner), !back.removed.contains(owner) {
          // The two sides were read at different times, and another save changed the relationship in between.
          owner.state.forgetReadMembers(slot)
          member.state.forgetReadMembers(inverse)
        } else {
          try member.join(inverse, owner, isStored: isStored)
        }
      } else {
        try member.leave(inverse, owner, isStored: content.removed.contains(member))
      }
    }
  }

  /// Reads the members of restored objects together.
  private func readMembersAhead() {
    let saved = restored.filter { !$0.isPresent }.map(\.object)
      .filter { exists($0) && !$0.flags.contains(.inserted) }
    do {
      for group in Dictionary(grouping: saved, by: { ObjectIdentifier($0.layout) }).values {
        for slot in group[0].layout.slots
        where slot.kind == .toMany && slot.relationship?.inverse != nil {
          try context.prefetchToMany(slot, of: group)
        }
      }
    } catch {
      Log.contextNotice("members of restored objects cannot be read: \(error.localizedDescription)")
    }
  }
}

extension NSManagedObject {
  /// Returns whether the store has an object as the destination of a to-one relationship.
  fileprivate func isStored(_ slot: Int, _ destination: NSManagedObject) -> Bool {
    guard case .reference(let id) = committedValue(layout.slots[slot]) else { return false }
    return id.identifies(destination)
  }

  /// Adds a destination on this side.
  ///
  /// - Parameter isStored: Whether the store has the destination, so that adding it is not a change.
  fileprivate func join(_ slot: Int, _ other: NSManagedObject, isStored: Bool) throws {
    if layout.slots[slot].kind == .toOne {
      if try toOneObject(slot) === other { return }
      willChangeContent(slot)
      setContent(slot, .writtenObject(other))
    } else {
      let content = unreadContent(slot)
      let isKnown = !content.isRead || content.contains(other)
      if isKnown, isStored ? !content.removed.contains(other) : content.added.contains(other) {
        return
      }
      willChangeContent(slot)
      // Without a recorded change, the other object is a member if it is one in the store.
      state.forgetMember(other, of: slot)
      if !isStored { unreadContent(slot).insert(other) }
    }
    noteChange()
  }

  /// Removes a destination on this side.
  ///
  /// - Parameter isStored: Whether the store has the destination, so that removing it is a change.
  fileprivate func leave(_ slot: Int, _ other: NSManagedObject, isStored: Bool) throws {
    if layout.slots[slot].kind == .toOne {
      guard try toOneObject(slot) === other else { return }
      willChangeContent(slot)
      setContent(slot, .writtenObject(nil))
    } else {
      let content = unreadContent(slot)
      let isKnown = !content.isRead || !content.contains(other)
      if isKnown, isStored ? content.removed.contains(other) : !content.added.contains(other) {
        return
      }
      willChangeContent(slot)
      // Without a recorded change, the other object is not a member unless it is one in the store.
      state.forgetMember(other, of: slot)
      if isStored { unreadContent(slot).remove(other) }
    }
    noteChange()
  }
}
