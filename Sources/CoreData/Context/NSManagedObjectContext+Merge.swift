extension NSManagedObjectContext {
  /// The number of contexts between this one and the coordinator.
  var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

  /// Merges changes that other contexts or processes saved, and posts a notification.
  func merge(_ saved: ChangedObjectIDs) { merge(ForeignChanges(ids: saved)) }

  /// Merges changes that other contexts or processes saved, and posts a notification. If it is unknown which rows
  /// changed, compares the objects in use with the store, and live results read their keys again; then posts no
  /// notification if no object in use has changed.
  func merge(_ changes: ForeignChanges) {
    adoptPermanentIDs()
    makeMembersReadAhead()
    // Processes earlier changes separately, because they are not part of the merge.
    processPendingChanges()
    // This precedes all reads, so that a pinned context sees the merged save.
    advanceGeneration()
    announcing.countChange()
    reading.countNews()
    var saved = localIDs(of: changes.ids)
    withoutUndo {
      if !changes.unnamed.isEmpty {
        saved.add(outdatedObjects(in: changes.unnamed))
        if !announcing.observers.isEmpty { pending.noteUnnamedChanges() }
      }
      let lateDeletions = lostUpdates(among: saved.updated)
      saved.add(ChangedObjectIDs(deleted: lateDeletions))
      // The comparison with the store has found all referrers. The save that deleted an updated row is merged later,
      // so this one does not list the referrers, either.
      if changes.unnamed.isEmpty {
        addReferrers(of: changes.leavesOutReferrers ? saved.deleted : lateDeletions, to: &saved)
      }
      mergeSaved(saved)
    }
    processPendingChanges()
    // The comparison found no changed object in use, so the notification would be empty.
    if saved.isEmpty, !changes.unnamed.isEmpty { return }
    var info: [String: Any] = [:]
    func add(_ keys: [String], _ ids: [NSManagedObjectID]) {
      if !ids.isEmpty { for key in keys { info[key] = Set(ids) } }
    }
    add([NSInsertedObjectIDsKey], saved.inserted)
    add([NSUpdatedObjectIDsKey, NSRefreshedObjectIDsKey], saved.updated)
    add([NSDeletedObjectIDsKey], saved.deleted)
    NotificationCenter.default.post(
      name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self, userInfo: info)
  }

  /// Adds the outdated objects among those in use that may have referred to deleted rows, and lets live results check
  /// theirs.
  private func addReferrers(of deleted: [NSManagedObjectID], to saved: inout ChangedObjectIDs) {
    if deleted.isEmpty { return }
    let lost = LostReferences(to: deleted)
    // Relationships cannot cross stores, so only objects of the deleted rows' stores are compared.
    let origins = Set(deleted.map { ObjectIdentifier($0.origin) })
    saved.add(
      outdatedObjects {
        lost.mayBeOf($0) && origins.contains(ObjectIdentifier($0.origin))
      })
    if !announcing.observers.isEmpty { pending.noteLostReferences(lost) }
  }

  /// Refreshes objects whose derived attributes the store recomputed because of this context's save.
  func mergeComputed(_ ids: [NSManagedObjectID]) {
    if !ids.isEmpty { withoutUndo { mergeSaved(ChangedObjectIDs(updated: ids)) } }
    if !pending.outdated.isEmpty || !ids.isEmpty { processPendingChanges() }
  }

  /// Merges another context's save into the objects in use. Observers are notified when changes are
  /// processed the next time.
  ///
  /// - Parameter saved: IDs of this context's coordinator, as `localIDs` returns them.
  func mergeSaved(_ saved: ChangedObjectIDs) {
    makeMembersReadAhead()
    var arrived: [NSManagedObject] = []
    var returning: [NSManagedObject] = []
    // This precedes the lists below, because they skip objects that are flagged as inserted.
    if undoing.recorder?.returned.isEmpty == false {
      rebaseReturned((saved.inserted + saved.updated).compactMap(registeredObject))
    }
    let lost = Set(lostRows(among: saved.inserted))
    for id in saved.inserted where !lost.contains(id) {
      let object = object(with: id)
      if object.flags.contains(.deleted) {
        // The row of an object that another context deleted may exist again. It is read together with the updated rows.
        returning.append(object)
        pending.noteMerge(of: object)
        continue
      }
      arrived.append(object)
      noteReappearance(of: object)
      pending.noteMerge(of: object)
    }
    var updates = returning
    for id in saved.updated {
      if let object = registeredObject(for: id), !object.flags.contains(.inserted) {
        noteChanged(object)
        updates.append(object)
      } else if !announcing.observers.isEmpty {
        // Live results may show the row by its ID without an object.
        pending.noteOutdated(object(with: id))
      }
    }
    let deletions = saved.deleted.isEmpty ? MergedDeletions() : deletions(of: saved.deleted)
    updates += deletions.changed
    refreshContents(of: arrived + updates)
    groupFaults(arrived + updates)
    for object in deletions.gone {
      noteDeletedElsewhere(object)
      pending.noteMerge(of: object)
    }
    invalidateMemberships(of: deletions.gone)
    scheduleProcessing()
  }

  /// Returns the IDs that this context uses for the rows of a save.
  private func localIDs(of saved: ChangedObjectIDs) -> ChangedObjectIDs {
    ChangedObjectIDs(
      inserted: localRows(saved.inserted), updated: localRows(saved.updated),
      deleted: saved.deleted.map(localID))
  }

  /// Returns the IDs that this context uses for rows, without those of stores that are not open here, which do not
  /// concern this context.
  private func localRows(_ ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
    ids.compactMap { id in
      let id = localID(of: id)
      return source?.mayHaveRow(of: id, for: self) == true ? id : nil
    }
  }

  /// Rebases objects whose saved deletion was undone in this context onto rows that another process
  /// has inserted again since the deletion. The pending insertions of these objects become updates
  /// of the rows.
  ///
  /// - Returns: The objects that have such rows.
  @discardableResult
  func rebaseReturned(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    guard let returned = undoing.recorder?.returned, !returned.isEmpty else { return [] }
    let candidates = objects.filter {
      returned.contains($0) && $0.flags.contains(.inserted) && !$0.flags.contains(.deleted)
    }
    // Rows of objects flagged as inserted are not read, so the flag is removed.
    for object in candidates { object.state.insertionIsInDoubt() }
    rebase(candidates)
    for object in candidates {
      if object.snapshot.isPresent {
        unsaved.updateInsteadOfInserting(object)
        object.state.becameUpdated()
      } else {
        object.state.isInsertedAgain()
      }
    }
    return candidates.filter(\.snapshot.isPresent)
  }

  /// Invalidates the members of owners that contain deleted objects. The merged save may not include these owners: its
  /// context may not have known that another process had made the objects members.
  ///
  /// If the row of a deleted object is known, it contains the owners. Otherwise, all objects in use are searched.
  private func invalidateMemberships(of gone: [NSManagedObject]) {
    let unknown = Set(gone.filter { !invalidateOwners(of: $0) })
    if unknown.isEmpty { return }
    let lost = LostReferences(to: unknown.map(\.ownID))
    for owner in registry.objects where !owner.flags.contains(.deleted) && lost.mayBeOf(owner) {
      for slot in owner.layout.toManySlots {
        guard let members = owner.readContent(slot) else { continue }
        let hasLost =
          // Iterates over the smaller of the two sets.
          members.count < unknown.count
          ? members.objects.contains(where: unknown.contains)
          : unknown.contains(where: members.contains)
        if hasLost { invalidateMembers(of: owner, slot) }
      }
    }
  }

  /// Invalidates the members of the owners that a deleted object refers to.
  ///
  /// - Returns: Whether all owners are known.
  private func invalidateOwners(of object: NSManagedObject) -> Bool {
    var areKnown = true
    for slot in object.layout.slots {
      guard let relationship = slot.relationship, let inverse = relationship.inverse,
        relationship.destination.slots[inverse].kind == .toMany
      else { continue }
      var owners: [NSManagedObject] = []
      if let content = object.readContent(slot.index) {
        owners = Array(content.objects)
      } else if slot.kind == .toMany || !object.snapshot.isPresent {
        areKnown = false
      } else {
        if case .writtenObject(let owner?) = object.content(slot.index) { owners = [owner] }
        if case .reference(let id) = object.committedValue(slot),
          let owner = registeredObject(for: id)
        {
          owners.append(owner)
        }
      }
      for owner in owners where owner.readContent(inverse)?.contains(object) == true {
        invalidateMembers(of: owner, inverse)
      }
    }
    return areKnown
  }

  private func invalidateMembers(of owner: NSManagedObject, _ slot: Int) {
    if owner.flags.contains(.deleted) { return }
    owner.state.forgetReadMembers(slot)
    pending.refresh(owner)
    pending.noteMerge(of: owner)
  }

  /// Releases objects whose rows another context or process deleted, as a save does. Meant for a context that merges
  /// the saves of other contexts and never saves itself.
  ///
  /// Call it on the context's queue after changes were processed.
  ///
  /// - Returns: Whether there were such objects.
  @discardableResult
  package func releaseObjectsDeletedElsewhere() -> Bool {
    processPendingChanges()
    guard !unsaved.deletedElsewhere.isEmpty else { return false }
    for object in unsaved.removeDeletedElsewhere() { release(object) }
    return true
  }

  /// Groups objects that became faults, so that their rows are read together when one is needed.
  private func groupFaults(_ objects: [NSManagedObject]) {
    let faults = objects.filter { object in
      if object.key > 0, object.flags.contains(.fault), case .none = object.snapshot {
        return true
      }
      return false
    }
    // A merge may affect very many objects, which would otherwise be read one by one.
    guard faults.count > 1 else { return }
    let tables = Dictionary(grouping: faults) {
      [ObjectIdentifier($0.origin), ObjectIdentifier($0.layout.root)]
    }
    for objects in tables.values
    // Other engines read row by row, so a group would save nothing.
    where objects[0].origin.store?.engine.readsRowsTogether == true {
      for start in stride(from: 0, to: objects.count, by: RowBatch.maximumCount) {
        let part = objects[start..<min(start + RowBatch.maximumCount, objects.count)]
        let group = FaultGroup(layout: part[start].layout.root, keys: part.map(\.key))
        for object in part { object.state.rowIsUnknown(group) }
      }
    }
  }

  /// Turns clean objects into faults, and replaces the rows under the changes of changed objects with the store's
  /// current rows.
  ///
  /// - Parameter comparesObserved: Whether to read the rows of observed clean objects now, so
  ///   that their observers are notified of the differences.
  func refreshContents(of objects: [NSManagedObject], comparesObserved: Bool = true) {
    makeMembersReadAhead()
    var changed: [NSManagedObject] = []
    var observed: [ReplacedSnapshot] = []
    for object in objects where !object.flags.contains(.inserted) {
      if !object.flags.isDisjoint(with: [.updated, .deleted]) {
        changed.append(object)
        continue
      }
      object.state.rowMayExist()
      // A fault without a row has no values that could be outdated.
      if object.flags.contains(.fault), !object.snapshot.isPresent { continue }
      let isCompared = comparesObserved && object.flags.contains(.observed)
      if isCompared { observed.append(ReplacedSnapshot(object: object, former: object.snapshot)) }
      object.turnIntoFault(notifiesObservers: !isCompared)
    }
    // Read before `rebase`, which replaces the snapshots.
    let versions = changed.map(\.snapshot.version)
    rebase(changed)
    for (object, version) in zip(changed, versions)
    where object.flags.contains(.deleted) && object.snapshot.isPresent
      && object.snapshot.version != version
    {
      propagateDeleteAgain(of: object)
    }
    notifyObservers(of: observed)
  }

  private func notifyObservers(of refreshed: [ReplacedSnapshot]) {
    if refreshed.isEmpty { return }
    do {
      try readRows(of: refreshed.map(\.object))
    } catch {
      // A later access to the objects reports the error; here they are only compared.
      for row in refreshed { row.object.state.rowIsUnknown() }
    }
    for row in refreshed { row.object.notifyObservers(ofDifferencesFrom: row.former) }
  }
}

extension ChangedObjectIDs {
  /// Reads the object IDs from a notification's user info, or from a dictionary that the program
  /// created to describe another context's save.
  ///
  /// - Parameter coordinator: Converts URIs to IDs.
  init(_ info: [AnyHashable: Any], in coordinator: NSPersistentStoreCoordinator?) {
    func ids(_ keys: String...) -> [NSManagedObjectID] {
      keys.flatMap { key -> [NSManagedObjectID] in
        switch info[key] {
        case let objects as Set<NSManagedObject>: objects.map(\.ownID)
        case let ids as Set<NSManagedObjectID>: Array(ids)
        case let values as [Any]: values.compactMap(id)
        case let values as Set<AnyHashable>: values.map(\.base).compactMap(id)
        case let values as NSSet: values.allObjects.compactMap(id)
        default: []
        }
      }
    }
    func id(_ value: Any) -> NSManagedObjectID? {
      switch value {
      case let id as NSManagedObjectID: id
      case let object as NSManagedObject: object.ownID
      case let url as URL: coordinator?.managedObjectID(forURIRepresentation: url)
      default: nil
      }
    }
    self.init(
      inserted: ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
      updated: ids(
        NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey),
      deleted: ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey))
  }
}
