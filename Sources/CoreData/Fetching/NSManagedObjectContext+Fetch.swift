extension NSManagedObjectContext {
  /// Fetches the results of a request: objects, object IDs, dictionaries or a count, in the request's order. Objects,
  /// IDs and their count reflect unsaved changes of this context, unless the request excludes them; dictionaries never
  /// do.
  ///
  /// Executes one query for each store, plus those for refreshed objects and prefetched relationships: see
  /// ``NSFetchRequest/relationshipKeyPathsForPrefetching``.
  ///
  /// Compared to Apple's Core Data: an invalid request throws an error with the cause instead of raising an exception.
  ///
  /// - Throws: `NSCoreDataError` if the request is invalid, if its results are not of type `T`, or if the context has
  ///   no coordinator; `InvalidPredicateError` if the predicate nests too deeply or cannot be evaluated; the errors of
  ///   the store.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.predicate = NSPredicate(format: "age > 50")
  /// request.sortDescriptors = [NSSortDescriptor(keyPath: \Person.lastName, ascending: true)]
  /// let people = try context.fetch(request)
  /// ```
  public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
    if isPlain { return try results(of: request) }
    // A subclass can override only the method for untyped requests, so this method calls that one.
    let open = request.converted(to: request.resultType)
    let results = try fetch(open)
    // Only the copy was executed, so the original request gets the entity here.
    if let entity = open.entity { request.resolveEntity(entity) }
    return try typed(results)
  }

  /// Returns the number of results that a fetch with the request would have: objects, IDs or dictionaries.
  ///
  /// It respects the request's limit and offset, and for objects and IDs the unsaved changes of this context. For
  /// dictionaries it is the number of distinct values, groups or aggregate rows, as requested. A request of the type
  /// `.countResultType` counts objects, or the distinct values of `propertiesToFetch` if it requests distinct results.
  /// Executes one query for each store. Creates no results unless unsaved changes affect them.
  ///
  /// - Throws: The errors of `fetch(_:)`.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.predicate = NSPredicate(format: "age > 50")
  /// print(try context.count(for: request))  // 3
  /// ```
  public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    if isPlain { return try countResults(of: request) }
    return try count(for: request.converted(to: request.resultType))
  }

  /// Returns the results of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - preread: The rows of the request, if they were already read.
  ///   - cancellation: Ends the reading of this request alone. Fetches that it causes, such as those of observers and in
  ///     `awakeFromFetch`, run to completion.
  func results<T>(
    of request: NSFetchRequest<T>, preread: PrefetchedRows? = nil,
    cancelledBy cancellation: Cancellation? = nil
  ) throws -> [T] {
    requireQueue()
    let results: [Any]
    switch request.resultType {
    case .dictionaryResultType:
      results =
        try preread?.dictionaries.map { NSDictionary(dictionary: $0) }
        ?? dictionaries(request, cancellation)
    case .countResultType:
      results = [NSNumber(value: try countResults(of: request, cancelledBy: cancellation))]
    default:
      let objects = try objects(request, preread, cancellation)
      if request.resultType != .managedObjectIDResultType {
        return try castObjects(objects)
      }
      results = objects.map(\.ownID)
    }
    return try typed(results)
  }

  /// Casts objects to the requested type. It checks each object only if their entities do not determine the type.
  private func castObjects<T>(_ objects: [NSManagedObject]) throws -> [T] {
    if T.self is NSManagedObject.Type, let layout = objects.first?.layout.root,
      layout.family.allSatisfy({ $0.managedObjectClass is T.Type })
    {
      // The classes of the whole hierarchy are subclasses of the type, so every object has the type.
      // A cast would check each object and copy the array.
      return unsafeBitCast(objects, to: [T].self)
    }
    if let typed = objects as? [T] { return typed }
    return try typed(objects)
  }

  private func typed<T>(_ results: [Any]) throws -> [T] {
    if let typed = results as? [T] { return typed }
    let wrong = results.first { !($0 is T) }
    throw CoreDataError.badRequest(
      "the request returns \(wrong.map { "\(Swift.type(of: $0))" } ?? "nothing"), which is not"
        + " \(T.self)")
  }

  func countResults<T>(
    of request: NSFetchRequest<T>, cancelledBy cancellation: Cancellation? = nil
  ) throws -> Int {
    requireQueue()
    // Carries out delete rules, which may change the number of results.
    processPendingChanges()
    if request.countsDictionaries {
      let (source, plan, stores) = try dictionaryPlan(request, cancellation)
      return try source.countDictionaries(plan, in: stores, for: self)
    }
    let (plan, stores) = try plan(request, cancellation)
    return try count(plan, in: stores)
  }

  /// Returns the number of results of a plan in this context.
  func count(_ plan: FetchPlan, in stores: [NSPersistentStore]) throws -> Int {
    guard let source else { throw noCoordinator }
    if plan.includesPendingChanges, try !overlay(plan).isEmpty {
      return try objects(plan, from: stores, batchSize: 0).count
    }
    return try source.countRows(plan, in: stores, for: self)
  }

  func plan<T>(
    _ request: NSFetchRequest<T>, _ cancellation: Cancellation? = nil
  ) throws -> (FetchPlan, [NSPersistentStore]) {
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    // Without this call, a row that the root context has saved could get a second object, in addition to the one that
    // still has a temporary ID.
    adoptPermanentIDs()
    var plan = try FetchPlan(request, in: coordinator)
    if let cancellation { plan.query.cancellation = cancellation }
    return (plan, coordinator.stores(for: request, of: plan.layout))
  }

  private func dictionaryPlan<T>(
    _ request: NSFetchRequest<T>, _ cancellation: Cancellation?
  ) throws -> (any ObjectSource, DictionaryPlan, [NSPersistentStore]) {
    guard let source, let coordinator = source.rootCoordinator else { throw noCoordinator }
    adoptPermanentIDs()
    var plan = try DictionaryPlan(request, in: coordinator)
    if let cancellation { plan.rows.query.cancellation = cancellation }
    return (source, plan, coordinator.stores(for: request, of: plan.rows.layout))
  }

  private func dictionaries<T>(
    _ request: NSFetchRequest<T>, _ cancellation: Cancellation?
  ) throws -> [Any] {
    let (source, plan, stores) = try dictionaryPlan(request, cancellation)
    // As in Apple's Core Data, dictionaries never include unsaved changes (`FetchFactTests`).
    return try source.readDictionaries(plan, from: stores, for: self)
      .map { NSDictionary(dictionary: $0) }
  }

  private func objects<T>(
    _ request: NSFetchRequest<T>, _ preread: PrefetchedRows?, _ cancellation: Cancellation?
  ) throws -> [NSManagedObject] {
    processPendingChanges()
    var (plan, stores) = try plan(request, cancellation)
    plan.preread = preread
    // With a batch size, values are read later, batch by batch.
    plan.query.fetchesValues = request.includesPropertyValues && request.fetchBatchSize == 0
    let objects = try objects(
      plan, from: stores, batchSize: request.fetchBatchSize,
      refreshing: request.shouldRefreshRefetchedObjects)
    if !request.returnsObjectsAsFaults { for object in objects { try object.fire() } }
    try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, plan.layout)
    return objects
  }

  /// Returns the results of a plan in order, including unsaved changes of this context.
  func objects(
    _ plan: FetchPlan, from stores: [NSPersistentStore], batchSize: Int, refreshing: Bool = false
  ) throws -> [NSManagedObject] {
    guard let source else { throw noCoordinator }
    var plan = plan
    let overlay = plan.includesPendingChanges ? try overlay(plan) : FetchOverlay()
    let (limit, offset) = (plan.query.limit, plan.query.offset)
    let isOrdered = source.returnsSingleOrder(of: stores)
    if !overlay.isEmpty || !isOrdered {
      // Changed objects are removed from the rows and inserted at their current positions, so more
      // rows must be read than the limit.
      if limit > 0 { plan.query.limit = limit + offset + overlay.excluded.count }
      plan.query.offset = 0
    }
    // Prefetched members become objects first, because their rows are older than those that are read now.
    if refreshing { makeMembersReadAhead() }
    var objects = try source.readObjects(plan, from: stores, batchSize: batchSize, into: self)
    // A parent context assigns rows on its own queue, which does not schedule processing in this context.
    if !pending.replaced.isEmpty { scheduleProcessing() }
    if refreshing { try refreshRefetched(objects) }
    if !overlay.isEmpty || !isOrdered {
      objects = try overlay.applied(
        to: objects, RowOrder(sorts: plan.sorts), isSorted: isOrdered)
      objects = Array(objects.dropFirst(offset))
      if limit > 0 { objects = Array(objects.prefix(limit)) }
    }
    return objects
  }

  /// Refreshes the objects that are not faults with the store's current rows. Keeps their unsaved changes.
  func refreshRefetched(_ objects: [NSManagedObject]) throws {
    let realized = objects.filter { !$0.flags.contains(.fault) }
    refreshContents(of: realized)
    try readRows(of: realized)
    for object in realized {
      pending.refresh(object)
      try object.fire()
    }
    if !realized.isEmpty { scheduleProcessing() }
  }

  /// Reads the destinations of relationship key paths for many objects at once.
  func prefetch(
    _ keyPaths: [String]?, of objects: [NSManagedObject], _ layout: EntityLayout
  ) throws {
    for keyPath in keyPaths ?? [] { try prefetch(keyPath, of: objects, layout) }
  }

  private func prefetch(
    _ keyPath: String, of objects: [NSManagedObject], _ layout: EntityLayout
  ) throws {
    var owners = objects
    var layout = layout
    let keys = keyPath.split(separator: ".")
    for (position, key) in keys.enumerated() {
      guard let slot = layout.slot(named: String(key)), let relationship = slot.relationship else {
        throw CoreDataError.badRequest(
          "cannot prefetch \(keyPath): \(layout.name) has no relationship \(key)")
      }
      if slot.kind == .toOne {
        owners = try prefetchToOne(slot, of: owners)
      } else {
        try prefetchToMany(slot, of: owners)
        let isLast = position == keys.count - 1
        // Members at the end of the path usually remain rows without objects until the relationship is accessed.
        // Members earlier on the path must be objects, because their relationships are read next.
        owners = isLast ? [] : try owners.flatMap { try $0.toManyObjects(slot.index) }
      }
      layout = relationship.destination
    }
  }

  private func prefetchToOne(
    _ slot: PropertySlot, of owners: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    var destinations = ChangeList()
    for owner in owners {
      if let object = try owner.toOneObject(slot.index) { destinations.insert(object) }
    }
    try readRows(of: Array(destinations))
    return Array(destinations)
  }

  /// Reads the members of a relationship for many objects at once.
  func prefetchToMany(_ slot: PropertySlot, of owners: [NSManagedObject]) throws {
    let unread = owners.filter {
      !$0.flags.contains(.inserted) && !$0.unreadContent(slot.index).isLoaded
    }
    try readRows(together: unread)
    let faults = try readMembersAndRows(of: slot, owners: unread)
    try readRows(together: faults)
    // Fires the faults now. Fetching a fault again would release its prefetched members.
    for owner in unread { try owner.fire() }
  }
}
