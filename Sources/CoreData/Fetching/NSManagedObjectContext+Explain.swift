extension NSManagedObjectContext {
  /// Returns how the stores would execute a request: for each of the request's stores that contains the entity, the
  /// statement, its parameters and the database's query plan. Nothing is fetched.
  ///
  /// The statement depends on the request's result type: for a count it counts rows, and for dictionaries it selects
  /// and groups the requested properties. It does not include unsaved changes of this context, which `fetch(_:)`
  /// applies afterwards, nor the queries that read batches and prefetched relationships.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// - Throws: `NSCoreDataError` if the request is invalid or the context has no coordinator; `InvalidPredicateError`
  ///   if the predicate nests too deeply; the errors of the stores; `NSPersistentStoreUnsupportedRequestTypeError` for
  ///   a custom incremental store.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.predicate = NSPredicate(format: "lastName == %@", "Turing")
  /// print(try context.explain(request).flatMap(\.indexes))  // ["Z_Person_byName"]
  /// ```
  public func explain<T>(_ request: NSFetchRequest<T>) throws -> [FetchExplanation] {
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    let read: ReadOperation
    switch request.resultType {
    case .countResultType where request.countsDictionaries:
      read = .dictionaryCount(try DictionaryPlan(request, in: coordinator).query)
    case .dictionaryResultType:
      read = .dictionaries(try DictionaryPlan(request, in: coordinator).query)
    case .countResultType:
      read = .count(try FetchPlan(request, in: coordinator).query)
    default:
      var query = try FetchPlan(request, in: coordinator).query
      query.fetchesValues = request.includesPropertyValues && request.fetchBatchSize == 0
      read = .rows(query)
    }
    return try explanations(read, of: coordinator.stores(for: request, of: read.layout))
  }

  /// Returns the explanations of the stores that contain the entity.
  func explanations(
    _ read: ReadOperation, of stores: [NSPersistentStore]
  ) throws -> [FetchExplanation] {
    try stores.filter { $0.engine.contains(read.layout) }.map { try $0.engine.explain(read) }
  }
}
