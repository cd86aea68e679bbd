extension NSManagedObjectContext {
  /// The results of a request: objects, object IDs, dictionaries or one count, in the request's
  /// order; unsaved changes of this context count.
  ///
  /// One query, plus one for each prefetched relationship.
  ///
  /// Compared to Apple's Core Data: a mistake in the request is thrown, with its cause, rather
  /// than raised.
  ///
  /// - Throws: `NSCoreDataError` for a mistake in the request; the store's errors.
  public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
    if isPlain { return try results(of: request) }
    let open = request.converted(to: request.resultType)
    let results = try fetch(open)
    if let entity = open.entity { request.resolveEntity(entity) }
    return try typed(results)
  }

  /// Returns how many results a fetch with the request would have: objects, IDs or dictionaries.
  ///
  /// The request's limit and offset count, as unsaved changes of this context do for objects and IDs.
  /// For dictionaries the number is that of distinct values, groups or aggregated rows, where the request
  /// asks for such. A request of the type `.countResultType` counts objects; if it asks for distinct
  /// results of some `propertiesToFetch`, these. One query for each store; no results are made, except
  /// where unsaved changes are among them.
  ///
  /// - Throws: As `fetch(_:)`.
  public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    if isPlain { return try countResults(of: request) }
    return try count(for: request.converted(to: request.resultType))
  }

  /// The results of a request, whose rows may have been read already.
  func results<T>(of request: NSFetchRequest<T>, preread: PrefetchedRows? = nil) throws -> [T] {
    requireQueue()
    let results: [Any]
    switch request.resultType {
    case .dictionaryResultType:
      results =
        try preread?.dictionaries.map { NSDictionary(dictionary: $0) } ?? dictionaries(request)
    case .countResultType: results = [NSNumber(value: try countResults(of: request))]
    default:
      let objects = try objects(request, preread)
      if request.resultType != .managedObjectIDResultType {
        return try castObjects(objects)
      }
      results = objects.map(\.objectID)
    }
    return try typed(results)
  }

  /// Objects as those of the type that is asked for; looks at each only where their entities leave it
  /// open.
  private func castObjects<T>(_ objects: [NSManagedObject]) throws -> [T] {
    if T.self is NSManagedObject.Type, let layout = objects.first?.layout.root,
      layout.family.allSatisfy({ $0.managedObjectClass is T.Type })
    {
      return unsafeBitCast(objects, to: [T].self)
    }
    if let typed = objects as? [T] { return typed }
    return try typed(objects)
  }

  private func typed<T>(_ results: [Any]) throws -> [T] {
    if let typed = results as? [T] { return typed }
    let wrong = results.first { !($0 is T) }
    throw CoreDataError.badRequest(
      "the request gives \(wrong.map { "\(Swift.type(of: $0))" } ?? "nothing"), which is not"
        + " \(T.self)")
  }

  func countResults<T>(of request: NSFetchRequest<T>) throws -> Int {
    requireQueue()
    processPendingChanges()
    if request.countsDictionaries {
      let (source, plan, stores) = try dictionaryPlan(request)
      return try source.countDictionaries(plan, in: stores, for: self)
    }
    let (plan, stores) = try plan(request)
    return try count(plan, in: stores)
  }

  /// Returns how many results a plan has here.
  func count(_ plan: FetchPlan, in stores: [NSPersistentStore]) throws -> Int {
    guard let source else { throw noCoordinator }
    if plan.includesPendingChanges, try !overlay(plan).isEmpty {
      return try objects(plan, from: stores, batchSize: 0).count
    }
    return try source.countRows(plan, in: stores, for: self)
  }

  func plan<T>(
    _ request: NSFetchRequest<T>
  ) throws -> (FetchPlan, [NSPersistentStore]) {
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    adoptPermanentIDs()
    let plan = try FetchPlan(request, in: coordinator.layouts)
    return (plan, coordinator.stores(for: request, of: plan.layout))
  }

  private func dictionaryPlan<T>(
    _ request: NSFetchRequest<T>
  ) throws -> (any ObjectSource, DictionaryPlan, [NSPersistentStore]) {
    guard let source, let coordinator = source.rootCoordinator else { throw noCoordinator }
    adoptPermanentIDs()
    let plan = try DictionaryPlan(request, in: coordinator.layouts)
    return (source, plan, coordinator.stores(for: request, of: plan.rows.layout))
  }

  private func dictionaries<T>(_ request: NSFetchRequest<T>) throws -> [Any] {
    let (source, plan, stores) = try dictionaryPlan(request)
    return try source.readDictionaries(plan, from: stores, for: self)
      .map { NSDictionary(dictionary: $0) }
  }

  private func objects<T>(
    _ request: NSFetchRequest<T>, _ preread: PrefetchedRows?
  ) throws -> [NSManagedObject] {
    processPendingChanges()
    var (plan, stores) = try plan(request)
    plan.preread = preread
    plan.query.fetchesValues = request.includesPropertyValues && request.fetchBatchSize == 0
    let objects = try objects(
      plan, from: stores, batchSize: request.fetchBatchSize,
      refreshing: request.shouldRefreshRefetchedObjects)
    if !request.returnsObjectsAsFaults { for object in objects { try object.fire() } }
    try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, plan.layout)
    return objects
  }

  /// The results of a plan in order, unsaved changes of this context folded in.
  func objects(
    _ plan: FetchPlan, from stores: [NSPersistentStore], batchSize: Int, refreshing: Bool = false
  ) throws -> [NSManagedObject] {
    guard let source else { throw noCoordinator }
    var plan = plan
    let overlay = plan.includesPendingChanges ? try overlay(plan) : FetchOverlay()
    let (limit, offset) = (plan.query.limit, plan.query.offset)
    let isOrdered = source.returnsSingleOrder(of: stores)
    if !overlay.isEmpty || !isOrdered {
      // Changed objects are taken out of the rows and put back where they belong now, so as many
      // rows more are needed.
      if limit > 0 { plan.query.limit = limit + offset + overlay.excluded.count }
      plan.query.offset = 0
    }
    // What is read now is newer than what was read ahead.
    if refreshing { makeMembersReadAhead() }
    var objects = try source.readObjects(plan, from: stores, batchSize: batchSize, into: self)
    // A parent gives objects their rows on its own queue, where nothing of this context is scheduled.
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

  /// Takes the store's present rows for objects without unsaved changes.
  func refreshRefetched(_ objects: [NSManagedObject]) throws {
    let realized = objects.filter { !$0.isFault }
    refreshContents(of: realized)
    try readRows(of: realized)
    for object in realized {
      pending.refresh(object)
      try object.fire()
    }
    if !realized.isEmpty { scheduleProcessing() }
  }

  /// Reads the destinations of relationship paths for many objects at once.
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

  /// Reads the members of a relationship of many objects at once.
  func prefetchToMany(_ slot: PropertySlot, of owners: [NSManagedObject]) throws {
    let unread = owners.filter {
      !$0.flags.contains(.inserted) && !$0.unreadContent(slot.index).isLoaded
    }
    try readRows(together: unread)
    let faults = try readMembersAndRows(of: slot, owners: unread)
    try readRows(together: faults)
    // What a fault holds is let go when it is fetched again.
    for owner in unread { try owner.fire() }
  }
}
