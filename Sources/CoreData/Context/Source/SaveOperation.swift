/// A save of a context to the stores of its coordinator.
struct SaveOperation {
  let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator
  /// The objects that the stores have saved.
  private(set) var saved = SavedObjects()

  /// After this many unsuccessful attempts to resolve the same conflict, the save fails. More than one, because another
  /// context may save the same objects in between and cause the conflict again, which is not a defect of the policy.
  private static let maximumUnresolved = 2
  /// How often a save that finds conflicts is attempted. Limited, because a policy could cause new
  /// conflicts forever.
  private static let maximumAttempts = 1000

  mutating func run() throws {
    let changes = try groupByStore()
    // All stores are checked before the first one is written: a save to several stores is not one
    // transaction, so an error in a later store would leave only the earlier ones saved.
    for (store, _) in changes { try store.requireWritable() }
    // A read-only store cannot write new metadata; its engine throws if there is any.
    for store in coordinator.persistentStores
    where store.isReadOnly && !store.engine.receivesObjects {
      try store.engine.saveMetadata()
    }
    for (index, (store, part)) in changes.enumerated() {
      let part = try savePart(part, to: store, waiting: changes[index...])
      saved.add(part)
    }
    // A save also writes the new metadata of stores without changed objects, and custom stores without changed objects
    // receive an empty request.
    for store in coordinator.persistentStores where !store.isReadOnly {
      try store.engine.saveMetadata()
      if let engine = store.engine as? any ObjectStoreEngine,
        !changes.contains(where: { $0.0 === store })
      {
        _ = try engine.save(SavedObjects(), from: context) { ChangeSet() }
      }
    }
  }

  /// Saves the objects of one store. If this fails after other stores were saved, the error says so, unless it is a
  /// conflict.
  private func savePart(
    _ part: SavedObjects, to store: NSPersistentStore,
    waiting: ArraySlice<(NSPersistentStore, SavedObjects)>
  ) throws -> SavedObjects {
    do {
      return try save(part, to: store)
    } catch {
      if saved.isEmpty || CoreDataError.isConflict(error) { throw error }
      let objects = waiting.flatMap { $0.1.inserted + $0.1.updated + $0.1.deleted }
      throw CoreDataError.make(
        NSPersistentStoreIncompleteSaveError,
        "only some of the stores were saved: \(error.localizedDescription)",
        [NSAffectedStoresErrorKey: waiting.map(\.0), NSAffectedObjectsErrorKey: objects],
        cause: error)
    }
  }

  private func groupByStore() throws -> [(NSPersistentStore, SavedObjects)] {
    var parts: [(NSPersistentStore, SavedObjects)] = []
    func add(to store: NSPersistentStore, _ body: (inout SavedObjects) -> Void) {
      if let index = parts.firstIndex(where: { $0.0 === store }) {
        body(&parts[index].1)
      } else {
        var part = SavedObjects()
        body(&part)
        parts.append((store, part))
      }
    }
    for (store, objects) in try coordinator.storesForInserting(context.unsaved.inserted.objects) {
      add(to: store) { $0.inserted = objects }
    }
    for object in context.unsaved.updated {
      add(to: try object.reachableStore) { $0.updated.append(object) }
    }
    for object in context.session.checkedObjects
    where object.snapshot.isPresent
      && object.flags.isDisjoint(with: [.inserted, .updated, .deleted])
    {
      add(to: try object.reachableStore) { $0.checked.append(object) }
    }
    for object in context.ownDeletions {
      add(to: try object.reachableStore) { $0.deleted.append(object) }
    }
    return parts
  }

  /// Saves the objects of one store, repeatedly while the merge policy resolves conflicts.
  ///
  /// - Returns: The saved objects. Resolving conflicts may have changed or discarded some of them.
  private func save(_ first: SavedObjects, to store: NSPersistentStore) throws -> SavedObjects {
    var part = first
    var before: Set<ConflictKey> = []
    var unresolved = 0
    var attempts = 0
    while true {
      attempts += 1
      let conflicts: [NSObject]
      switch try attempt(&part, store) {
      case .saved: return part
      case .conflicts(let found): conflicts = found
      }
      let keys = Set(conflicts.compactMap(ConflictKey.init))
      if !keys.isDisjoint(with: before) { unresolved += 1 }
      if unresolved >= Self.maximumUnresolved || attempts >= Self.maximumAttempts {
        throw CoreDataError.conflicts(conflicts, isUnresolved: true)
      }
      before = keys
      try resolve(conflicts)
      // Group the objects again, because the policy may have deleted, inserted and changed some.
      part = try groupByStore().first { $0.0 === store }?.1 ?? SavedObjects()
    }
  }

  private enum Attempt {
    case saved
    /// Nothing was written.
    case conflicts([NSObject])
  }

  private func attempt(_ part: inout SavedObjects, _ store: NSPersistentStore) throws -> Attempt {
    try context.readExistingRows(of: part.updated + part.deleted)
    let finder = ConflictFinder(context: context, store: store)
    let gone = part.updated.filter { $0.flags.contains(.fault) && !$0.snapshot.isPresent }
    if !gone.isEmpty { return .conflicts(finder.missingRows(of: gone)) }
    let recreated = context.rebaseReturned(part.inserted)
    // Another save has inserted these rows again, so inserting them would fail. The objects are
    // updates now, in conflict with the other insertion.
    if !recreated.isEmpty {
      return .conflicts(
        recreated.map {
          // Foreign, because without `objectSnapshot` the store's values are in `persistedSnapshot`.
          NSMergeConflict($0, oldVersion: 0, read: .none, present: $0.snapshot, isForeign: true)
        })
    }
    // The position of a new member depends on the positions of the other members.
    for slot in context.relationshipSlots(of: part.updated)
    where slot.property.relationship?.isOrdered == true {
      let owners = slot.owners.filter { $0.needsNewOrder(slot.property.index) }
      if owners.count > 1 { try context.readMembers(of: slot.property, owners: owners) }
    }
    // A deleted fault without a row needs no deletion.
    part.deleted.removeAll { $0.flags.contains(.fault) && !$0.snapshot.isPresent }
    if store.engine.receivesObjects {
      // A custom store assigns IDs to its objects before it receives them.
      try context.obtainPermanentIDs(for: part.inserted)
    }
    let builder = ChangeSetBuilder(
      store: store, part: part, restored: context.session.restoredObjects)
    var changes: ChangeSet
    let outcome: SaveOutcome
    do {
      (changes, outcome) = try write(part, builder, to: store)
    } catch let error as NSError {
      // Custom stores report conflicts by throwing them.
      guard store.engine.receivesObjects, let found = CoreDataError.thrownConflicts(error) else {
        throw error
      }
      return .conflicts(found)
    }
    switch outcome {
    case .saved(let insertedVersions, let updatedVersions, let transaction):
      if let transaction { part.transactions[store.engine.origin.identifier] = transaction }
      let keys = changes.inserted.keys
      // Releases the values of all new rows, because the objects have them, too.
      changes.inserted = NewRows()
      finish(part, changes, keys, insertedVersions, updatedVersions, store)
      // `finish` has already read the computed values of the saved rows.
      if !changes.computed.isEmpty {
        let ids = part.ids
        let own = Set(ids.inserted + ids.updated + ids.deleted)
        part.computed = changes.computed
          .map { NSManagedObjectID(layout: $0.layout, key: $0.key, origin: store.engine.origin) }
          .filter { !own.contains($0) }
      }
      return .saved
    case .conflicts(let conflicts, let isForeign):
      // The policy compares the objects with the current rows of the store.
      context.advanceGeneration()
      return .conflicts(try finder.conflicts(conflicts, isForeign: isForeign, in: part))
    case .violations(let violations):
      context.advanceGeneration()
      return .conflicts(try finder.conflicts(violations, in: part, keys: changes.inserted.keys))
    }
  }

  private func write(
    _ part: SavedObjects, _ builder: ChangeSetBuilder, to store: NSPersistentStore
  ) throws -> (changes: ChangeSet, outcome: SaveOutcome) {
    guard let engine = store.engine as? any ObjectStoreEngine else {
      var changes = try builder.build()
      let outcome = try store.engine.save(&changes, note: SaveNote(context))
      return (changes, outcome)
    }
    return try engine.save(part, from: context, builder.build)
  }

  /// Resolves conflicts in memory by the merge policy.
  private func resolve(_ conflicts: [NSObject]) throws {
    guard let policy = context.mergePolicy as? NSMergePolicy else {
      throw CoreDataError.conflicts(conflicts)
    }
    try context.withoutUndo { try policy.resolve(mergeConflicts: conflicts) }
    // The policy may have deleted objects.
    try context.propagateDeletes()
    context.processPendingChanges()
    try context.validateDenials()
  }

  /// Updates the saved objects: their values are now the stored ones.
  private func finish(
    _ part: SavedObjects, _ changes: ChangeSet, _ insertedKeys: [Int64],
    _ insertedVersions: [Int32], _ updatedVersions: [Int32], _ store: NSPersistentStore
  ) {
    let identified = context.identify(part.inserted, keys: insertedKeys, store.engine.origin)
    // No code of the program may run before this call: no context may see a permanent ID before every context can find
    // the object with that ID.
    context.publish(identified.assignments)
    let keepsFiles = store.engine.keepsValuesInFiles
    func isReadAgain(_ object: NSManagedObject) -> Bool {
      object.layout.hasDerivedAttributes || keepsFiles && !object.layout.externalSlots.isEmpty
    }
    // All new rows of a save have the same version.
    let version = insertedVersions.first ?? 1
    for object in part.inserted { object.didSaveValues(version: version) }
    var versions: [RowKey: Int32] = [:]
    for (row, version) in zip(changes.updated, updatedVersions) {
      versions[RowKey(row.layout, row.key, store.engine.origin)] = version
    }
    for object in part.updated {
      let key = RowKey(object.layout, object.key, store.engine.origin)
      object.didSaveValues(
        version: versions[key] ?? object.snapshot.version, withFiles: !isReadAgain(object))
    }
    if !store.engine.receivesObjects {
      readComputedValues(of: part.inserted.filter(isReadAgain) + part.updated.filter(isReadAgain))
    }
    if !identified.objects.isEmpty {
      context.announcing.observers.forEach { $0.objectsDidGetPermanentIDs(identified.objects) }
    }
  }

  /// Reads values that the store computed or keeps in files, with the version of the saved row, so that a later save of
  /// another context is still a conflict.
  private func readComputedValues(of objects: [NSManagedObject]) {
    if objects.isEmpty { return }
    for object in objects {
      context.noteReplacement(ofRowOf: object)
      object.state.savedValuesAreOutdated(in: object.layout)
    }
    context.advanceGeneration()
    do {
      try coordinator.readRows(of: objects, in: context)
    } catch {
      Log.contextNotice(
        "values that the store computed cannot be read: \(error.localizedDescription)")
    }
    // An object whose row could not be read reports the error when its values are needed.
    for object in objects where !object.snapshot.isPresent { object.state.rowCouldNotBeRead() }
  }
}
