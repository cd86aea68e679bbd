// Changed here and deleted there, deleted here and changed there.

extension ConflictResolution {
  /// The row of a changed object is gone: the object goes too, or the row comes back.
  func settleMissingRow() throws {
    let isChanged = object.layout.slots.contains { !$0.isTransient && object.isChanged($0) }
    if storeWins || !object.snapshot.isPresent || !isChanged || object.flags.contains(.deleted) {
      try vanish()
    } else {
      try restoreRow()
    }
  }

  /// The object is gone here as it is there; nothing that was changed here leads to it.
  private func vanish() throws {
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

  /// The save writes a new row with the object's ID and all its values.
  private func restoreRow() throws {
    context.session.restore(object)
    for slot in object.layout.slots where !slot.isTransient {
      switch slot.kind {
      case .toOne where !object.isChanged(slot):
        // What it led to may be gone with it. A parent's objects are not the store's rows.
        guard !context.isChild, case .reference(let id) = object.committedValue(slot) else {
          continue
        }
        let destination = context.object(with: id)
        if try !context.presentRow(of: destination).isPresent {
          object.setContent(slot.index, .writtenObject(nil))
        } else if let inverse = slot.relationship?.inverse {
          try putBack(slot.index, inverse, of: destination)
        }
      // Its members left when the row went; those that were added here are there.
      case .toMany: object.state.forgetReadMembers(slot.index)
      default: break
      }
    }
    recordRefresh()
  }

  /// Gives the destination of a restored row's to-one relationship its other side again, which others let go of when
  /// the row went.
  private func putBack(_ slot: Int, _ inverse: Int, of destination: NSManagedObject) throws {
    if destination.flags.contains(.deleted) { return }
    if destination.layout.slots[inverse].kind == .toMany {
      // The object is one of the members; the save names the owner, too.
      return context.noteChange(destination)
    }
    context.refreshContents(of: [destination])
    switch try destination.toOneObject(inverse) {
    case let other? where other !== object && !other.flags.contains(.deleted):
      // It was given to another meanwhile.
      object.setContent(slot, .writtenObject(nil))
    case object: break
    default:
      destination.willChangeContent(inverse)
      destination.setContent(inverse, .writtenObject(object))
      destination.noteChange()
    }
  }

  /// A deleted object was changed in the store: it is deleted nevertheless, or stays.
  func settleDeletion() throws {
    if storeWins {
      try context.revertDeletion(of: object, present)
    } else {
      let before = object.snapshot
      object.state.rowWasRead(present)
      readDenialsAgain(before)
      context.propagateDeleteAgain(of: object)
    }
  }

  /// The deny rules, which were asked before the save, hold for what others gave the object, too.
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
  /// An object's row was deleted by somebody else: it is deleted here too, and the next save has
  /// nothing to do for it.
  func noteDeletedElsewhere(_ object: NSManagedObject) {
    let isReported = object.flags.contains(.deleted)
    // Whoever referred to it was changed by the same save.
    object.state.wasDeletedElsewhere()
    unsaved.deleteElsewhere(object)
    // A deletion that was made or noticed here is not reported again when another context's is merged.
    if isReported { pending.confirmDeletions() } else { pending.delete(object) }
  }

  /// Whether an object counts as deleted because another context deleted its row, or because the row was not found.
  func isMissing(_ object: NSManagedObject) -> Bool {
    unsaved.deletedElsewhere.contains(object) || object.flags.contains(.inaccessible)
  }

  /// Whoever deleted the object took that back.
  ///
  /// - Returns: whether it counted as deleted elsewhere until now: that was merged, or its row was
  ///   not found.
  @discardableResult
  func noteThereAgain(_ object: NSManagedObject) -> Bool {
    let isMerged = unsaved.withdrawDeletionElsewhere(object)
    guard isMerged || object.flags.contains(.inaccessible) else { return false }
    let wasDeleted = object.flags.contains(.deleted)
    let isListed = unsaved.withdrawDeletion(object)
    object.state.rowIsThereAgain(isDeleted: !isListed)
    return isListed && wasDeleted
  }

  /// Reverts the deletion of an object: it is again as the store has it, with what its deletion
  /// deleted too: members by the cascade rule, and its place in the relationships of other objects.
  func revertDeletion(of object: NSManagedObject, _ present: RowSnapshot) throws {
    guard unsaved.deleted.contains(object), !unsaved.deletedElsewhere.contains(object) else {
      return
    }
    unsaved.withdrawDeletion(object)
    object.state.returnedToItsRow()
    if present.isPresent { object.state.rowWasRead(present) }
    pending.bringBack(object)
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
          putBack(object, into: destination, inverse)
        } else if relationship.deleteRule == .cascadeDeleteRule {
          try revertDeletion(of: destination, destination.snapshot)
        }
      }
      object.state.forget(slot.index)
    }
    wake(object, .mergePolicy)
  }

  /// Takes back what nullifying a relationship to a deleted object did.
  private func putBack(_ object: NSManagedObject, into destination: NSManagedObject, _ slot: Int) {
    switch destination.content(slot) {
    case .writtenObject(nil):
      guard case .reference(let id) = destination.committedValue(destination.layout.slots[slot]),
        id.names(object)
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
