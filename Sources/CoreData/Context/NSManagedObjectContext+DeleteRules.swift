// Delete rules are carried out in waves: the objects that a wave deletes form the next one. A
// wave's destinations are read together, so the number of queries depends on the relationships, not
// on the number of objects.

extension NSManagedObjectContext {
  /// Marks an object as deleted. Its delete rules are carried out when changes are processed, or by the save if
  /// `propagatesDeletesAtEndOfEvent` is false.
  func beginDeletion(of object: NSManagedObject) {
    object.state.becameDeleted()
    unsaved.delete(object)
    unsaved.noteRulesDue(of: object)
    pending.delete(object)
    scheduleProcessing()
  }

  /// Carries out the delete rules of the objects deleted since the last call, and of the objects that these rules
  /// delete.
  ///
  /// - Throws: An error if the store cannot be read. The next call tries the affected objects again.
  func propagateDeletes() throws {
    repeat {
      try carryOutDeleteRules()
      try dropLateReferences()
      // A Cascade rule may delete the object that has a late reference. Then the rules of that object
      // are due.
    } while !unsaved.deletionsToPropagate.isEmpty
  }

  /// Carries out the delete rules of a deleted object again, after another context or process
  /// changed its row. Skips relationships whose references are removed together with that row.
  func propagateDeleteAgain(of object: NSManagedObject) {
    guard object.isDeletedForGood, unsaved.deleted.contains(object),
      !unsaved.deletedElsewhere.contains(object)
    else { return }
    var isLeading = false
    for slot in object.layout.slots where slot.kind == .toOne || slot.kind == .toMany {
      guard let relationship = slot.relationship, rule(relationship, of: object) != nil else {
        continue
      }
      // Deleting the row also removes its own references and its many-to-many pairs. What remains are references in
      // the destinations' rows, and destinations to delete.
      let inverse = relationship.inverse.map { relationship.destination.slots[$0].kind }
      guard inverse == .toOne || relationship.deleteRule == .cascadeDeleteRule else { continue }
      // The content in memory may be older than the other save.
      object.state.forget(slot.index)
      do {
        let destinations =
          slot.kind == .toOne
          ? [try object.toOneObject(slot.index)].compactMap { $0 }
          : try readMembers(of: object, slot.index)
        if destinations.isEmpty { continue }
        isLeading = true
        // The destinations may have been read before the other save made them refer to the object.
        if inverse == .toOne {
          refreshContents(of: destinations.filter { !$0.flags.contains(.deleted) })
        }
      } catch {
        Log.contextNotice(
          "the delete rules of \(object.ownID) cannot be applied again:"
            + " \(error.localizedDescription)")
      }
    }
    guard isLeading else { return }
    object.state.deleteRulesAreDue()
    unsaved.noteRulesDue(of: object)
    scheduleProcessing()
  }

  private func carryOutDeleteRules() throws {
    var failed: [NSManagedObject] = []
    var failure: (any Error)?
    while !unsaved.deletionsToPropagate.isEmpty {
      let wave = unsaved.removeDeletionsToPropagate().filter {
        unsaved.deleted.contains($0) && !$0.flags.contains(.propagated)
      }
      readAhead(of: wave)
      for object in wave where !object.flags.contains(.propagated) {
        // The flag `.propagated` is set afterwards, so that the members of the object, which may include
        // the object itself, are read as they were before.
        do {
          try propagateDelete(of: object)
        } catch let error where CoreDataError.isRowGone(error) {
          // The row is gone already, so its relationships have no destinations to update or delete.
          Log.contextNotice(
            "the delete rules of \(object.ownID) are not applied, because its row is gone:"
              + " \(error.localizedDescription)")
        } catch {
          // One object that cannot be read must not keep the rules of the others from being carried
          // out.
          failed.append(object)
          failure = failure ?? error
          continue
        }
        object.state.deleteRulesAreDone()
        forgetIfUnsaved(object)
      }
    }
    // The failed objects are added after the loop, because the loop would retry them forever.
    for object in failed { unsaved.noteRulesDue(of: object) }
    if let failure { throw failure }
  }

  /// Removes the updates of a deleted object from the changes to be saved; removes the object itself if it was never
  /// saved.
  private func forgetIfUnsaved(_ object: NSManagedObject) {
    if object.flags.contains(.inserted) {
      unsaved.forget(object)
    } else {
      unsaved.withdrawUpdate(object)
    }
  }

  /// Returns the rule to carry out for a relationship of an object, or nil. Validation checks Deny.
  private func rule(
    _ relationship: RelationshipLayout, of object: NSManagedObject
  ) -> NSDeleteRule? {
    switch relationship.deleteRule {
    case .cascadeDeleteRule: return .cascadeDeleteRule
    case .nullifyDeleteRule: break
    default:
      // References to an object that was never saved are removed whatever the rule, because no row can contain them.
      guard object.flags.contains(.inserted) else { return nil }
    }
    return relationship.inverse == nil ? nil : .nullifyDeleteRule
  }

  /// Reads, with few queries, the destinations that the delete rules of a wave change or delete.
  private func readAhead(of wave: [NSManagedObject]) {
    let saved = wave.filter { !$0.flags.contains(.inserted) }
    // A single object reads the same rows on demand.
    guard saved.count > 1 else { return }
    do {
      try readRows(together: saved)
      for slot in relationshipSlots(of: saved) {
        guard let relationship = slot.property.relationship else { continue }
        let owners = slot.owners.filter {
          $0.snapshot.isPresent && rule(relationship, of: $0) != nil
        }
        let destinations =
          slot.property.kind == .toMany
          ? try readMembers(of: slot.property, owners: owners)
          : try owners.compactMap { try $0.toOneObject(slot.property.index) }
        // The row of a destination is needed now if it contains the reference to the owner, or if the
        // destination is deleted, too. If the inverse is to-many, the row is needed only by the save.
        if let inverse = relationship.inverse,
          relationship.destination.slots[inverse].kind == .toMany,
          relationship.deleteRule != .cascadeDeleteRule
        {
          continue
        }
        try readRows(together: destinations)
      }
    } catch {
      // The rules then read one object at a time, so that the error is reported for the object that causes it.
      Log.contextNotice("rows cannot be read ahead for delete rules: \(error.localizedDescription)")
    }
  }

  /// Carries out one object's delete rules. The objects deleted with it form the next wave.
  private func propagateDelete(of object: NSManagedObject) throws {
    for slot in object.layout.toOneSlots + object.layout.toManySlots {
      guard let relationship = object.layout.slots[slot].relationship,
        let rule = rule(relationship, of: object)
      else { continue }
      let isToOne = object.layout.slots[slot].kind == .toOne
      var destinations =
        isToOne
        ? [try object.toOneObject(slot)].compactMap { $0 } : try object.toManyObjects(slot)
      // When the rules run again, the destinations are read from the store, which lacks this context's unsaved
      // changes.
      if let inverse = relationship.inverse {
        destinations.removeAll { $0.wasRemoved(from: object, inverse) }
      }
      if rule == .cascadeDeleteRule {
        for destination in destinations where !destination.flags.contains(.deleted) {
          delete(destination)
        }
      }
      guard let inverse = relationship.inverse else { continue }
      for destination in destinations
      where !destination.flags.contains(.deleted)
        && !object.isOneSided(slot, with: destination, inverse)
      {
        try destination.removeDestination(inverse, object)
      }
    }
  }

  // MARK: Late references

  /// Removes references to deleted objects that appeared after their delete rules were carried out:
  /// set by the program, an undo, a merge, a refresh or a child's save. The referring object drops
  /// the reference or is deleted, too, as the rule says.
  ///
  /// Runs whenever delete rules are carried out, as each save does, so no save writes a reference to a missing row.
  private func dropLateReferences() throws {
    if unsaved.deleted.isEmpty {
      unsaved.forgetArrivals()
      return
    }
    var objects = pending.inserted.objects + pending.updated.objects
    // If another context saved the deletion, that save did not consider the unsaved changes of this context.
    if pending.confirmsDeletions
      || pending.deleted.contains(where: unsaved.deletedElsewhere.contains)
    {
      objects += unsaved.inserted.objects + unsaved.updated.objects
    }
    // A merged save, in turn, did not consider the unsaved deletions of this context.
    if unsaved.deleted.count > unsaved.deletedElsewhere.count {
      for list in [pending.refreshed, pending.outdated, pending.merged] {
        unsaved.noteArrival(of: list)
      }
      let faults = unsaved.arrived.filter {
        !$0.flags.contains(.deleted) && $0.unsafeContext === self
      }
      try readExistingRows(of: faults)
      objects += faults
    }
    unsaved.forgetArrivals()
    for object in objects
    where !object.flags.contains(.deleted) && object.unsafeContext === self
      && (!object.flags.contains(.fault) || object.snapshot.isPresent)
    {
      try dropReferencesToDeleted(of: object)
    }
  }

  private func dropReferencesToDeleted(of object: NSManagedObject) throws {
    for slot in object.layout.toOneSlots {
      guard let destination = try deletedDestination(of: object, slot),
        let inverse = object.layout.slots[slot].relationship?.inverse,
        let relationship = destination.layout.slots[inverse].relationship
      else { continue }
      switch relationship.deleteRule {
      case .cascadeDeleteRule: delete(object)
      case .nullifyDeleteRule: try object.removeDestination(slot, destination)
      // A deletion that another context has saved can no longer be denied: drop the reference.
      default:
        if unsaved.deletedElsewhere.contains(destination) {
          try object.removeDestination(slot, destination)
        }
      }
    }
    for slot in object.layout.toManySlots {
      guard case .toMany(let content) = object.content(slot) else { continue }
      for member in content.added where member.flags.isSuperset(of: [.deleted, .propagated]) {
        try object.removeDestination(slot, member)
      }
    }
  }

  /// Returns the destination of a to-one relationship if it is deleted and its rules were carried out.
  private func deletedDestination(
    of object: NSManagedObject, _ slot: Int
  ) throws -> NSManagedObject? {
    guard let id = try object.toOneID(slot), let destination = registeredObject(for: id),
      destination.flags.isSuperset(of: [.deleted, .propagated])
    else { return nil }
    return destination
  }
}

extension NSManagedObject {
  /// Returns whether only this object's side of an unsaved relationship to an owner is set, because the
  /// owner has already removed the object from its members, or was refreshed after the object was added.
  fileprivate func isOneSided(_ slot: Int, with owner: NSManagedObject, _ inverse: Int) -> Bool {
    guard owner.layout.slots[inverse].kind == .toMany else { return false }
    switch content(slot) {
    case .writtenObject(let present):
      if case .reference(let id) = committedValue(layout.slots[slot]), id.identifies(owner) {
        return false
      }
      guard present === owner else { return false }
    case .toMany(let members):
      guard members.added.contains(owner) else { return false }
    default: return false
    }
    // Such an owner has nothing to remove, and must not be marked as updated.
    guard case .toMany(let members) = owner.content(inverse) else { return true }
    return !members.added.contains(self)
  }

  /// Returns whether the program removed the object from another one without saving.
  fileprivate func wasRemoved(from other: NSManagedObject, _ slot: Int) -> Bool {
    switch content(slot) {
    case .writtenObject(let present): present !== other
    case .toMany(let members): members.removed.contains(other)
    default: false
    }
  }
}
