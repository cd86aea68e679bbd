/// Reads a request's rows in the background and creates objects from them on the context's queue.
///
/// The results include changes made in the context in the meantime, as in any fetch: only the rows are read early. If
/// the context saved or merged changes in the meantime, the rows are older than the context's objects and are read
/// again. Results from a parent context or a custom incremental store, counts, and results of predicates that need
/// objects, cannot be read without the context, so they are fetched on its queue. A cancellation ends such a fetch, too.
final class AsynchronousFetch<ResultType: NSFetchRequestResult>: @unchecked Sendable {
  private let request: NSAsynchronousFetchRequest<ResultType>
  /// The fetch request, with the stores to read.
  private let fetch: NSFetchRequest<ResultType>
  private let context: NSManagedObjectContext
  private let result: NSAsynchronousFetchResult<ResultType>
  private let progress: Progress
  private let cancellation = Cancellation()
  private var reading: (() throws -> PrefetchedRows)?
  /// The value of `newsCount` when reading started.
  private var newsCount = 0
  private var attempts = 0
  /// The maximum number of times that rows are read in the background. Without a limit, rows would
  /// be read forever if the context merged changes during each attempt. After the last attempt,
  /// rows are read on the context's queue.
  private static var maximumAttempts: Int { 3 }

  init(_ request: NSAsynchronousFetchRequest<ResultType>, in context: NSManagedObjectContext) {
    self.request = request
    self.context = context
    var fetch = request.fetchRequest
    // The outer request's stores apply only if the fetch request specifies none. They are set in a
    // copy, because the program may execute the fetch request again.
    if fetch.affectedStores == nil, let stores = request.affectedStores {
      fetch = NSFetchRequest<ResultType>()
      request.fetchRequest.copyState(to: fetch)
      fetch.affectedStores = stores
    }
    self.fetch = fetch
    progress = Progress(parent: Progress.current(), userInfo: nil)
    // A negative count makes the progress indeterminate.
    progress.totalUnitCount =
      request.estimatedResultCount > 0 ? Int64(request.estimatedResultCount) : -1
    result = NSAsynchronousFetchResult(request, context, progress: progress)
    progress.isCancellable = true
    // Captures only the cancellation: `self` retains the progress, and thus its handler.
    progress.cancellationHandler = { [cancellation] in cancellation.cancel() }
  }

  /// Starts the fetch.
  ///
  /// - Throws: An error if the request is invalid, or if the context has no coordinator.
  func start() throws -> NSPersistentStoreResult {
    try prepare()
    startReading()
    return result
  }

  /// Reads in the background, then finishes with the rows on the context's queue.
  private func startReading() {
    attempts += 1
    // The count is recorded before the rows are read, so that a merge during the reading is detected.
    newsCount = context.reading.newsCount
    DispatchQueue.global().async { [self] in
      let rows = Result { try reading?() }
      context.perform { [self] in finish(rows) }
    }
  }

  /// Determines on the context's queue what to read, and from which engines.
  private func prepare() throws {
    reading = nil
    guard let coordinator = context.persistentStoreCoordinator else { throw context.noCoordinator }
    var plan = try FetchPlan(fetch, in: coordinator)
    request.fetchRequest.resolveEntity(plan.layout.entity)
    plan.query.fetchesValues = fetch.includesPropertyValues && fetch.fetchBatchSize == 0
    plan.query.cancellation = cancellation
    var dictionaries: DictionaryPlan?
    if fetch.resultType == .dictionaryResultType {
      dictionaries = try DictionaryPlan(fetch, in: coordinator)
      dictionaries?.rows.query.cancellation = cancellation
    }
    // If `reading` stays nil, everything is fetched on the context's queue: only a context can read from its parent,
    // and counting returns no rows.
    guard context.parent == nil, fetch.resultType != .countResultType, !plan.query.needsObjects
    else {
      return
    }
    let engines = try coordinator.stores(for: fetch, of: plan.layout).map {
      try context.engine(of: $0)
    }
    guard engines.allSatisfy(\.readsRowsTogether) else { return }
    let (finalQuery, finalDictionaries) = (plan.query, dictionaries?.query)
    reading = { [progress, cancellation] in
      let rows = PrefetchedRows(finalQuery)
      if let finalDictionaries {
        rows.dictionaries = try finalDictionaries.dictionaries(in: engines)
        return rows
      }
      for engine in engines {
        let capacity = finalQuery.limit > 0 ? finalQuery.limit : RowBatch.maximumCount
        try engine.fetch(finalQuery, batchCapacity: capacity) { batch in
          try cancellation.check()
          rows.add(batch, of: engine.origin)
          progress.completedUnitCount += Int64(batch.count)
        }
      }
      return rows
    }
  }

  private func finish(_ rows: Result<PrefetchedRows?, any Error>) {
    do {
      var rows: PrefetchedRows? =
        switch rows {
        case .success(let rows): rows
        // Without rows, the context fetches on its queue, and evaluates the predicate in memory if the store's engine
        // leaves that to it.
        case .failure(let error) where StatementLimit.isCause(of: error): nil
        case .failure(let error): throw error
        }
      try checkCancellation()
      // The context has saved or merged changes in the meantime, so the rows are older than its
      // objects.
      if rows != nil, context.reading.newsCount != newsCount {
        if attempts < Self.maximumAttempts {
          progress.completedUnitCount = 0
          // Binds the request again, because objects in its predicate may have permanent IDs by now.
          try prepare()
          return startReading()
        }
        // The context then reads the rows on its queue, where no merge can run between reading and using them.
        rows = nil
      }
      // Applies the unsaved changes, even those that were made while the rows were read
      // (`AsynchronousFetchTests`).
      let results: [ResultType] = try context.results(
        of: fetch, preread: rows, cancelledBy: cancellation)
      // Nothing interrupts a custom incremental store, or the creation of objects from rows.
      try checkCancellation()
      progress.totalUnitCount = Int64(results.count)
      progress.completedUnitCount = Int64(results.count)
      result.finish(results)
    } catch {
      result.fail(error)
    }
    request.completionBlock?(result)
  }

  /// Throws an error if the request was cancelled.
  private func checkCancellation() throws {
    // The progress may not have called its cancellation handler yet.
    if progress.isCancelled { cancellation.cancel() }
    try cancellation.check()
  }
}

/// Rows that were read before the fetch that uses them.
final class PrefetchedRows: @unchecked Sendable {
  private let limit: Int
  private let offset: Int
  private var batches: [ObjectIdentifier: [RowBatch]] = [:]
  var dictionaries: [[String: Any]] = []

  init(_ plan: RowQuery) {
    limit = plan.limit
    offset = plan.offset
  }

  func add(_ batch: RowBatch, of origin: StoreOrigin) {
    batches[ObjectIdentifier(origin), default: []].append(batch)
  }

  /// Returns a store's rows; nil if the plan now needs other rows, because of unsaved changes.
  func rows(of origin: StoreOrigin, _ plan: RowQuery) -> [RowBatch]? {
    guard limit == plan.limit, offset == plan.offset else { return nil }
    return batches[ObjectIdentifier(origin)] ?? []
  }
}

extension NSFetchRequest {
  /// Fetches the results and returns them as the result of a completed asynchronous fetch.
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let result = NSAsynchronousFetchResult(
      NSAsynchronousFetchRequest(fetchRequest: self), context, progress: nil)
    result.finish(try context.fetch(self))
    return result
  }
}
