extension NSManagedObjectContext {
  /// Calls `body` with the objects of a request batch by batch while the store reads them, so a
  /// result of any size needs the memory of one batch.
  ///
  /// The objects arrive in the request's order, at most 1,024 at a time, with their values. If the
  /// request reads several stores or a custom incremental store, or the store's engine cannot evaluate
  /// its conditions, all objects arrive in one batch, as `fetch(_:)` returns them. The context does not
  /// retain the objects; the caller must keep those that it needs later.
  ///
  /// - Throws: The errors of `fetch(_:)`, and an error if the context has unsaved changes, because the
  ///   batches would lack them. An error that `body` throws ends the reading.
  package func forEachBatch(
    of request: NSFetchRequest<NSManagedObject>, _ body: ([NSManagedObject]) throws -> Void
  ) throws {
    guard !hasChanges else {
      throw CoreDataError.badRequest(
        "a context with unsaved changes cannot be read in batches; save it first")
    }
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    let plan = try FetchPlan(request, in: coordinator)
    let stores = coordinator.stores(for: request, of: plan.layout)
    // Rows of several stores must be merged into the request's order, and conditions that the engine does not
    // evaluate must be tested on the objects. `fetch(_:)` does both, but not batch by batch.
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
      // The engine refuses such a query before it reads a row, so `body` has not received any
      // objects.
      try body(try fetch(request))
    }
  }

  /// Returns the destinations of a to-one relationship of many saved objects, with their values.
  /// Reads the rows of all destinations that are faults with one query for each store. The owners retain the
  /// destinations.
  package func destinations(
    of key: String, for owners: [NSManagedObject?]
  ) throws -> [NSManagedObject?] {
    let destinations = try owners.map { owner in
      try owner.flatMap { try $0.toOneObject(try $0.slotNumber(of: key)) }
    }
    var seen: Set<ObjectIdentifier> = []
    try readRows(
      // Many owners may share a destination, which must be in the query only once.
      of: destinations.compactMap { $0 }.filter { seen.insert(ObjectIdentifier($0)).inserted })
    return destinations
  }

  /// Returns how many members a to-many relationship of saved objects has, without creating objects
  /// for them. Executes one query for each entity of each store among the owners.
  package func memberCounts(of key: String, for owners: [NSManagedObject?]) throws -> [Int] {
    var groups: [[ObjectIdentifier]: [NSManagedObject]] = [:]
    // An unsaved owner has no row, and so no stored members.
    for case let owner? in owners where owner.key > 0 {
      let group = [ObjectIdentifier(owner.origin), ObjectIdentifier(owner.layout)]
      groups[group, default: []].append(owner)
    }
    // Keys are unique within an entity hierarchy of a store, and all owners of a relationship belong
    // to one hierarchy.
    var counts: [ObjectIdentifier: [Int64: Int]] = [:]
    for group in groups.values {
      let origin = group[0].origin
      guard let store = origin.store else { continue }
      try store.engine.members(
        of: try group[0].slotNumber(of: key), layout: group[0].layout,
        owners: Array(Set(group.map(\.key)))
      ) { owner, _, _ in counts[ObjectIdentifier(origin), default: [:]][owner, default: 0] += 1 }
    }
    return owners.map { owner in
      owner.flatMap { counts[ObjectIdentifier($0.origin)]?[$0.key] } ?? 0
    }
  }
}

extension NSManagedObject {
  package final var entityName: String { layout.name }

  /// Returns whether the object has the same entity as another one.
  package final func hasEntity(of other: NSManagedObject) -> Bool { layout === other.layout }

  /// Returns the slot of the property with a name.
  fileprivate func slotNumber(of key: String) throws -> Int {
    guard let slot = layout.slotNumbers[key] else {
      throw CoreDataError.unknownKey(key, in: layout)
    }
    return slot
  }

  /// Returns the ID of a to-one relationship's destination without creating an object for it.
  package func destinationID(forKey key: String) throws -> NSManagedObjectID? {
    try toOneID(try slotNumber(of: key))
  }
}

extension NSManagedObjectID {
  /// The number in the ID: the row's primary key, or a negative number in a temporary ID.
  package var primaryKey: Int64 { key }

  package var entityName: String { layout.name }
}

extension Array where Element: NSManagedObject {
  /// Returns the results of a closure for the objects without retaining them, because the array
  /// does.
  package func mapUncounted<Value>(_ body: (Element) throws -> Value) rethrows -> [Value] {
    // Retaining an object costs as much as reading a number from it, and a table that shows the objects reads their
    // numbers again and again.
    try withUnsafeBufferPointer { objects in
      try UnsafeBufferPointer(
        start: UnsafeRawPointer(objects.baseAddress)?
          .assumingMemoryBound(to: Unmanaged<Element>.self), count: objects.count
      ).map { try $0._withUnsafeGuaranteedRef(body) }
    }
  }
}
