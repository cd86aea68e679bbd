extension NSManagedObjectContext {
  /// The results of a request as a list that makes its objects when they are asked for; see
  /// ``BatchedResults``. Only keys are read: a million rows take 8 MB and no objects.
  ///
  /// Where unsaved changes of this context are among the results, or rows of several stores, or where
  /// the context has a parent, the results are fetched as `fetch(_:)` does, and the list holds them.
  /// The request's batch size is that of the list; 1,024 where it is 0.
  ///
  /// - Throws: As `fetch(_:)`.
  public func fetchInBatches<Result: NSManagedObject>(
    _ request: NSFetchRequest<Result>
  ) throws -> BatchedResults<Result> {
    let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : RowBatch.maximumCount
    guard let keys = try keys(of: request) else {
      return BatchedResults(try fetch(request), batchSize: size, in: self)
    }
    return BatchedResults(keys, batchSize: size, in: self)
  }

  /// The keys of a request's results; nil where keys alone do not say what the results are.
  private func keys<Result: NSManagedObject>(
    of request: NSFetchRequest<Result>
  ) throws -> KeyList? {
    requireQueue()
    guard isPlain, let coordinator = source as? NSPersistentStoreCoordinator,
      request.returnsObjectsAsFaults,
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
