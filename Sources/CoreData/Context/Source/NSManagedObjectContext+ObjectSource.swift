/// A parent context serves its children from its own objects, including unsaved changes.
extension NSManagedObjectContext: ObjectSource {
  var sourceLayouts: ModelLayout? { layouts }
  var rootCoordinator: NSPersistentStoreCoordinator? { persistentStoreCoordinator }

  /// Runs a child's request on this context's queue. The child waits, so `body` may use the child's objects, too.
  func serve<Result, Failure: Error>(
    _ child: NSManagedObjectContext, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try queue.sync(for: child.queue) { () throws(Failure) -> Result in
      align(child)
      return try body()
    }
  }

  /// Returns this context's object with the same ID as a child's object.
  func counterpart(_ object: NSManagedObject) -> NSManagedObject {
    if let child = object.unsafeContext { align(child) }
    return self.object(object.layout, key: object.primaryKey, origin: object.origin, .none)
  }

  /// Returns the child's object with the same ID as an object of this context.
  private func copy(
    of object: NSManagedObject, in child: NSManagedObjectContext
  ) -> NSManagedObject {
    let snapshot = object.presentSnapshot
    align(child)
    return child.object(object.layout, key: object.primaryKey, origin: object.origin, snapshot)
  }

  func returnsSingleOrder(of stores: [NSPersistentStore]) -> Bool { true }

  func readObjects(
    _ plan: FetchPlan, from stores: [NSPersistentStore], batchSize: Int,
    into requester: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    try serve(requester) {
      // Delete rules are carried out first, because the child must not get objects that pending
      // rules will delete.
      processPendingChanges()
      let own = try objects(try plan.present, from: stores, batchSize: batchSize)
      guard plan.query.fetchesValues else {
        let rows = RowKeyRuns(own)
        return requester.faults(
          requester.resolvingIDs { rows.current }, of: plan.layout,
          groupSize: batchSize > 0 ? batchSize : RowBatch.maximumCount)
      }
      try readRows(of: own)
      return own.map { copy(of: $0, in: requester) }
    }
  }

  func readKeys(
    _ plan: FetchPlan, values: [BoundExpression], from stores: [NSPersistentStore],
    for requester: NSManagedObjectContext, _ body: (RowCursor) throws -> Void
  ) throws {
    let evaluators = values.map(ValueEvaluator.init)
    try serve(requester) {
      processPendingChanges()
      for object in try objects(try plan.present, from: stores, batchSize: 0) {
        let values = try evaluators.map { try $0.value(of: object) }
        // Called for each row, because another thread may publish permanent IDs at any time.
        align(requester)
        try body(RowCursor(of: object, values))
      }
    }
  }

  func countRows(
    _ plan: FetchPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int {
    try serve(requester) {
      processPendingChanges()
      return try count(try plan.present, in: stores)
    }
  }

  func readDictionaries(
    _ plan: DictionaryPlan, from stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> [[String: Any]] {
    try serve(requester) {
      // Dictionaries never contain unsaved changes, as in Apple's Core Data, so the request is
      // passed on to the store.
      guard let source else { throw noCoordinator }
      return try source.readDictionaries(try plan.present, from: stores, for: self)
    }
  }

  func countDictionaries(
    _ plan: DictionaryPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int {
    try serve(requester) {
      guard let source else { throw noCoordinator }
      return try source.countDictionaries(try plan.present, in: stores, for: self)
    }
  }

  func readRows(of objects: [NSManagedObject], in requester: NSManagedObjectContext) throws {
    try serve(requester) {
      let own = objects.map(counterpart)
      try readRows(of: own)
      for (object, own) in zip(objects, own) where own.existsHere {
        object.state.rowWasRead(own.presentSnapshot)
      }
    }
  }

  func readMembers(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [RowKeyRuns] {
    try serve(requester) {
      processPendingChanges()
      let own = owners.map(counterpart)
      try readRows(of: own)
      let present = own.filter(\.existsHere)
      if let property = present.first?.layout.slots[slot] {
        try prefetchToMany(property, of: present)
      }
      return try own.map { object in
        guard object.existsHere else { return RowKeyRuns() }
        return RowKeyRuns(try object.toManyObjects(slot).filter { !$0.flags.contains(.deleted) })
      }
    }
  }

  func mayHaveRow(of id: NSManagedObjectID, for requester: NSManagedObjectContext) -> Bool {
    if id.key > 0 { return source?.mayHaveRow(of: id, for: self) ?? false }
    return serve(requester) {
      let id = currentID(of: id)
      return registry[id.layout, id.key, id.origin].map(\.existsHere)
        ?? source?.mayHaveRow(of: id, for: self) ?? false
    }
  }
}

extension NSManagedObjectContext {
  /// Returns the current rows of those child objects that exist in this context. Call it on this context's queue.
  func existingRows(
    of objects: [NSManagedObject], for child: NSManagedObjectContext
  ) throws -> [ObjectIdentifier: RowSnapshot] {
    let own = objects.map(counterpart)
    try readExistingRows(of: own)
    var rows: [ObjectIdentifier: RowSnapshot] = [:]
    for (object, own) in zip(objects, own) where own.existsHere {
      rows[ObjectIdentifier(object)] = own.presentSnapshot
    }
    return rows
  }
}

extension NSManagedObject {
  /// Whether the object can be read: it has a row or is new, and is not deleted.
  var existsHere: Bool {
    (snapshot.isPresent || flags.contains(.inserted)) && !flags.contains(.deleted)
      && !flags.contains(.inaccessible)
  }

  /// The current values in the form of a row; the row itself if no value was set.
  fileprivate var presentSnapshot: RowSnapshot {
    // If this context has not changed the object, the child shares the row instead of copying its values.
    let isPlain = contents.allSatisfy { content in
      switch content {
      case .written, .writtenObject: false
      default: true
      }
    }
    if isPlain && snapshot.isPresent { return snapshot }
    return .values(presentValues(), snapshot.version)
  }
}
