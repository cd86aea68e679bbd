// Conflicts between changes and deletions.

extension ConflictResolution {
  /// Resolves the conflict of a changed object without a row: deletes it, or inserts its row again.
  func resolveMissingRow() throws {
    let isChanged = object.layout.slots.contains { !$0.isTransient && object.isChanged($0) }
    if storeWins || !object.snapshot.isPresent || !isChanged || object.flags.contains(.deleted) {
      try acceptDeletion()
    } else {
      try restoreRow()
    }
  }

  /// Marks the object as deleted by another save, and removes it from unsaved changes of relationships.
  private func acceptDeletion() throws {
    for slot in object.layout.slots {
      guard let inverse = slot.relationship?.inverse else { continue }
      switch object.content(slot.index) {
      case .writtenObject(let destination?): try destination.removeDestination(inverse, object)
      case .toMany(let content):
        for member in content.added { try member.removeDestination(inverse, object) }
      default: break
      }
    }
    context.replaceReferences([ObjectIdentifier(object): (object, nil)])
    context.noteDeletedElsewhere(object)
  }

  /// Makes the save insert a new row with the object's ID and all its values.
  private func restoreRow() throws {
    context.session.restore(object)
    for slot in object.layout.slots where !slot.isTransient {
      switch slot.kind {
      case .toOne where !object.isChanged(slot):
        // The destination's row may be gone, too. A child context has nothing to check, because the objects of its
        // parent are not rows of a store.
        guard !context.isChild, case .reference(let id) = object.committedValue(slot) else {
          continue
        }
        let destination = context.object(with: id)
        if try !context.presentRow(of: destination).isPresent {
          object.setContent(slot.index, .writtenObject(nil))
        } else if let inverse = slot.relationship?.inverse {
          try restoreInverse(slot.index, inverse, of: destination)
        }
      // Deleting the row removed its members. Members that this context added stay.
      case .toMany: object.state.forgetReadMembers(slot.index)
      default: break
      }
    }
    recordRefresh()
  }

  /// Restores the other side of a to-one relationship, which was cleared when the row was deleted.
  private func restoreInverse(_ slot: Int, _ inverse: Int, of destination: NSManagedObject) throws {
    if destination.flags.contains(.deleted) { return }
    if destination.layout.slots[inverse].kind == .toMany {
      // The restored object becomes a member of the destination again, so the destination counts as changed, too.
      return context.noteChange(destination)
    }
    context.refreshContents(of: [destination])
    switch try destination.toOneObject(inverse) {
    case let other? where other !== object && !other.flags.contains(.deleted):
      // The destination is related to another object by now.
      object.setContent(slot, .writtenObject(nil))
    case object: break
    default:
      destination.willChangeContent(inverse)
      destination.setContent(inverse, .writtenObject(object))
      destination.noteChange()
    }
  }

  /// Resolves the conflict of a deleted object with a changed row: deletes it anyway, or restores it.
  func resolveDeletion() throws {
    if storeWins {
      try context.revertDeletion(of: object, present)
    } else {
      // The next attempt to save deletes the row only if it still has the version that the object was
      // read with. So the object adopts the current row.
      let before = object.snapshot
      object.state.rowWasRead(present)
      readDenialsAgain(before)
      context.propagateDeleteAgain(of: object)
    }
  }

  /// Discards the destinations of relationships with a Deny rule, so that they are read again and
  /// include destinations that other saves have added.
  private func readDenialsAgain(_ before: RowSnapshot) {
    for slot in object.layout.slots where slot.relationship?.deleteRule == .denyDeleteRule {
      if slot.kind == .toMany {
        object.state.forgetReadMembers(slot.index)
      } else if !object.isChanged(slot)
        || before.value(of: slot, in: object.layout, origin: object.origin)
          != object.committedValue(slot)
      {
        object.state.forget(slot.index)
      }
    }
  }
}

extension NSManagedObjectContext {
  /// Marks an object as deleted because another save deleted its row. The next save writes nothing
  /// for it.
  func noteDeletedElsewhere(_ object: NSManagedObject) {
    let isReported = object.flags.contains(.deleted)
    // No delete rules are left to carry out: the save that deleted the row did so.
    object.state.wasDeletedElsewhere()
    unsaved.deleteElsewhere(object)
    // If this context has already reported its own deletion of the object, it does not report the
    // merged one as well.
    if isReported { pending.confirmDeletions() } else { pending.delete(object) }
  }

  /// Returns whether an object counts as deleted because another context deleted its row, or
  /// because the row was not found.
  func isMissing(_ object: NSManagedObject) -> Bool {
    unsaved.deletedElsewhere.contains(object) || object.flags.contains(.inaccessible)
  }

  /// Records that an object's row exists again.
  ///
  /// - Returns: Whether the object was marked as deleted and no longer is.
  @discardableResult
  func noteRecreatedRow(of object: NSManagedObject) -> Bool {
    let isMerged = unsaved.withdrawDeletionElsewhere(object)
    guard isMerged || object.flags.contains(.inaccessible) else { return false }
    let wasDeleted = object.flags.contains(.deleted)
    let isListed = unsaved.withdrawDeletion(object)
    object.state.rowWasInsertedAgain(isDeleted: !isListed)
    return isListed && wasDeleted
  }

  /// Reverts the deletion of an object and the deletions that its cascade rules caused, and
  /// restores it in the relationships of other objects.
  func revertDeletion(of object: NSManagedObject, _ present: RowSnapshot) throws {
    guard unsaved.deleted.contains(object), !unsaved.deletedElsewhere.contains(object) else {
      return
    }
    unsaved.withdrawDeletion(object)
    object.state.returnedToItsRow()
    if present.isPresent { object.state.rowWasRead(present) }
    pending.reinsert(object)
    for slot in object.layout.slots {
      guard let relationship = slot.relationship, let inverse = relationship.inverse else {
        continue
      }
      let destinations =
        slot.kind == .toOne
        ? [try object.toOneObject(slot.index)].compactMap { $0 }
        : try readMembers(of: object, slot.index, withDeleted: true)
      for destination in destinations {
        if !destination.flags.contains(.deleted) {
          restoreReference(to: object, in: destination, inverse)
        } else if relationship.deleteRule == .cascadeDeleteRule {
          try revertDeletion(of: destination, destination.snapshot)
        }
      }
      object.state.forget(slot.index)
    }
    wake(object, .mergePolicy)
  }

  /// Reverts the nullification of a relationship to a deleted object.
  private func restoreReference(
    to object: NSManagedObject, in destination: NSManagedObject, _ slot: Int
  ) {
    switch destination.content(slot) {
    case .writtenObject(nil):
      guard case .reference(let id) = destination.committedValue(destination.layout.slots[slot]),
        id.identifies(object)
      else { return }
      destination.willChangeContent(slot)
      destination.state.forget(slot)
    case .toMany: destination.state.forgetMember(object, of: slot)
    default: return
    }
    pending.refresh(destination)
    forgetUpdateIfUnchanged(destination)
  }
}
