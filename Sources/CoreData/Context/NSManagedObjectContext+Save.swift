extension NSManagedObjectContext {
  func saveChanges() throws {
    requireQueue()
    guard let source else { throw noCoordinator }
    // Checked before any code of the program runs for the save.
    try source.requireSavable()
    adoptPermanentIDs()
    guard !session.isSaving else {
      throw CoreDataError.make(
        CoreDataError.recursiveSave,
        "save() was called during a save of the same context, for example by willSave or didSave")
    }
    makeMembersReadAhead()
    session.begin()
    defer { session.end() }
    // `processPendingChanges` carries out the delete rules, too, but only logs their errors. A save
    // must fail with them.
    try propagateDeletes()
    processPendingChanges()
    NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
    try callWillSave()
    // Observers of the notification and `willSave` may have deleted further objects.
    try propagateDeletes()
    // Objects that were changed only through the other side of a relationship may be faults. Their rows are read
    // together.
    try readExistingRows(of: unsaved.updated.objects)
    if session.validates { try validateChanges() }
    var saved = SavedObjects()
    do {
      try source.save(self, &saved)
    } catch {
      // If one of several stores fails, the changes that other stores have already written must not be saved again.
      if !saved.isEmpty { finishSave(saved, to: source) }
      throw error
    }
    let done = Set(saved.deleted)
    for object in unsaved.deleted where !done.contains(object) {
      // The row of the object was already gone.
      unsaved.withdrawDeletion(object)
      release(object)
    }
    unsaved.removeDeletedElsewhere()
    session.forgetRequests()
    advanceGeneration()
    finishSave(saved, to: source)
  }

  private func finishSave(_ saved: SavedObjects, to source: any ObjectSource) {
    reading.countNews()
    announce(saved)
    // Live results saw the saved objects without the values that the store computed.
    for objects in [saved.inserted, saved.updated] {
      for object in objects where object.layout.hasDerivedAttributes {
        pending.noteOutdated(object)
      }
    }
    mergeComputed(saved.computed)
    source.didSave(saved, by: self)
    children.mergeSave(saved, exceptIn: self)
  }

  /// The deleted objects whose rows the source has to delete, because they are not gone already.
  var ownDeletions: [NSManagedObject] {
    unsaved.deleted.filter {
      !$0.flags.contains(.inaccessible) && !unsaved.deletedElsewhere.contains($0)
    }
  }

  /// Calls `willSave` on all changed objects, then on those that these calls changed, until no object changes.
  private func callWillSave() throws {
    var called: Set<NSManagedObject> = []
    func callWillSave(on objects: some Sequence<NSManagedObject>) {
      // NSManagedObject's own method does nothing.
      for object in objects where type(of: object) != NSManagedObject.self { object.willSave() }
    }
    // Copies, because `willSave` may change the lists.
    let first = [unsaved.inserted, unsaved.updated]
    var waiting = [ownDeletions]
    for list in first { callWillSave(on: list) }
    // Apple's documentation of `willSave()` says that a program that changes a value in each call eventually crashes.
    // Here the save throws.
    for round in 0..<1000 {
      for objects in waiting { callWillSave(on: objects) }
      if pending.isEmpty { return }
      // The set is made only if `willSave` changed an object, which is rare.
      if round == 0 { for list in first { called.formUnion(list) } }
      for objects in waiting { called.formUnion(objects) }
      let again = pending.updated.objects
      processPendingChanges()
      waiting = [unsaved.inserted.objects, unsaved.updated.objects, ownDeletions].map { objects in
        objects.filter { !called.contains($0) }
      }
      waiting.append(again.filter { called.contains($0) && !$0.flags.contains(.deleted) })
    }
    throw CoreDataError.badRequest(
      "willSave keeps changing objects: setting a property counts as a change even if its"
        + " value stays the same; use setPrimitiveValue(_:forKey:), or compare the values first")
  }

  private func validateChanges() throws {
    try readAheadOfValidation()
    var errors: [NSError] = []
    func validate(_ body: () throws -> Void) {
      do { try body() } catch {
        let error = error as NSError
        if error.code == NSValidationMultipleErrorsError,
          let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
        {
          errors += details
        } else {
          errors.append(error)
        }
      }
    }
    for object in ownDeletions {
      validate { try object.validateForDelete() }
    }
    for object in unsaved.inserted { validate { try object.validateForInsert() } }
    // A missing row is reported as a conflict, not as a validation error.
    for object in unsaved.updated where !object.flags.contains(.fault) || object.snapshot.isPresent
    {
      validate { try object.validateForUpdate() }
    }
    if let error = ValidationErrors.combined(errors) { throw error }
  }

  /// Checks the Deny rules again: a merge policy may have deleted objects or found further members.
  func validateDenials() throws {
    let errors = try ownDeletions.flatMap { try $0.deniedDeletions() }
    if let error = ValidationErrors.combined(errors) { throw error }
  }

  /// Reads the members that validation counts, for all objects together.
  private func readAheadOfValidation() throws {
    func read(_ objects: [NSManagedObject], where isCounted: (PropertySlot) -> Bool) throws {
      guard objects.count > 1 else { return }
      for slot in relationshipSlots(of: objects)
      where slot.property.kind == .toMany && isCounted(slot.property) {
        try readRows(together: slot.owners)
        try readMembers(of: slot.property, owners: slot.owners)
      }
    }
    // New objects have no stored members to read.
    try read(Array(unsaved.updated)) { $0.countsMembers }
    try read(ownDeletions) { $0.relationship?.deleteRule == .denyDeleteRule }
  }

  /// Calls `didSave` of the saved objects, while their flags still show what was saved.
  ///
  /// - Returns: The objects that `didSave` changed, which need another save.
  private func callDidSave(_ saved: SavedObjects) -> [NSManagedObject] {
    let before = pending.removeUpdates()
    // Changes made from here on are recorded, whatever was recorded before.
    for object in before { object.state.needsNoting() }
    for object in pending.inserted { object.state.needsNoting() }
    // A fetch in `didSave` would process changes before the flags below are cleared.
    let wasDeferred = announcing.setDeferred(true)
    for objects in [saved.inserted, saved.updated, saved.deleted] {
      for object in objects where type(of: object) != NSManagedObject.self { object.didSave() }
    }
    _ = announcing.setDeferred(wasDeferred)
    defer { pending.prependUpdates(before) }
    if pending.updated.isEmpty { return [] }
    let written = Set(saved.inserted + saved.updated)
    return pending.updated.filter { written.contains($0) }
  }

  /// The user info key of a save's history token. Apple's Core Data has no constant for it.
  private static let historyTokenKey = "newChangeToken"

  /// Clears the flags, and notifies observers and the program of the save.
  private func announce(_ saved: SavedObjects) {
    undoing.recorder?.forgetSaved(saved, in: self)
    let changedMeanwhile = callDidSave(saved)
    for object in saved.inserted { object.state.wasSaved() }
    unsaved.insertionsWereSaved(saved.inserted)
    for object in saved.updated {
      object.state.wasSaved()
      unsaved.withdrawUpdate(object)
    }
    announcing.observers.forEach { $0.contextDidSave(saved) }
    for object in changedMeanwhile where object.flags.isDisjoint(with: [.updated, .deleted]) {
      object.state.becameUpdated()
      unsaved.update(object)
    }
    for object in saved.deleted {
      registry.remove(object)
      registry.release(object)
      object.state.deletionWasSaved()
      object.notifyStoreOfUnregistration()
      object.unsafeContext = nil
      undoing.recorder?.forget(object)
      unsaved.withdrawDeletion(object)
    }
    let isAnnounced = session.announcedInsertions.objects.isIdentical(to: saved.inserted)
    var info: [String: Any] = [
      NSInsertedObjectsKey: isAnnounced
        ? session.announcedInsertions.set : Set(members: saved.inserted),
      NSUpdatedObjectsKey: Set(members: saved.updated),
      NSDeletedObjectsKey: Set(members: saved.deleted),
      NotificationKey.sourceContext.rawValue: self,
    ]
    if !saved.transactions.isEmpty {
      info[Self.historyTokenKey] = NSPersistentHistoryToken(saved.transactions)
    }
    if !saved.computed.isEmpty {
      info[NSRefreshedObjectsKey] = Set(members: saved.computed.map(object(with:)))
    }
    do {
      info[NSManagedObjectContextQueryGenerationKey] = try chosenGeneration()
    } catch {
      Log.contextNotice("no query generation can be pinned: \(error.localizedDescription)")
    }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextDidSave, object: self, userInfo: info)
    announceIDs(saved)
    // Observers of the notification could still read the values of deleted objects. If the values
    // were kept longer, they would keep each other and the model's layouts alive.
    for object in saved.deleted where object.unsafeContext == nil { object.leaveContext() }
  }
}

extension NSManagedObjectContext {
  private func announceIDs(_ saved: SavedObjects) {
    let ids = saved.ids
    var info: [String: Any] = [
      NSInsertedObjectIDsKey: Set(members: ids.inserted),
      NSUpdatedObjectIDsKey: Set(members: ids.updated),
      NSDeletedObjectIDsKey: Set(members: ids.deleted),
      NotificationKey.sourceContext.rawValue: self,
    ]
    if !saved.computed.isEmpty {
      info[NSRefreshedObjectIDsKey] = Set(members: saved.computed)
    }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: info)
    // Deallocates objects in the order of their creation, which is faster than that of a set.
    info = [:]
    withExtendedLifetime(ids) {}
  }
}

extension [NSManagedObject] {
  /// Returns whether another array has the same objects in the same order.
  func isIdentical(to other: [NSManagedObject]) -> Bool {
    // Compares addresses, which neither retains the objects nor compares them one by one.
    withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        guard own.count == other.count, let start = own.baseAddress, let second = other.baseAddress
        else { return own.count == other.count }
        return memcmp(start, second, own.count) == 0
      }
    }
  }
}

/// The objects of a save, for notifications and other contexts.
struct SavedObjects {
  var inserted: [NSManagedObject] = []
  var updated: [NSManagedObject] = []
  var deleted: [NSManagedObject] = []
  /// Unchanged objects that the save only compares with the store.
  var checked: [NSManagedObject] = []
  /// The numbers of the save's history transactions, by store UUID.
  var transactions: [String: Int64] = [:]
  /// Other rows whose derived attributes the store recomputed because of the saved objects.
  var computed: [NSManagedObjectID] = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Adds the part that one of several stores has saved.
  mutating func add(_ part: SavedObjects) {
    if isEmpty {
      (inserted, updated, deleted) = (part.inserted, part.updated, part.deleted)
    } else {
      inserted += part.inserted
      updated += part.updated
      deleted += part.deleted
    }
    transactions.merge(part.transactions) { $1 }
    computed += part.computed
  }

  /// The IDs for notifications and other contexts.
  var ids: ChangedObjectIDs {
    ChangedObjectIDs(
      inserted: inserted.map { $0.ownID }, updated: updated.map { $0.ownID },
      deleted: deleted.map { $0.ownID })
  }
}
