extension NSManagedObjectContext {
  // MARK: Inserting and deleting

  func insertUnregistered(_ object: NSManagedObject) {
    requireQueue()
    if let other = object.unsafeContext, other !== self {
      stopProgram("the object belongs to another context: \(object.objectID)")
    }
    if object.unsafeContext === self {
      insertAgain(object)
      return
    }
    // One that has no key yet was never here.
    let isNew = object.key == 0
    if object.key > 0 {
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
    // What it sets of other objects are changes of theirs.
    object.awakeFromInsert()
  }

  /// An object that was to be deleted is inserted: it stays as it is.
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
      // Nobody was told that it went.
      pending.update(object)
    } else {
      pending.insert(object)
    }
    scheduleProcessing()
  }

  func markDeleted(_ object: NSManagedObject) {
    requireQueue()
    guard object.unsafeContext === self else { return }
    object.prepareForDeletion()
    if !object.flags.contains(.deleted) { beginDeletion(of: object) }
  }

  // MARK: Finding objects

  func findRegisteredOrFault(_ objectID: NSManagedObjectID) -> NSManagedObject {
    requireQueue()
    let id = own(objectID)
    if let known = registry[id.layout, id.key, id.origin] { return known }
    return makeObject(id.layout, key: id.key, origin: id.origin, .none)
  }

  func findRegistered(_ objectID: NSManagedObjectID) -> NSManagedObject? {
    requireQueue()
    let id = own(objectID)
    return registry[id.layout, id.key, id.origin]
  }

  /// The ID by which this context's coordinator knows a row: another coordinator of the same store
  /// has IDs of its own for it. A temporary ID whose object was saved gives the permanent one.
  func own(_ id: NSManagedObjectID) -> NSManagedObjectID {
    let id = present(id)
    guard id.key > 0, let coordinator = persistentStoreCoordinator,
      id.layout.model !== coordinator.layouts || id.origin.store == nil
        || id.origin.store?.persistentStoreCoordinator !== coordinator,
      let layout = coordinator.layouts.layout(named: id.layout.name),
      let store = coordinator.persistentStores.first(where: {
        $0.identifier == id.origin.identifier
      })
    else { return id }
    let origin = store.engine.origin
    // A store of the program's own has keys of its own in each coordinator; its names are the same.
    if let references = origin.references, let name = id.origin.references?.reference(of: id.key) {
      return NSManagedObjectID(
        layout: layout, key: references.key(of: name, in: layout), origin: origin)
    }
    return NSManagedObjectID(layout: layout, key: id.key, origin: origin)
  }

  /// The object of an ID, if it is in use.
  public func object(registeredFor objectID: NSManagedObjectID) -> NSManagedObject? {
    registeredObject(for: objectID)
  }

  func filledObject(_ objectID: NSManagedObjectID) throws -> NSManagedObject {
    requireQueue()
    let object = object(with: objectID)
    // Its row may be there again.
    if isMissing(object) { refreshContents(of: [object]) }
    if object.flags.contains(.inaccessible) || unsaved.deletedElsewhere.contains(object)
      || object.flags.contains(.deleted) && !unsaved.deleted.contains(object)
    {
      throw CoreDataError.make(
        NSManagedObjectReferentialIntegrityError, "there is no object \(objectID) any more")
    }
    try object.fire()
    return object
  }

  func identifyForGood(_ objects: [NSManagedObject]) throws {
    requireQueue()
    guard source != nil else { throw noCoordinator }
    adoptPermanentIDs()
    let temporary = objects.filter { object in
      object.primaryKey < 0 && (object.flags.contains(.inserted) || isUnsavedAbove(object))
    }
    if temporary.isEmpty { return }
    try assignPermanentIDs(to: temporary)
    reportPermanentIDs()
  }

  /// Whether an object is saved in the parent, but not yet in a store.
  private func isUnsavedAbove(_ object: NSManagedObject) -> Bool {
    isChild && object.unsafeContext === self && !object.isDeleted
  }

  func note(_ object: Any, goesTo store: NSPersistentStore) {
    guard let object = object as? NSManagedObject, object.unsafeContext === self else { return }
    if object.origin.store === store { return }
    guard object.flags.contains(.inserted), object.primaryKey < 0 else {
      stopProgram(
        "Can't reassign an object to a different store once it has been saved: \(object.objectID)")
    }
    session.assign(object, to: store)
  }

  func noteCheck(of object: NSManagedObject) {
    if object.unsafeContext === self, !object.flags.contains(.inserted) {
      session.check(object)
    }
  }

  /// Gives new objects the IDs of their rows; those that have them already stay as they are.
  ///
  /// - Returns: the objects that got one, with their temporary keys and what they got, where live results, children or
  ///   temporary IDs in use want to know.
  func identify(
    _ objects: [NSManagedObject], keys: [Int64], _ origin: StoreOrigin
  ) -> (assignments: [PermanentIDAssignment], objects: [(NSManagedObject, Int64)]) {
    var identified: [(NSManagedObject, Int64)] = []
    var assignments: [PermanentIDAssignment] = []
    let isWatched = !announcing.observers.isEmpty || publishesPermanentIDs
    // A store that names its objects itself named them before.
    var start = keys.isEmpty ? objects.count : 0
    while start < objects.count {
      // Those of one table mostly come one after the other.
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
      start = max(end, start + 1)
    }
    return (assignments, identified)
  }

  /// Gives an object the ID of a row.
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

  /// The one object of a row, made when it is not in use.
  ///
  /// A fault that is in use takes the row; an object whose values are in use keeps them.
  func object(
    _ layout: EntityLayout, key: Int64, origin: StoreOrigin, _ snapshot: RowSnapshot
  ) -> NSManagedObject {
    guard let known = registry[layout, key, origin] else {
      return makeObject(layout, key: key, origin: origin, snapshot)
    }
    setSnapshot(snapshot, ofFault: known)
    return known
  }

  private func setSnapshot(_ snapshot: RowSnapshot, ofFault known: NSManagedObject) {
    guard known.flags.contains(.fault) else { return }
    // A fault gets an unsaved change too, when the other side of a relationship is set; the change
    // stands on the row that was there then.
    let isClean = known.flags.isDisjoint(with: [.updated, .deleted])
    if case .none = snapshot { return }
    if !known.snapshot.isPresent || isClean && snapshot.isPresent {
      noteReplacement(ofRowOf: known)
      known.state.rowWasFetched(snapshot)
    }
  }

  /// To be called before an object is given another row than the one its observers may have read: they are told of
  /// what differs when changes are processed, as here others may be at work with the registry.
  func noteReplacement(ofRowOf object: NSManagedObject) {
    guard object.flags.contains(.observed), object.snapshot.isPresent else { return }
    pending.noteReplacement(ReplacedSnapshot(object: object, former: object.snapshot))
    scheduleProcessing()
  }

  /// Appends the objects of a batch's rows, or of some of them, each with its row, or with a group of
  /// which it will be read.
  ///
  /// Does what `object(_:key:origin:_:)` does for each, but locks the registry twice for all, and counts
  /// references to what all of them hold together.
  ///
  /// - Parameter isNew: whether the rows were read just now; others are for faults without a row alone.
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
    defer { layouts.putBack() }
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
    for (row, object) in objects[start...].enumerated() where known?[row] == nil {
      object.notifyStoreOfRegistration()
      if retainsRegisteredObjects { registry.retain(object) }
    }
  }

  /// Whether an object that was made for another entity than its row has is kept for the row. An ID or a damaged
  /// reference named the wrong entity: the object, which has other properties, is released, and replaced by one of
  /// the row's entity.
  private func keepsObject(_ object: NSManagedObject, for layout: EntityLayout) -> Bool {
    if object.flags.contains(.inserted) { return true }
    Log.contextNotice("\(object.objectID) is of the entity \(layout.name): its object is replaced")
    unsaved.forget(object)
    release(object)
    return false
  }

  private func makeObject(
    _ layout: EntityLayout, key: Int64, origin: StoreOrigin, _ snapshot: RowSnapshot
  ) -> NSManagedObject {
    let object = newObject(layout, layout.entity, key: key, origin: origin, snapshot)
    register(object)
    return object
  }

  /// Makes a placeholder for a deleted row of which no object was in use. It is not registered, and no list of the
  /// context has it.
  func makePlaceholder(forDeleted id: NSManagedObjectID) -> NSManagedObject {
    let object = newObject(id.layout, id.layout.entity, key: id.key, origin: id.origin, .none)
    object.state.becameDeletedWithRules()
    return object
  }

  /// An object of a row, which nobody can find yet.
  private func newObject(
    _ layout: EntityLayout, _ entity: consuming NSEntityDescription, key: Int64,
    origin: StoreOrigin, _ snapshot: consuming RowSnapshot
  ) -> NSManagedObject {
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
