extension NSManagedObjectContext {
  /// Fetches results as a collection that creates its objects when they are accessed; see ``BatchedResults``.
  /// The method reads only keys: a million rows take 8 MB, or 10 MB if the entity has subentities, and no objects are
  /// created. The batch size is that of the request, or 1,024 if that is 0.
  ///
  /// In these cases, the method calls `fetch(_:)` instead, and the collection retains all objects:
  ///
  /// * Unsaved changes of this context affect the results.
  /// * No store or several stores contain the entity, or its store is a custom incremental store.
  /// * The context has a parent, or is an instance of a subclass.
  /// * The request does not return faults, refreshes objects, or prefetches relationships.
  /// * The request does not return objects, or the class of an entity is not `Result` or a subclass of it.
  ///
  /// - Throws: The errors of `fetch(_:)`.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.sortDescriptors = [NSSortDescriptor(keyPath: \Person.lastName, ascending: true)]
  /// request.fetchBatchSize = 100
  /// let people = try context.fetchInBatches(request)
  /// print(people.count, people[0].lastName)
  /// ```
  public func fetchInBatches<Result: NSManagedObject>(
    _ request: NSFetchRequest<Result>
  ) throws -> BatchedResults<Result> {
    let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : RowBatch.maximumCount
    guard let keys = try keys(of: request) else {
      return BatchedResults(try fetch(request), batchSize: size, in: self)
    }
    return BatchedResults(keys, batchSize: size, in: self)
  }

  /// Returns the keys of a request's results; nil if the results cannot be represented by keys alone.
  private func keys<Result: NSManagedObject>(
    of request: NSFetchRequest<Result>
  ) throws -> KeyList? {
    requireQueue()
    // A subclass of the context may override `fetch(_:)`, and these properties of the request require objects.
    guard isPlain, let coordinator = source as? NSPersistentStoreCoordinator,
      request.resultType == .managedObjectResultType, request.returnsObjectsAsFaults,
      !request.shouldRefreshRefetchedObjects,
      request.relationshipKeyPathsForPrefetching?.isEmpty != false
    else { return nil }
    processPendingChanges()
    var (plan, stores) = try plan(request)
    guard stores.count == 1,
      plan.layout.family.allSatisfy({ $0.managedObjectClass is Result.Type }),
      try !plan.includesPendingChanges || overlay(plan).isEmpty
    else { return nil }
    let engine = try engine(of: stores[0])
    guard engine.readsRowsTogether else { return nil }
    plan.query.fetchesValues = false
    var keys = KeyList(plan.layout, engine.origin)
    if engine.leavesRestToObjects {
      try coordinator.readKeys(plan, values: [], from: stores, for: self) { keys.append($0) }
    } else {
      try engine.fetch(plan.query, batchCapacity: RowBatch.maximumCount) { keys.append($0) }
    }
    return keys
  }
}
