/// Carries out requests to a store by testing all of its objects. Used for predicate blocks, for
/// conditions that are too large for a statement, and for others that the store's engine cannot evaluate.
///
/// Costs at least as much as reading all rows of the entity.
struct ObjectScan: GatheredRowSource {
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let requester: NSManagedObjectContext

  var origin: StoreOrigin { store.engine.origin }

  /// Returns the objects of a query in the requesting context, in the query's order and within its offset and limit.
  func objects(_ query: RowQuery) throws -> [NSManagedObject] {
    try withObjects(query) { found in
      found.map {
        requester.object($0.layout, key: $0.key, origin: $0.origin, $0.snapshot)
      }
    }
  }

  func count(_ query: RowQuery) throws -> Int { try withObjects(query, \.count) }

  /// Calls `body` with the objects of a query, in its order and within its offset and limit.
  ///
  /// Predicate blocks receive objects of the requesting context. Everything else is evaluated with objects of a
  /// temporary context, because those of the requesting context may be outdated or have unsaved changes.
  private func withObjects<Result>(
    _ query: RowQuery, _ body: ([NSManagedObject]) throws -> Result
  ) throws -> Result {
    let query = try answered(query)
    let scanContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    scanContext.persistentStoreCoordinator = coordinator
    // The scan must see the state that the requester's other reads see.
    scanContext.reading.pin(to: requester.reading.generation)
    return try scanContext.performAndWait { try body(objects(query, in: scanContext)) }
  }

  /// Returns the query with each condition that needs objects replaced with the IDs of the objects that satisfy it.
  private func answered(_ query: RowQuery) throws -> RowQuery {
    guard query.needsObjects else { return query }
    var answered = query
    let all = try allObjects(query, in: requester)
    answered.predicate = try query.predicate?.evaluated(on: all, query.layout, query.cancellation)
    return answered
  }

  /// Returns the objects of all rows that a query covers, ignoring its predicate.
  private func allObjects(
    _ query: RowQuery, in context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    var all = FetchPlan(layout: query.layout)
    all.query.includesSubentities = query.includesSubentities
    // Reading all rows may take a long time, so cancelling the request must end it.
    all.query.cancellation = query.cancellation
    return try coordinator.rowObjects(all, of: [store], into: context)
  }

  private func objects(
    _ query: RowQuery, in context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    var objects = try allObjects(query, in: context)
    if query.predicate != nil {
      let membership = ResultMembership(query)
      objects = try objects.filter { object in
        // A predicate may take long for each object, so a cancellation does not wait for the others.
        try query.cancellation?.check()
        return try membership.satisfiesPredicate(object)
      }
    }
    if !query.sorts.isEmpty {
      let order = RowOrder(sorts: query.sorts)
      objects =
        try objects
        // Reads the values once for each object, not for each comparison.
        .map { (object: $0, values: try SortValues(of: $0, by: query.sorts)) }
        .sorted { order.compare($0.values, $1.values) < 0 }
        .map(\.object)
    }
    let rest = objects.dropFirst(query.offset)
    return Array(query.limit > 0 ? rest.prefix(query.limit) : rest)
  }

  /// Calls `body` with the key, entity, version and some values of each object of a query.
  func fetchKeys(
    _ query: RowQuery, values: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws {
    let evaluators = values.map(ValueEvaluator.init)
    try withObjects(query) { objects in
      for object in objects {
        let values = try evaluators.map { try $0.value(of: object) }
        try body(RowCursor(of: object, values))
      }
    }
  }

  var groupsRows: Bool { false }

  func gather(
    _ expressions: [BoundExpression], of query: DictionaryQuery, isGrouped: Bool,
    _ body: ([StoredValue]) throws -> Void
  ) throws {
    try fetchKeys(query.rows, values: expressions) { row in
      try body(expressions.indices.map(row.value))
    }
  }
}

extension RowCursor {
  /// Makes a cursor at the row of an object, with some of its values.
  convenience init(of object: NSManagedObject, _ values: [StoredValue]) {
    self.init(
      layout: object.layout, key: object.primaryKey, origin: object.origin,
      version: object.snapshot.version, values: InMemoryRowValues(values))
  }
}
