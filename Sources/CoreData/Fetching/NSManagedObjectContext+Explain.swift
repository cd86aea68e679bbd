extension NSManagedObjectContext {
  /// How the stores would answer a request: for each store that keeps the entity its statement,
  /// the statement's parameters and the database's plan. Nothing is fetched.
  ///
  /// The request's result type decides: a request for a count gives the counting statement, one
  /// for dictionaries the grouping one. Unsaved changes of this context, which `fetch(_:)` folds in
  /// afterwards, and the reading of batches and of prefetched relationships are not part of it.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// - Throws: as `fetch(_:)` does: `NSCoreDataError` for a mistake in the request; the store's
  ///   errors.
  public func explain<T>(_ request: NSFetchRequest<T>) throws -> [FetchExplanation] {
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    let read: ReadOperation
    switch request.resultType {
    case .countResultType where request.countsDictionaries:
      read = .dictionaryCount(try DictionaryPlan(request, in: coordinator.layouts).query)
    case .dictionaryResultType:
      read = .dictionaries(try DictionaryPlan(request, in: coordinator.layouts).query)
    case .countResultType:
      read = .count(try FetchPlan(request, in: coordinator.layouts).query)
    default:
      var query = try FetchPlan(request, in: coordinator.layouts).query
      query.fetchesValues = request.includesPropertyValues && request.fetchBatchSize == 0
      read = .rows(query)
    }
    return try explanations(read, of: coordinator.stores(for: request, of: read.layout))
  }

  /// The explanations of the stores that keep the entity.
  func explanations(
    _ read: ReadOperation, of stores: [NSPersistentStore]
  ) throws -> [FetchExplanation] {
    try stores.filter { $0.engine.contains(read.layout) }.map { try $0.engine.explain(read) }
  }
}
