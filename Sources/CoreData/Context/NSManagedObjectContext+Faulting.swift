extension NSManagedObjectContext {
  /// Reads the rows of faults together.
  func readRows(of objects: [NSManagedObject]) throws {
    let faults = objects.filter { !$0.snapshot.isPresent && !$0.flags.contains(.inserted) }
    if !faults.isEmpty { try source?.readRows(of: faults, in: self) }
  }

  /// Reads the row of a fault, and the rows of its fault group.
  func readRow(of object: NSManagedObject) throws {
    adoptPermanentIDs()
    var group = [object]
    // The group contains keys, not objects: objects that have been released meanwhile are not read.
    if case .pending(let pending) = object.snapshot {
      let origin = object.origin
      for key in pending.keys where key != object.key {
        if let known = registry[pending.layout, key, origin], !known.snapshot.isPresent {
          group.append(known)
        }
      }
    }
    try source?.readRows(of: group, in: self)
    guard object.snapshot.isPresent else {
      // The row is not recorded as missing, because it may exist in the store, which is not open.
      if object.key > 0, object.origin.store == nil {
        throw CoreDataError.make(
          NSManagedObjectReferentialIntegrityError,
          "Core Data could not fulfill a fault for '\(object.ownID)': its store is not open")
      }
      object.state.rowIsMissing()
      throw CoreDataError.make(
        NSManagedObjectReferentialIntegrityError,
        "Core Data could not fulfill a fault for '\(object.ownID)': there is no such row",
        [NSAffectedObjectsErrorKey: [object]])
    }
  }

  /// Returns the members of a to-many relationship in the source.
  ///
  /// - Parameter withDeleted: Whether to include members that are deleted in this context.
  func readMembers(
    of object: NSManagedObject, _ slot: Int, withDeleted: Bool = false
  ) throws -> [NSManagedObject] {
    guard let destination = object.layout.slots[slot].relationship?.destination,
      let members = try readMemberRuns(of: slot, owners: [object]).first
    else { return [] }
    let objects = faults(members, of: destination)
    return withDeleted ? objects : objects.filter { !$0.isDeletedForGood }
  }

  /// Returns the members of a to-many relationship of some objects in the source, by the IDs that this context uses.
  func readMemberRuns(of slot: Int, owners: [NSManagedObject]) throws -> [RowKeyRuns] {
    guard let source else { return [] }
    adoptPermanentIDs()
    let runs = try source.readMembers(of: slot, owners: owners, in: self)
    return isChild ? resolvingIDs { runs.map(\.current) } : runs
  }

  /// Returns the objects of some rows. If the objects are faults, their rows are read together when one is needed.
  func faults(
    _ rows: RowKeyRuns, of layout: EntityLayout, groupSize: Int = RowBatch.maximumCount
  ) -> [NSManagedObject] {
    if rows.runs.count == 1 {
      return faults(
        rows.runs[0].rows, of: layout, origin: rows.runs[0].origin, groupSize: groupSize)
    }
    return rows.runs.flatMap {
      faults($0.rows, of: layout, origin: $0.origin, groupSize: groupSize)
    }
  }

  /// Returns the objects with some keys. If the objects are faults, their rows are read together when one is needed.
  func faults(
    _ keys: [(key: Int64, layout: EntityLayout)], of layout: EntityLayout, origin: StoreOrigin,
    groupSize: Int = RowBatch.maximumCount
  ) -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(keys.count)
    var start = 0
    while start < keys.count {
      let chunk = keys[start..<min(start + groupSize, keys.count)]
      let group = FaultGroup(layout: layout, keys: chunk.map(\.key))
      for item in chunk {
        objects.append(
          object(item.layout, key: item.key, origin: origin, .pending(group), declared: layout))
      }
      start += groupSize
    }
    return objects
  }

  /// Handles an object whose values were requested and cannot be read.
  func handleInaccessibleFault(
    _ object: NSManagedObject, _ error: any Error, readingSlot slot: Int? = nil
  ) {
    Log.contextNotice(error.localizedDescription)
    guard object.flags.contains(.inaccessible),
      shouldHandleInaccessibleFault(
        object, for: object.ownID,
        triggeredByProperty: slot.map { object.layout.slots[$0].property })
    else { return }
    // If the program or a merge has already deleted the object, that deletion was reported.
    let isReported = object.flags.contains(.deleted)
    object.state.isDeletedWithoutRow()
    unsaved.withdrawUpdate(object)
    if isReported { return }
    unsaved.delete(object)
    pending.delete(object)
    scheduleProcessing()
  }

  /// Returns the results of a fetched property.
  func fetchedProperty(_ slot: PropertySlot, of object: NSManagedObject) throws -> Any? {
    guard let property = slot.property as? NSFetchedPropertyDescription,
      let request = try FetchTemplates.request(of: property, source: object)
    else { return nil }
    return try fetch(request) as NSArray
  }

  func refreshOne(_ object: NSManagedObject, mergeChanges flag: Bool) {
    requireQueue()
    guard owns(object, to: "refresh") else { return }
    adoptPermanentIDs()
    // Makes the objects of members that were read ahead as rows now, because the rows might be outdated later.
    makeMembersReadAhead()
    if flag || isMissing(object) {
      refreshContents(of: [object])
    } else if object.flags.contains(.inserted) {
      if object.flags.contains(.observed) { object.notifyObserversOfAllKeys() }
      object.willTurnIntoFault()
      object.state.turnedIntoUnsavedFault()
      object.didTurnIntoFault()
    } else {
      object.turnIntoFault()
      object.state.changesEnded()
      unsaved.withdrawUpdate(object)
      // Observers are notified of a refresh below. The discarded change is no longer an update.
      pending.withdrawUpdate(object)
    }
    pending.refresh(object)
    scheduleProcessing()
  }

  /// Replaces the rows under objects' unsaved changes with the store's current rows, which it reads with one query for
  /// each table. If they cannot be read, keeps the former rows.
  func rebase(_ objects: [NSManagedObject]) {
    if objects.isEmpty { return }
    // A value set to what the store had is not a change, even if the store has a different value now.
    let before = objects.map { object in
      object.setWholeComposites()
      return (
        snapshot: object.snapshot,
        changed: object.layout.slots.map { object.isPropertyChanged($0) }
      )
    }
    // `readRows` skips objects that have a row.
    for object in objects { object.state.rowIsUnknown() }
    do {
      try readRows(of: objects)
    } catch {
      Log.contextNotice("objects cannot be refreshed: \(error.localizedDescription)")
      // Without a row to compare them with, the unsaved changes could not be saved.
      for (object, before) in zip(objects, before) { object.state.rowWasRead(before.snapshot) }
      return
    }
    for (object, before) in zip(objects, before) {
      if object.flags.contains(.observed) {
        object.notifyObservers(ofDifferencesFrom: before.snapshot)
      }
      guard object.snapshot.isPresent else {
        // The save reports the missing row; until then, the values that were set in this context
        // are kept.
        object.state.rowWasRead(before.snapshot)
        continue
      }
      if noteRecreatedRow(of: object) { noteReappearance(of: object) }
      object.state.wasRebased(keeping: before.changed)
      wake(object, .refresh)
    }
    do {
      for object in objects where object.snapshot.isPresent { try removeFromStoredOwners(object) }
      try readMembersUnderAdded(of: objects)
    } catch {
      Log.contextNotice(
        "refreshed objects may have outdated relationships: \(error.localizedDescription)")
    }
  }

  /// Removes an object from its owner in the store, if this context has set another owner. The
  /// result is the same as if the context had set its owner after the other save.
  func removeFromStoredOwners(_ object: NSManagedObject) throws {
    if object.flags.contains(.deleted) { return }
    for slot in object.layout.slots where slot.kind == .toOne {
      guard let relationship = slot.relationship, let inverse = relationship.inverse,
        case .writtenObject(let mine) = object.content(slot.index),
        case .reference(let id) = object.committedValue(slot)
      else { continue }
      let owner = self.object(of: id, declared: relationship.destination)
      if owner === mine || owner === object || owner.flags.contains(.deleted) { continue }
      // The owner's members may have been read before the other save added the object.
      if owner.layout.slots[inverse].kind != .toOne {
        owner.state.forgetReadMembers(inverse)
      } else if owner.flags.isDisjoint(with: [.inserted, .updated]) {
        refreshContents(of: [owner])
      }
      // In a one-to-one relationship both rows have a column, and nothing else would clear the
      // column of the stored owner.
      try owner.removeDestination(inverse, object)
    }
  }

  func refreshAll() {
    requireQueue()
    adoptPermanentIDs()
    let objects = registry.objects
    // Programs call this to release memory, so observed objects are not read for a comparison.
    refreshContents(of: objects, comparesObserved: false)
    for object in objects { pending.refresh(object) }
    scheduleProcessing()
  }

  func releaseAllObjects() {
    requireQueue()
    // Retains the objects, which the registry does not, until all of them are faults.
    let objects = registry.objects
    pending.reset(invalidating: objects.map(\.ownID))
    unsaved.removeAll()
    session.forgetRequests()
    announcing.reset()
    advanceGeneration()
    registry.removeAll()
    for object in objects {
      object.turnIntoFault()
      object.notifyStoreOfUnregistration()
      object.unsafeContext = nil
      object.state.leftContext()
    }
    announcing.forgetObservedObjects()
    reading.forgetMembersReadAhead()
    processPendingChanges()
    clearUndo()
  }

  func rollBackAll() {
    requireQueue()
    adoptPermanentIDs()
    processPendingChanges()
    for object in unsaved.inserted {
      drop(object)
      pending.delete(object)
    }
    for object in unsaved.updated {
      restore(object)
      pending.refresh(object)
    }
    var returned: [NSManagedObject] = []
    for object in unsaved.deleted where object.unsafeContext === self {
      let isMissing = isMissing(object)
      restore(object)
      // Without a row the object cannot be restored. Release it, as a save does.
      if isMissing {
        release(object)
      } else {
        noteReappearance(of: object)
        returned.append(object)
      }
    }
    invalidateOwnersMissing(returned)
    unsaved.removeAll()
    session.forgetRequests()
    processPendingChanges()
    // The undo actions are removed after the rollback was processed, because processing registers
    // one.
    clearUndo()
  }

  /// Records that a deleted object exists again: its insertion is reported instead of its deletion.
  func noteReappearance(of object: NSManagedObject) {
    pending.reinsert(object)
    scheduleProcessing()
  }

  /// Releases an object whose row is gone. The context no longer finds it.
  func release(_ object: NSManagedObject) {
    registry.remove(object)
    registry.release(object)
    object.leaveContext()
  }

  /// Releases an object that was never saved and will not be saved.
  func drop(_ object: NSManagedObject) {
    if object.flags.contains(.observed) { object.notifyObserversOfAllKeys() }
    registry.remove(object)
    registry.release(object)
    object.notifyStoreOfUnregistration()
    object.unsafeContext = nil
    object.state.leftContextUnsaved(in: object.layout)
  }

  private func restore(_ object: NSManagedObject) {
    if object.flags.contains(.observed) { object.notifyObserversOfAllKeys() }
    object.state.returnedToItsRow()
    wake(object, .rollback)
  }

  /// Calls `awake(fromSnapshotEvents:)` on an object whose values were replaced, unless it is a fault.
  func wake(_ object: NSManagedObject, _ event: NSSnapshotEventType) {
    if type(of: object) != NSManagedObject.self, !object.flags.contains(.fault) {
      quietly { object.awake(fromSnapshotEvents: event) }
    }
  }
}
