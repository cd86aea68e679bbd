/// Reads a request's rows in the background and makes objects of them on the context's queue.
///
/// What was changed in the context meanwhile counts as in any fetch: the rows are only read early. If the context
/// saved or merged something meanwhile, the rows are older than what it knows and are read again.
/// What cannot be read without the context (a parent's objects, a store of the program's own) is
/// fetched on its queue.
final class AsynchronousFetch<ResultType: NSFetchRequestResult>: @unchecked Sendable {
  private let request: NSAsynchronousFetchRequest<ResultType>
  private let context: NSManagedObjectContext
  private let result: NSAsynchronousFetchResult<ResultType>
  private let progress: Progress
  private let cancellation = Cancellation()
  private var reading: (() throws -> PrefetchedRows)?
  /// `NSManagedObjectContext.newsCount` when the rows were asked for.
  private var newsCount = 0
  private var attempts = 0
  /// How often rows are read in the background; a context that merges all the time reads them on its queue then.
  private static var maximumAttempts: Int { 3 }

  init(_ request: NSAsynchronousFetchRequest<ResultType>, in context: NSManagedObjectContext) {
    self.request = request
    self.context = context
    progress = Progress(parent: Progress.current(), userInfo: nil)
    progress.totalUnitCount =
      request.estimatedResultCount > 0 ? Int64(request.estimatedResultCount) : -1
    result = NSAsynchronousFetchResult(request, context, progress: progress)
    progress.isCancellable = true
    progress.cancellationHandler = { [cancellation] in cancellation.cancel() }
  }

  /// Begins; a mistake in the request is thrown at once.
  func start() throws -> NSPersistentStoreResult {
    if request.fetchRequest.affectedStores == nil {
      request.fetchRequest.affectedStores = request.affectedStores
    }
    try prepare()
    startReading()
    return result
  }

  /// Reads in the background, and goes on with the rows on the context's queue.
  private func startReading() {
    attempts += 1
    newsCount = context.reading.newsCount
    DispatchQueue.global().async { [self] in
      let rows = Result { try reading?() }
      context.perform { [self] in finish(rows) }
    }
  }

  /// Finds out on the context's queue what is to be read, and by which engines.
  private func prepare() throws {
    let fetch = request.fetchRequest
    guard let coordinator = context.persistentStoreCoordinator else { throw context.noCoordinator }
    var plan = try FetchPlan(fetch, in: coordinator.layouts)
    plan.query.fetchesValues = fetch.includesPropertyValues && fetch.fetchBatchSize == 0
    plan.query.cancellation = cancellation
    var dictionaries: DictionaryPlan?
    if fetch.resultType == .dictionaryResultType {
      dictionaries = try DictionaryPlan(fetch, in: coordinator.layouts)
      dictionaries?.rows.query.cancellation = cancellation
    }
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
      // The handler of a cancelled progress may come later than this.
      if progress.isCancelled { cancellation.cancel() }
      var rows: PrefetchedRows? =
        switch rows {
        case .success(let rows): rows
        // The context knows what to do where the store is one in memory.
        case .failure(let error) where StatementLimit.isCause(of: error): nil
        case .failure(let error): throw error
        }
      try cancellation.check()
      if rows != nil, context.reading.newsCount != newsCount {
        if attempts < Self.maximumAttempts {
          progress.completedUnitCount = 0
          try prepare()
          return startReading()
        }
        rows = nil
      }
      let results: [ResultType] = try context.results(of: request.fetchRequest, preread: rows)
      progress.totalUnitCount = Int64(results.count)
      progress.completedUnitCount = Int64(results.count)
      result.finish(results)
    } catch {
      result.fail(error)
    }
    request.completionBlock?(result)
  }
}

/// Rows that were read before the fetch they are for.
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

  /// A store's rows; nil when the plan asks for others by now, because unsaved changes take places
  /// among them.
  func rows(of origin: StoreOrigin, _ plan: RowQuery) -> [RowBatch]? {
    guard limit == plan.limit, offset == plan.offset else { return nil }
    return batches[ObjectIdentifier(origin)] ?? []
  }
}

extension NSFetchRequest {
  /// The results as an asynchronous fetch that is complete.
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let result = NSAsynchronousFetchResult(
      NSAsynchronousFetchRequest(fetchRequest: self), context, progress: nil)
    result.finish(try context.fetch(self))
    return result
  }
}
