/// Has both sides of relationships agree again when a step was taken back.
///
/// A step knows what it changed itself. Merges, refreshes and saves have changed the other side since, or had it
/// read while an object was away. As in a store, the side that leads to one object decides; of two that lead to
/// many, the one that was put back. Nobody leads to an object that is not there.
struct Settlement {
  private let context: NSManagedObjectContext
  private let putBack: [ObjectUndo]
  private let removedObjects: Set<NSManagedObject>
  /// Who had an object before it was given to another owner, or to none.
  private var former: [(member: NSManagedObject, slot: Int, owner: NSManagedObject)] = []

  /// - Parameter step: Is about to be taken back.
  init(_ step: UndoStep, in context: NSManagedObjectContext) {
    self.context = context
    putBack = step.objects.filter(\.wasPresent)
    removedObjects = Set(step.objects.filter { !$0.wasPresent }.map(\.object))
    for change in putBack where isThere(change.object) {
      for (slot, _) in change.destinations {
        attempt(change.object) {
          guard let owner = try change.object.toOneObject(slot) else { return }
          former.append((change.object, slot, owner))
        }
      }
    }
  }

  private func isThere(_ object: NSManagedObject) -> Bool {
    object.unsafeContext === context && !object.isDeletedForGood && !removedObjects.contains(object)
  }

  private func attempt(_ object: NSManagedObject, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      Log.contextNotice("\(object.objectID): \(error.localizedDescription)")
    }
  }

  /// To be called when values are as they were; those who were inserted are not gone yet.
  func settle() {
    readMembersAhead()
    for (member, slot, owner) in former {
      attempt(member) {
        guard let inverse = member.layout.slots[slot].relationship?.inverse,
          try member.toOneObject(slot) !== owner
        else { return }
        try owner.leave(inverse, member, isStored: member.isStored(slot, owner))
      }
    }
    for change in putBack where isThere(change.object) {
      if !change.isPresent {
        // Others may have given it to somebody else while it was away.
        attempt(change.object) { try context.leaveStoredOwners(change.object) }
      }
      for slot in change.object.layout.slots {
        attempt(change.object) { try settle(change, slot) }
      }
    }
  }

  private func settle(_ change: ObjectUndo, _ slot: PropertySlot) throws {
    guard let inverse = slot.relationship?.inverse else { return }
    let object = change.object
    let isBack = !change.isPresent
    if slot.kind == .toOne {
      guard isBack || change.destinations.contains(where: { $0.slot == slot.index }),
        let owner = try object.toOneObject(slot.index)
      else { return }
      if try isThere(owner) && !isAssignedElsewhere(owner, inverse, from: object) {
        try owner.join(inverse, object, isStored: object.isStored(slot.index, owner))
      } else {
        try object.leave(slot.index, owner, isStored: true)
      }
    } else {
      let members = change.members.first { $0.slot == slot.index }
      var concerned = Set((members?.added ?? []) + (members?.removed ?? []))
      if isBack { concerned.formUnion(try object.toManyObjects(slot.index)) }
      for member in concerned { try settle(object, slot.index, member, inverse) }
    }
  }

  /// Whether the owner of a to-one inverse leads to another object that exists.
  private func isAssignedElsewhere(
    _ owner: NSManagedObject, _ slot: Int, from object: NSManagedObject
  ) throws -> Bool {
    guard owner.layout.slots[slot].kind == .toOne, let other = try owner.toOneObject(slot) else {
      return false
    }
    return other !== object && isThere(other)
  }

  /// One member of a relationship that leads to many.
  private func settle(
    _ owner: NSManagedObject, _ slot: Int, _ member: NSManagedObject, _ inverse: Int
  ) throws {
    if !isThere(member) {
      try owner.leave(slot, member, isStored: false)
    } else if member.layout.slots[inverse].kind == .toOne {
      let isStored: Bool
      let leads: Bool
      do {
        leads = try member.toOneObject(inverse) === owner
        isStored = member.isStored(inverse, owner)
      } catch let error where CoreDataError.isRowGone(error) {
        leads = false
        isStored = false
      }
      if leads {
        try owner.join(slot, member, isStored: isStored)
      } else {
        try owner.leave(slot, member, isStored: isStored)
      }
    } else {
      let content = try owner.toManyContent(slot)
      if content.contains(member) {
        let isStored = !content.added.contains(member)
        let back = try member.toManyContent(inverse)
        if isStored, !back.contains(owner), !back.removed.contains(owner) {
          // What the two know of the store differs, because of what others did while one of them was away.
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

  /// Reads together what objects that are back lead to.
  private func readMembersAhead() {
    let saved = putBack.filter { !$0.isPresent }.map(\.object)
      .filter { isThere($0) && !$0.flags.contains(.inserted) }
    do {
      for group in Dictionary(grouping: saved, by: { ObjectIdentifier($0.layout) }).values {
        for slot in group[0].layout.slots
        where slot.kind == .toMany && slot.relationship?.inverse != nil {
          try context.prefetchToMany(slot, of: group)
        }
      }
    } catch {
      Log.contextNotice("reading ahead of what is taken back: \(error.localizedDescription)")
    }
  }
}

extension NSManagedObject {
  /// Whether the store has an object as the destination of a to-one relationship.
  fileprivate func isStored(_ slot: Int, _ destination: NSManagedObject) -> Bool {
    guard case .reference(let id) = committedValue(layout.slots[slot]) else { return false }
    return id.names(destination)
  }

  /// Leads to another object.
  ///
  /// - Parameter isStored: whether it does in the store; else that is a change.
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
      state.forgetMember(other, of: slot)
      if !isStored { unreadContent(slot).insert(other) }
    }
    noteChange()
  }

  /// Leads to another object no more.
  ///
  /// - Parameter isStored: whether it does in the store, so that this is a change.
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
      state.forgetMember(other, of: slot)
      if isStored { unreadContent(slot).remove(other) }
    }
    noteChange()
  }
}
