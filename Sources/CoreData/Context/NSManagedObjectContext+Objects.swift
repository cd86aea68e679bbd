extension NSManagedObjectContext {
  // MARK: Inserting and deleting

  func insertUnregistered(_ object: NSManagedObject) {
    requireQueue()
    if owns(object, to: "insert") {
      insertAgain(object)
      return
    }
    requireEqualLayout(of: object)
    // An object without a key was never in a context.
    let isNew = object.key == 0
    if object.key > 0 {
      // The former row's key would make the save insert a row with the ID of a deleted one.
      object.key = 0
      object.origin = .temporary
    }
    scheduleProcessing()
    object.state.becameInserted()
    object.state.wasTouched(isNoted: willProcess)
    object.unsafeContext = self
    register(object)
    unsaved.insert(object, isKnownToBeNew: isNew)
    pending.insert(object, isKnownToBeNew: isNew)
    if !isNew { pending.withdrawDeletion(object) }
    // Values that `awakeFromInsert` sets in other objects count as changes to those objects.
    object.awakeFromInsert()
  }

  /// Reverts the unsaved deletion of an object; an object that is not deleted stays as it is.
  private func insertAgain(_ object: NSManagedObject) {
    guard !unsaved.deletedElsewhere.contains(object), unsaved.withdrawDeletion(object),
      !object.flags.contains(.inaccessible)
    else { return }
    object.state.deletionEnded()
    if !object.flags.contains(.inserted) {
      object.state.becameUpdated()
      unsaved.update(object)
    }
    if pending.withdrawDeletion(object) {
      // The deletion has not been reported yet.
      pending.update(object)
    } else {
      pending.insert(object)
    }
    scheduleProcessing()
  }

  func markDeleted(_ object: NSManagedObject) {
    requireQueue()
    guard owns(object, to: "delete") else { return }
    object.prepareForDeletion()
    if !object.flags.contains(.deleted) { beginDeletion(of: object) }
  }

  /// Returns whether an object belongs to this context; false for an object without a context. Stops the program if it
  /// belongs to another context.
  func owns(_ object: NSManagedObject, to action: String) -> Bool {
    if let error = foreignObjectError(object, action) { stopProgram(error.localizedDescription) }
    return object.unsafeContext === self
  }

  /// Returns an error if an object belongs to another context.
  ///
  /// - Parameter action: What this context cannot do with the object.
  func foreignObjectError(_ object: NSManagedObject, _ action: String) -> NSError? {
    guard let other = object.unsafeContext, other !== self else { return nil }
    let owner = other.name.map { "the context \"\($0)\"" } ?? "\(other)"
    // Apple's exceptions for `delete` and `refresh` begin with this sentence.
    return CoreDataError.badRequest(
      "An NSManagedObjectContext cannot \(action) objects in other contexts. \(object.ownID)"
        + " belongs to \(owner): use that context, or the object with this ID in this one")
  }

  // MARK: Finding objects

  func findRegisteredOrFault(_ objectID: NSManagedObjectID) -> NSManagedObject {
    requireQueue()
    let id = localID(of: objectID)
    if let known = registry[id.layout, id.key, id.origin] { return known }
    return makeObject(id.layout, key: id.key, origin: id.origin, .none)
  }

  func findRegistered(_ objectID: NSManagedObjectID) -> NSManagedObject? {
    requireQueue()
    let id = localID(of: objectID)
    return registry[id.layout, id.key, id.origin]
  }

  /// Returns the ID that this context's coordinator uses for a row; another coordinator of the same
  /// store uses different ones. Returns the permanent ID for a temporary ID whose object was saved.
  func localID(of id: NSManagedObjectID) -> NSManagedObjectID {
    let id = currentID(of: id)
    return persistentStoreCoordinator?.localID(of: id) ?? id
  }

  /// Returns the object with an ID if it is in use.
  public func object(registeredFor objectID: NSManagedObjectID) -> NSManagedObject? {
    registeredObject(for: objectID)
  }

  func filledObject(_ objectID: NSManagedObjectID) throws -> NSManagedObject {
    requireQueue()
    let object = object(with: objectID)
    // The row of a missing object may exist again.
    if isMissing(object) { refreshContents(of: [object]) }
    if object.flags.contains(.inaccessible) || unsaved.deletedElsewhere.contains(object)
      || object.flags.contains(.deleted) && !unsaved.deleted.contains(object)
    {
      throw CoreDataError.make(
        NSManagedObjectReferentialIntegrityError, "the object \(objectID) no longer exists")
    }
    try object.fire()
    return object
  }

  func makeIDsPermanent(of objects: [NSManagedObject]) throws {
    requireQueue()
    guard source != nil else { throw noCoordinator }
    for object in objects where object.key <= 0 && object.unsafeContext !== self {
      // All contexts below a root get the same permanent IDs.
      if object.unsafeContext?.root !== root,
        let error = foreignObjectError(object, "obtain permanent IDs for")
      {
        throw error
      }
    }
    adoptPermanentIDs()
    let temporary = objects.filter { object in
      object.primaryKey < 0 && (object.flags.contains(.inserted) || isSavedOnlyInParent(object))
    }
    if temporary.isEmpty { return }
    try assignPermanentIDs(to: temporary)
    reportPermanentIDs()
  }

  /// The context above this one that has no parent, or this one.
  private var root: NSManagedObjectContext { parent?.root ?? self }

  /// Returns whether an object is saved in the parent, but not in a store.
  private func isSavedOnlyInParent(_ object: NSManagedObject) -> Bool {
    isChild && object.unsafeContext === self && !object.flags.contains(.deleted)
  }

  func assignStore(_ store: NSPersistentStore, to object: Any) {
    guard let object = object as? NSManagedObject, owns(object, to: "assign a store to") else {
      return
    }
    if object.origin.store === store { return }
    guard object.flags.contains(.inserted), object.primaryKey < 0 else {
      stopProgram(
        "Can't reassign an object to a different store once it has been saved: \(object.ownID)")
    }
    if let coordinator = persistentStoreCoordinator, !coordinator.hasOpen(store) {
      stopProgram(
        "cannot assign \(object.ownID) to the store \(store.url?.path ?? ""), which this context's"
          + " coordinator has not opened")
    }
    session.assign(object, to: store)
  }

  func scheduleConflictCheck(of object: NSManagedObject) {
    if owns(object, to: "detect conflicts of"), !object.flags.contains(.inserted) {
      session.check(object)
    }
  }

  /// Assigns new objects the IDs of their rows. Objects that have a permanent ID keep it.
  ///
  /// - Returns: The assignments, and the objects that got an ID, each with its temporary key. Both are
  ///   empty if no live results, children or temporary IDs in use need them.
  func identify(
    _ objects: [NSManagedObject], keys: [Int64], _ origin: StoreOrigin
  ) -> (assignments: [PermanentIDAssignment], objects: [(NSManagedObject, Int64)]) {
    var identified: [(NSManagedObject, Int64)] = []
    var assignments: [PermanentIDAssignment] = []
    let isWatched = !announcing.observers.isEmpty || publishesPermanentIDs
    // A store with reference objects has already assigned its IDs.
    var start = keys.isEmpty ? objects.count : 0
    while start < objects.count {
      // Objects of the same table are mostly adjacent.
      let root = objects[start].layout.rootIndex
      var end = start
      while end < objects.count, objects[end].layout.rootIndex == root,
        objects[end].key < 0
      {
        if isWatched {
          identified.append((objects[end], objects[end].key))
          assignments.append(
            PermanentIDAssignment(
              layout: objects[end].layout, temporary: objects[end].key, key: keys[end],
              origin: origin))
        }
        end += 1
      }
      registry.identify(objects[start..<end], keys[start..<end], origin)
      if origin.references != nil {
        for object in objects[start..<end] { object.notifyStoreOfRegistration() }
      }
      // An object that has a permanent ID already ends a run and does not start one.
      start = max(end, start + 1)
    }
    return (assignments, identified)
  }

  /// Assigns an object the ID of a row.
  func identify(_ object: NSManagedObject, key: Int64, origin: StoreOrigin) {
    registry.remove(object)
    object.key = key
    object.origin = origin
    registry.insert(object)
    object.notifyStoreOfRegistration()
  }

  // MARK: Registering

  func register(_ object: NSManagedObject) {
    registry.insert(object)
    object.notifyStoreOfRegistration()
    if retainsRegisteredObjects { registry.retain(object) }
  }

  /// Returns the single object of a row, and creates it if it is not in use.
  ///
  /// A fault in use adopts the row; an object whose values are in use keeps them.
  ///
  /// - Parameter declared: The entity whose slots the caller uses, if the object in use may be of another entity in the
  ///   table, because the reference in the file is damaged. Such an object is replaced. If it has unsaved changes, it
  ///   stays, and the result is not registered.
  func object(
    _ layout: EntityLayout, key: Int64, origin: StoreOrigin, _ snapshot: RowSnapshot,
    declared: EntityLayout? = nil
  ) -> NSManagedObject {
    guard let known = registry[layout, key, origin] else {
      return makeObject(layout, key: key, origin: origin, snapshot)
    }
    if known.layout === layout || declared.map({ known.layout.isKind(of: $0) }) ?? true {
      setSnapshot(snapshot, ofFault: known)
      return known
    }
    if !known.flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
      Log.contextNotice(
        "a reference to an object of \(layout.name) leads to \(known.ownID), which has unsaved"
          + " changes")
      return newObject(layout, layout.entity, key: key, origin: origin, snapshot)
    }
    releaseObject(known, replacedBy: layout)
    return makeObject(layout, key: key, origin: origin, snapshot)
  }

  private func setSnapshot(_ snapshot: RowSnapshot, ofFault known: NSManagedObject) {
    guard known.flags.contains(.fault) else { return }
    // A fault can have an unsaved change, if the other side of one of its relationships was set. That change is based
    // on the row that the fault had then.
    let isClean = known.flags.isDisjoint(with: [.updated, .deleted])
    if case .none = snapshot { return }
    if !known.snapshot.isPresent || isClean && snapshot.isPresent {
      noteReplacement(ofRowOf: known)
      known.state.rowWasFetched(snapshot)
    }
  }

  /// Records the row of an observed object before a caller replaces it.
  func noteReplacement(ofRowOf object: NSManagedObject) {
    guard object.flags.contains(.observed), object.snapshot.isPresent else { return }
    // Observers are notified later, when changes are processed, because the caller may be in the
    // middle of using the registry.
    pending.noteReplacement(ReplacedSnapshot(object: object, former: object.snapshot))
    scheduleProcessing()
  }

  /// Appends the objects of a batch's rows, or of a range of them. Each gets its row, or the group of faults whose
  /// rows will be read together.
  ///
  /// Does the work of `object(_:key:origin:_:)` for many rows: locks the registry only twice, and
  /// counts the references to shared objects in one step.
  ///
  /// - Parameter isNew: Whether the rows were just read. If not, only faults that have no row yet get one.
  func appendObjects(
    of batch: RowBatch, rows: Range<Int>? = nil, _ root: EntityLayout, _ origin: StoreOrigin,
    pending group: FaultGroup? = nil, isNew: Bool = true, to objects: inout [NSManagedObject]
  ) {
    let rows = rows ?? 0..<batch.count
    let known = registry.objects(of: batch, rows, root, origin)
    let start = objects.count
    var layout = root
    var entities = ReferenceStock(root.entity, count: rows.count)
    let layouts = LayoutStock(root, count: rows.count)
    defer { layouts.restorePrevious() }
    let hasValues = group == nil
    var batches = ReferenceStock(hasValues ? batch : nil, count: rows.count)
    var groups = ReferenceStock(group, count: rows.count)
    func snapshot(_ row: Int) -> RowSnapshot {
      hasValues ? .row(batches.popReference(), Int32(row)) : .pending(groups.popReference())
    }
    for row in rows {
      if let object = known?[row - rows.lowerBound],
        object.layout.index == batch.entityIndex(row) || keepsObject(object, for: batch.layout(row))
      {
        if isNew || !object.snapshot.isPresent { setSnapshot(snapshot(row), ofFault: object) }
        objects.append(object)
      } else {
        if batch.entityIndex(row) != layout.index {
          layout = batch.layout(row)
          entities = ReferenceStock(layout.entity, count: rows.upperBound - row)
          layouts.change(to: layout, count: rows.upperBound - row)
        }
        objects.append(
          newObject(
            layout, entities.popReference(), key: batch.key(row), origin: origin, snapshot(row)))
      }
    }
    registry.insertNew(&objects, from: start, root, origin)
    guard origin.references != nil || retainsRegisteredObjects else { return }
    // A registered object may have been replaced by one of the row's entity.
    for (row, object) in objects[start...].enumerated() where known?[row] !== object {
      object.notifyStoreOfRegistration()
      if retainsRegisteredObjects { registry.retain(object) }
    }
  }

  /// Returns whether an object is kept for a row. If not, releases the object, so that the caller creates one of the
  /// row's entity.
  private func keepsObject(_ object: NSManagedObject, for layout: EntityLayout) -> Bool {
    if object.flags.contains(.inserted) { return true }
    releaseObject(object, replacedBy: layout)
    return false
  }

  /// Releases an object that was made for an ID or a damaged reference with a different entity than that of the row, so
  /// that it has the wrong properties.
  private func releaseObject(_ object: NSManagedObject, replacedBy layout: EntityLayout) {
    Log.contextNotice(
      "the row of \(object.ownID) has the entity \(layout.name): the object is replaced by one of"
        + " that entity")
    unsaved.forget(object)
    release(object)
  }

  private func makeObject(
    _ layout: EntityLayout, key: Int64, origin: StoreOrigin, _ snapshot: RowSnapshot
  ) -> NSManagedObject {
    let object = newObject(layout, layout.entity, key: key, origin: origin, snapshot)
    register(object)
    return object
  }

  /// Makes a placeholder for a deleted row without an object in use. It is not registered, and is
  /// in no list of the context.
  func makePlaceholder(forDeleted id: NSManagedObjectID) -> NSManagedObject {
    let object = newObject(id.layout, id.layout.entity, key: id.key, origin: id.origin, .none)
    object.state.becameDeletedWithRules()
    return object
  }

  /// Makes an object of a row without registering it.
  private func newObject(
    _ layout: EntityLayout, _ entity: consuming NSEntityDescription, key: Int64,
    origin: StoreOrigin, _ snapshot: consuming RowSnapshot
  ) -> NSManagedObject {
    // With a context, the initializer would insert it as a new object.
    let object = layout.managedObjectClass.init(entity: entity, insertInto: nil)
    object.key = key
    object.origin = origin
    object.unsafeContext = self
    object.state.becameFault(of: snapshot)
    return object
  }

  var noCoordinator: NSError {
    CoreDataError.badRequest(
      "This NSManagedObjectContext has no persistent store coordinator, or the coordinator has no"
        + " persistent stores. It cannot perform the operation.")
  }
}
