/// Executes a history request in its stores.
struct HistoryExecution {
  private let coordinator: NSPersistentStoreCoordinator
  private let request: NSPersistentHistoryChangeRequest
  private let cancellation = Cancellation.ofRequest

  /// A store to query and its engine.
  private struct QueriedStore {
    let store: NSPersistentStore
    let engine: any HistoryEngine
  }

  init(_ request: NSPersistentHistoryChangeRequest, in context: NSManagedObjectContext) throws {
    guard let coordinator = context.persistentStoreCoordinator else { throw context.noCoordinator }
    self.coordinator = coordinator
    self.request = request
  }

  func run() throws -> NSPersistentHistoryResult {
    let stores = try stores()
    if request.isDeletion {
      let count = try stores.reduce(0) { try $0 + delete(in: $1) }
      return NSPersistentHistoryResult(
        request.resultType == .count ? count : true, request.resultType)
    }
    let query = try HistoryQuery(request)
    let parts = try stores.map { try read(query, $0) }
    return NSPersistentHistoryResult(
      try HistoryResultBuilder(query, parts).result, request.resultType)
  }

  /// Returns the stores to query that have a history.
  private func stores() throws -> [QueriedStore] {
    let open = coordinator.persistentStores
    // A store of another coordinator, or one that was removed, is not queried.
    let queried =
      (request.affectedStores ?? request.fetchRequest?.affectedStores)
      .map { $0.filter { store in open.contains { $0 === store } } } ?? open
    let stores = queried.compactMap { store -> QueriedStore? in
      guard let engine = store.engine as? any HistoryEngine, engine.keepsHistory else { return nil }
      return QueriedStore(store: store, engine: engine)
    }
    if stores.isEmpty {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "none of the request's stores has a persistent history: open a SQLite store with"
          + " NSPersistentHistoryTrackingKey")
    }
    return stores
  }

  // MARK: Fetching

  private func read(_ query: HistoryQuery, _ queried: QueriedStore) throws -> HistoryPart {
    let origin = queried.engine.origin
    let part = try queried.engine.readHistory(cancellation) { state -> HistoryPart in
      let bound = try bound(queried, state)
      let predicates = HistoryPredicate(
        identifier: origin.identifier, origin: origin, model: coordinator.layouts)
      var part = HistoryPart(origin: origin)
      if query.isOfChanges {
        part.changes = try query.selected(
          from: try state.changes(bound, numbers: nil, limit: query.changeLimit), predicates
        ) { ChangeKeys(row: $0, origin: origin) }
        let numbers = Set(part.changes.map(\.transaction))
        part.transactions = try state.transactions(bound, numbers: numbers.sorted(), HistorySlice())
      } else {
        part.transactions = try query.selected(
          from: try state.transactions(bound, numbers: nil, query.slice), predicates
        ) { TransactionKeys(row: $0, storeID: origin.identifier) }
        if query.needsChanges {
          // A list of the numbers of all transactions could be very long, and would select the same
          // rows.
          let isAll = query.predicate == nil && query.limit == 0
          part.changes =
            isAll
            ? try state.changes(bound, numbers: nil, limit: nil)
            : try state.changes(.all, numbers: part.transactions.map(\.number), limit: nil)
        }
      }
      try cancellation?.check()
      return part
    }
    return part ?? HistoryPart(origin: origin)
  }

  private func bound(_ queried: QueriedStore, _ state: any HistoryState) throws -> HistoryBound {
    let identifier = queried.engine.origin.identifier
    let number: Int64
    switch request.boundary {
    case .none: return .all
    case .date(let date): return .afterDate(date)
    case .token(let token):
      // A token that does not contain this store precedes all transactions of the store.
      guard let found = token.numbers[identifier] else { return .all }
      number = found
    case .transaction(let transaction):
      guard transaction.storeID == identifier else { return .all }
      number = transaction.transactionNumber
    }
    guard try state.isComplete(after: number) else {
      let path = queried.store.url?.resolvingSymlinksInPath().path ?? ""
      throw CoreDataError.make(
        NSPersistentHistoryTokenExpiredError,
        "the history of \(path) after transaction \(number) has been deleted, or never existed",
        [NSFilePathErrorKey: path, NSAffectedStoresErrorKey: [queried.store]])
    }
    return .after(number)
  }

  // MARK: Deleting

  private func delete(in queried: QueriedStore) throws -> Int {
    let engine = queried.engine
    switch request.boundary {
    // Without a boundary, the request deletes nothing.
    case .none: return 0
    case .date(let date): return try engine.deleteHistory(before: .afterDate(date), cancellation)
    case .token(let token):
      guard let number = token.numbers[engine.origin.identifier] else { return 0 }
      return try engine.deleteHistory(before: .after(number), cancellation)
    case .transaction(let transaction):
      guard transaction.storeID == engine.origin.identifier else { return 0 }
      return try engine.deleteHistory(before: .after(transaction.transactionNumber), cancellation)
    }
  }
}

extension NSPersistentHistoryChangeRequest: StoreRequestExecutable {
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    try HistoryExecution(self, in: context).run()
  }
}
