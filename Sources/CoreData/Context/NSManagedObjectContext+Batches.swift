extension NSManagedObjectContext {
  /// Gives the objects of a request batch after batch while the store reads them, so that a result
  /// of any size needs the memory of one batch.
  ///
  /// The objects come in the request's order, at most 1,024 at a time, their values with them. The
  /// context keeps none of them: what is wanted later must be held. A context with unsaved changes
  /// cannot be read this way: they would have to be folded in.
  ///
  /// - Throws: As `fetch(_:)`; what `body` throws, which ends the reading.
  package func forEachBatch(
    of request: NSFetchRequest<NSManagedObject>, _ body: ([NSManagedObject]) throws -> Void
  ) throws {
    guard !hasChanges else {
      throw CoreDataError.badRequest("a context with unsaved changes cannot be read in batches")
    }
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    let plan = try FetchPlan(request, in: coordinator.layouts)
    let stores = coordinator.stores(for: request, of: plan.layout)
    guard stores.count == 1, let engine = stores.first?.engine, engine.readsRowsTogether,
      !engine.leavesRestToObjects || !plan.query.needsObjects
    else { return try body(try fetch(request)) }
    do {
      try engine.fetch(plan.query, batchCapacity: RowBatch.maximumCount) { batch in
        var objects: [NSManagedObject] = []
        appendObjects(of: batch, plan.layout, engine.origin, to: &objects)
        try body(objects)
      }
    } catch let error where engine.leavesRestToObjects && StatementLimit.isCause(of: error) {
      try body(try fetch(request))
    }
  }

  /// The destinations of a to-one relationship for many saved objects, their values with them; one
  /// query for those that were not in use. The owners keep them.
  package func destinations(
    of key: String, for owners: [NSManagedObject?]
  ) throws -> [NSManagedObject?] {
    let destinations = try owners.map { owner in
      try owner.flatMap { try $0.toOneObject(try $0.slotNumber(of: key)) }
    }
    var seen: Set<ObjectIdentifier> = []
    try readRows(
      of: destinations.compactMap { $0 }.filter { seen.insert(ObjectIdentifier($0)).inserted })
    return destinations
  }

  /// How many members a to-many relationship of saved objects has, without making them objects; one
  /// query for each entity among the owners.
  package func memberCounts(of key: String, for owners: [NSManagedObject?]) throws -> [Int] {
    var groups: [ObjectIdentifier: [NSManagedObject]] = [:]
    for case let owner? in owners where owner.key > 0 {
      groups[ObjectIdentifier(owner.layout), default: []].append(owner)
    }
    // Keys are given out for each hierarchy of entities, so among the owners of one relationship
    // they are unique.
    var counts: [Int64: Int] = [:]
    for group in groups.values {
      guard let store = group[0].origin.store else { continue }
      try store.engine.members(
        of: try group[0].slotNumber(of: key), layout: group[0].layout,
        owners: Array(Set(group.map(\.key)))
      ) { owner, _, _ in counts[owner, default: 0] += 1 }
    }
    return owners.map { owner in owner.flatMap { counts[$0.key] } ?? 0 }
  }
}

extension NSManagedObject {
  /// The name of the object's entity.
  package final var entityName: String { layout.name }

  /// Whether the entity is that of another object.
  package final func hasEntity(of other: NSManagedObject) -> Bool { layout === other.layout }

  /// The slot of a property, by its name.
  fileprivate func slotNumber(of key: String) throws -> Int {
    guard let slot = layout.slotNumbers[key] else {
      throw CoreDataError.unknownKey(key, in: layout)
    }
    return slot
  }

  /// The ID of a to-one relationship's destination, without making an object of it.
  package func destinationID(forKey key: String) throws -> NSManagedObjectID? {
    try toOneID(try slotNumber(of: key))
  }
}

extension NSManagedObjectID {
  /// The number in the ID: the row's primary key, negative before the first save.
  package var primaryKey: Int64 { key }

  /// The name of the entity.
  package var entityName: String { layout.name }
}

extension Array where Element: NSManagedObject {
  /// What a closure makes of each object, without counting a reference to each: the array holds them meanwhile.
  ///
  /// Counting costs as much as reading a number does, and tables read numbers of the same rows again and again.
  package func mapUncounted<Value>(_ body: (Element) throws -> Value) rethrows -> [Value] {
    try withUnsafeBufferPointer { objects in
      try UnsafeBufferPointer(
        start: UnsafeRawPointer(objects.baseAddress)?
          .assumingMemoryBound(to: Unmanaged<Element>.self), count: objects.count
      ).map { try $0._withUnsafeGuaranteedRef(body) }
    }
  }
}
