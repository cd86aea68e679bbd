// Delete rules are carried out in waves: the objects that go because of others are the next wave.
// What a wave leads to is read together, so the queries are as many as there are relationships, not
// as there are objects.

extension NSManagedObjectContext {
  /// Marks an object for deletion; its delete rules follow when changes are processed.
  func beginDeletion(of object: NSManagedObject) {
    object.state.becameDeleted()
    unsaved.delete(object)
    unsaved.noteRulesDue(of: object)
    pending.delete(object)
    scheduleProcessing()
  }

  /// Carries out the delete rules of objects that were deleted since last time, and of those that
  /// go with them.
  ///
  /// - Throws: when the store cannot be read; the objects concerned are tried again next time.
  func propagateDeletes() throws {
    repeat {
      try carryOutDeleteRules()
      try dropLateReferences()
    } while !unsaved.deletionsToPropagate.isEmpty
  }

  /// Carries out the delete rules of a deleted object again, on what its present row says, after another context or
  /// process changed what it leads to; only where more than that row depends on it.
  func propagateDeleteAgain(of object: NSManagedObject) {
    guard object.isDeletedForGood, unsaved.deleted.contains(object),
      !unsaved.deletedElsewhere.contains(object)
    else { return }
    var isLeading = false
    for slot in object.layout.slots where slot.kind == .toOne || slot.kind == .toMany {
      guard let relationship = slot.relationship, rule(relationship, of: object) != nil else {
        continue
      }
      // With the row go its place among others' members and its pairs.
      let inverse = relationship.inverse.map { relationship.destination.slots[$0].kind }
      guard inverse == .toOne || relationship.deleteRule == .cascadeDeleteRule else { continue }
      object.state.forget(slot.index)
      do {
        let destinations =
          slot.kind == .toOne
          ? [try object.toOneObject(slot.index)].compactMap { $0 }
          : try readMembers(of: object, slot.index)
        if destinations.isEmpty { continue }
        isLeading = true
        // They may have been read before they were given the object.
        if inverse == .toOne {
          refreshContents(of: destinations.filter { !$0.flags.contains(.deleted) })
        }
      } catch {
        Log.contextNotice("delete rules of \(object.objectID): \(error.localizedDescription)")
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
        // Only afterwards: its own members, of which it may be one, are read as they were.
        do {
          try propagateDelete(of: object)
        } catch let error where CoreDataError.isRowGone(error) {
          // Its row is gone already; so is all that it could lead to.
          Log.contextNotice("delete rules of \(object.objectID): \(error.localizedDescription)")
        } catch {
          failed.append(object)
          failure = failure ?? error
          continue
        }
        object.state.deleteRulesAreDone()
        forgetIfUnsaved(object)
      }
    }
    for object in failed { unsaved.noteRulesDue(of: object) }
    if let failure { throw failure }
  }

  /// An object that was never saved needs no deletion in the store.
  private func forgetIfUnsaved(_ object: NSManagedObject) {
    if object.flags.contains(.inserted) {
      unsaved.forget(object)
    } else {
      unsaved.withdrawUpdate(object)
    }
  }

  /// The rule for a relationship of an object, where it asks for anything: Deny is a matter of
  /// validation.
  private func rule(
    _ relationship: RelationshipLayout, of object: NSManagedObject
  ) -> NSDeleteRule? {
    switch relationship.deleteRule {
    case .cascadeDeleteRule: return .cascadeDeleteRule
    case .nullifyDeleteRule: break
    default:
      // An object that never had a row leaves nothing behind that refers to it, whatever the rule.
      guard object.flags.contains(.inserted) else { return nil }
    }
    return relationship.inverse == nil ? nil : .nullifyDeleteRule
  }

  /// Reads what the rules of some objects lead to. What cannot be read is asked for again, object
  /// by object, which finds out whose it is.
  private func readAhead(of wave: [NSManagedObject]) {
    let saved = wave.filter { !$0.flags.contains(.inserted) }
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
        // One that lets go of the owner, or goes too, needs its row; one that has many owners needs
        // it only when it is saved.
        if let inverse = relationship.inverse,
          relationship.destination.slots[inverse].kind == .toMany,
          relationship.deleteRule != .cascadeDeleteRule
        {
          continue
        }
        try readRows(together: destinations)
      }
    } catch {
      Log.contextNotice("reading ahead of delete rules: \(error.localizedDescription)")
    }
  }

  /// Carries out one object's delete rules; what is to be deleted with it waits.
  private func propagateDelete(of object: NSManagedObject) throws {
    for slot in object.layout.toOneSlots + object.layout.toManySlots {
      guard let relationship = object.layout.slots[slot].relationship,
        let rule = rule(relationship, of: object)
      else { continue }
      let isToOne = object.layout.slots[slot].kind == .toOne
      var destinations =
        isToOne
        ? [try object.toOneObject(slot)].compactMap { $0 } : try object.toManyObjects(slot)
      // When the rules run a second time, these come from the row, which lacks the unsaved changes made here.
      if let inverse = relationship.inverse {
        destinations.removeAll { $0.hasLeft(object, inverse) }
      }
      if rule == .cascadeDeleteRule {
        for destination in destinations where !destination.flags.contains(.deleted) {
          delete(destination)
        }
      }
      guard let inverse = relationship.inverse else { continue }
      for destination in destinations
      where !destination.flags.contains(.deleted)
        && !object.isAlone(slot, with: destination, inverse)
      {
        try destination.removeDestination(inverse, object)
      }
    }
  }

  // MARK: References that came later

  /// Nothing refers to a deleted object: whoever came to refer to one after its rules were carried out,
  /// by hand, an undo, a merge, a refresh or a child's save, lets go of it or goes with it.
  ///
  /// Runs whenever changes are processed, so that no save writes a reference to a row that does not exist.
  private func dropLateReferences() throws {
    if unsaved.deleted.isEmpty {
      unsaved.forgetArrivals()
      return
    }
    var objects = pending.inserted.objects + pending.updated.objects
    // The save that deleted an object elsewhere knew nothing of what is not saved here.
    if pending.confirmsDeletions
      || pending.deleted.contains(where: unsaved.deletedElsewhere.contains)
    {
      objects += unsaved.inserted.objects + unsaved.updated.objects
    }
    // Nor did a save that is merged know of deletions that are not saved here.
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
      // What it denies or leaves alone here is too late to be decided elsewhere.
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

  /// What a to-one relationship leads to, if that is deleted and its rules were carried out.
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
  /// Whether the relationship to an owner is unsaved and known on this side only. The owner removed this object from its
  /// members already, or was refreshed since it was added, so it has nothing to remove and must not become updated.
  fileprivate func isAlone(_ slot: Int, with owner: NSManagedObject, _ inverse: Int) -> Bool {
    guard owner.layout.slots[inverse].kind == .toMany else { return false }
    switch content(slot) {
    case .writtenObject(let present):
      if case .reference(let id) = committedValue(layout.slots[slot]), id.names(owner) {
        return false
      }
      guard present === owner else { return false }
    case .toMany(let members):
      guard members.added.contains(owner) else { return false }
    default: return false
    }
    guard case .toMany(let members) = owner.content(inverse) else { return true }
    return !members.added.contains(self)
  }

  /// Whether the program had the object leave another one, and did not save that.
  fileprivate func hasLeft(_ other: NSManagedObject, _ slot: Int) -> Bool {
    switch content(slot) {
    case .writtenObject(let present): present !== other
    case .toMany(let members): members.removed.contains(other)
    default: false
    }
  }
}
