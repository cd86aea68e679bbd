import Foundation

extension NSManagedObjectContext {
  /// Takes over what was saved elsewhere, and tells of it.
  func merge(_ saved: SavedIDs) { merge(ForeignChanges(ids: saved)) }

  /// Takes over what was saved elsewhere, and tells of it. Where rows changed that nobody names, the
  /// objects in use are compared with the store, and live results read their keys anew.
  func merge(_ changes: ForeignChanges) {
    adoptIdentities()
    makeMembersReadAhead()
    // Changes of before are not the merge's.
    processPendingChanges()
    advanceGeneration()
    changeCount &+= 1
    newsCount &+= 1
    var saved = changes.ids
    withoutUndo {
      if !changes.unnamed.isEmpty {
        saved.add(outdatedObjects(in: changes.unnamed))
        pending.isIncomplete = !observers.isEmpty
      } else if changes.leavesOutReferrers {
        let deleted = saved.deleted.map(own)
        let lost = LostReferences(to: deleted)
        let origins = Set(deleted.map { ObjectIdentifier($0.origin) })
        saved.add(
          outdatedObjects {
            lost.mayBeOf($0) && origins.contains(ObjectIdentifier($0.origin))
          })
        pending.lostReferences = observers.isEmpty ? nil : lost
      }
      takeOver(saved)
    }
    processPendingChanges()
    // Nothing that is in use has changed.
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

  /// Lets go of what is known of rows whose derived attributes followed from a save of this context.
  func takeOverComputed(_ ids: [NSManagedObjectID]) {
    if !ids.isEmpty { withoutUndo { takeOver(SavedIDs(updated: ids)) } }
    if !pending.outdated.isEmpty || !ids.isEmpty { processPendingChanges() }
  }

  /// Has objects follow what was saved elsewhere; live results and observers hear of it when changes are
  /// processed the next time.
  func takeOver(_ saved: SavedIDs) {
    makeMembersReadAhead()
    var arrived: [NSManagedObject] = []
    var returning: [NSManagedObject] = []
    func isKnown(_ id: NSManagedObjectID) -> Bool {
      source?.mayHaveRow(of: id, for: self) ?? false
    }
    if let undoRecorder, !undoRecorder.returned.isEmpty {
      let named = (saved.inserted + saved.updated).map(own).filter(isKnown)
      standOnRows(named.compactMap(registeredObject))
    }
    // A row of a store that is not open here is none of this context's business.
    for id in saved.inserted.map(own) where isKnown(id) {
      let object = object(with: id)
      if object.flags.contains(.deleted) {
        // One that was deleted elsewhere is there again if its row still is, which is read with the others.
        returning.append(object)
        pending.merged.insert(object)
        continue
      }
      arrived.append(object)
      noteReturn(of: object)
      pending.merged.insert(object)
    }
    var updates = returning
    for id in saved.updated.map(own) where isKnown(id) {
      if let object = registeredObject(for: id), !object.flags.contains(.inserted) {
        noteChanged(object)
        updates.append(object)
      } else if !observers.isEmpty {
        // Live results may show the row by its ID alone.
        pending.outdated.insert(object(with: id))
      }
    }
    let deletions =
      saved.deleted.isEmpty ? MergedDeletions() : deletions(of: saved.deleted.map(own))
    updates += deletions.changed
    refreshContents(of: arrived + updates)
    groupFaults(arrived + updates)
    for object in deletions.gone {
      noteDeletedElsewhere(object)
      pending.merged.insert(object)
    }
    letGoOfMembers(deletions.gone)
    scheduleProcessing()
  }

  /// Objects whose saved deletion was taken back here are to be inserted; those whose rows others have made again
  /// meanwhile become changes of these.
  ///
  /// - Returns: these.
  @discardableResult
  func standOnRows(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    guard let returned = undoRecorder?.returned, !returned.isEmpty else { return [] }
    let asked = objects.filter {
      returned.contains($0) && $0.flags.contains(.inserted) && !$0.flags.contains(.deleted)
    }
    // The rows of objects that are to be inserted are not read.
    for object in asked { object.state.insertionIsInDoubt() }
    rebase(asked)
    for object in asked {
      if object.snapshot.isPresent {
        inserted.remove(object)
        updated.insert(object)
        object.state.becameUpdated()
      } else {
        object.state.isInsertedAgain()
      }
    }
    return asked.filter(\.snapshot.isPresent)
  }

  /// Has those read their members anew who have deleted objects among them: a save that knew nothing of what others
  /// had saved before does not name them.
  ///
  /// Whose row is known here says itself who they are; for others all objects in use are asked.
  private func letGoOfMembers(_ gone: [NSManagedObject]) {
    let unknown = Set(gone.filter { !letGoOfKnownOwners($0) })
    if unknown.isEmpty { return }
    let lost = LostReferences(to: unknown.map(\.objectID))
    for owner in registry.objects where !owner.flags.contains(.deleted) && lost.mayBeOf(owner) {
      for slot in owner.layout.toManySlots {
        guard let members = owner.readContent(slot) else { continue }
        let hasLost =
          members.count < unknown.count
          ? members.objects.contains(where: unknown.contains)
          : unknown.contains(where: members.contains)
        if hasLost { invalidateMembers(of: owner, slot) }
      }
    }
  }

  /// - Returns: whether all of a deleted object's owners are known.
  private func letGoOfKnownOwners(_ object: NSManagedObject) -> Bool {
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
        if case .writtenObject(let owner?)? = object.contents[safe: slot.index] { owners = [owner] }
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
    owner.forgetReadMembers(slot)
    pending.refreshed.insert(owner)
    pending.merged.insert(owner)
  }

  /// Lets go of objects that others deleted, as a save does: of a context that only follows what others save.
  ///
  /// To be called on the context's queue when changes were processed.
  ///
  /// - Returns: whether there were any.
  @discardableResult
  package func letGoOfDeletedElsewhere() -> Bool {
    processPendingChanges()
    guard !deletedElsewhere.isEmpty else { return false }
    for object in deletedElsewhere {
      deleted.remove(object)
      release(object)
    }
    deletedElsewhere.removeAll()
    return true
  }

  /// Groups objects that became faults, so that their rows are read together when one of them is needed: very
  /// many may have changed.
  private func groupFaults(_ objects: [NSManagedObject]) {
    let faults = objects.filter { object in
      if object.key > 0, object.flags.contains(.fault), case .none = object.snapshot {
        return true
      }
      return false
    }
    guard faults.count > 1 else { return }
    let tables = Dictionary(grouping: faults) {
      [ObjectIdentifier($0.origin), ObjectIdentifier($0.layout.root)]
    }
    for objects in tables.values
    where objects[0].origin.store?.engine.readsRowsTogether == true {
      for start in stride(from: 0, to: objects.count, by: RowBatch.maximumCount) {
        let part = objects[start..<min(start + RowBatch.maximumCount, objects.count)]
        let group = FaultGroup(layout: part[start].layout.root, keys: part.map(\.key))
        for object in part { object.snapshot = .pending(group) }
      }
    }
  }

  /// Clean objects become faults; the others get the store's present rows under their changes.
  ///
  /// - Parameter comparesObserved: Whether the rows of clean objects that are observed are read at once, so that
  ///   observers learn what differs.
  func refreshContents(of objects: [NSManagedObject], comparesObserved: Bool = true) {
    makeMembersReadAhead()
    var changed: [NSManagedObject] = []
    var observed: [ReplacedRow] = []
    for object in objects where !object.flags.contains(.inserted) {
      if !object.flags.isDisjoint(with: [.updated, .deleted]) {
        changed.append(object)
        continue
      }
      object.state.rowMayBeThere()
      if object.isFault, !object.snapshot.isPresent { continue }
      let isCompared = comparesObserved && object.flags.contains(.observed)
      if isCompared { observed.append(ReplacedRow(object: object, former: object.snapshot)) }
      object.turnIntoFault(tellsObservers: !isCompared)
    }
    let versions = changed.map(\.snapshot.version)
    rebase(changed)
    for (object, version) in zip(changed, versions)
    where object.flags.contains(.deleted) && object.snapshot.isPresent
      && object.snapshot.version != version
    {
      propagateDeleteAnew(of: object)
    }
    tellObservers(of: observed)
  }

  private func tellObservers(of refreshed: [ReplacedRow]) {
    if refreshed.isEmpty { return }
    do {
      try readRows(of: refreshed.map(\.object))
    } catch {
      // Whoever reads them hears of it; here they are only compared.
      for row in refreshed { row.object.snapshot = .none }
    }
    for row in refreshed { row.object.tellObservers(ofWhatDiffersFrom: row.former) }
  }
}

extension SavedIDs {
  /// What a notification, or a program that heard of a save elsewhere, says.
  ///
  /// - Parameter coordinator: turns URIs into IDs.
  init(_ info: [AnyHashable: Any], in coordinator: NSPersistentStoreCoordinator?) {
    func ids(_ keys: String...) -> [NSManagedObjectID] {
      keys.flatMap { key -> [NSManagedObjectID] in
        switch info[key] {
        case let objects as Set<NSManagedObject>: objects.map(\.objectID)
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
      case let object as NSManagedObject: object.objectID
      case let url as URL: coordinator?.managedObjectID(forURIRepresentation: url)
      default: nil
      }
    }
    inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
    updated = ids(
      NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey)
    deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
  }
}
