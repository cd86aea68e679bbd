import Foundation

/// Runs a request for history in the stores that it asks.
struct HistoryExecution {
  private let coordinator: NSPersistentStoreCoordinator
  private let request: NSPersistentHistoryChangeRequest
  private let cancellation = Cancellation.ofRequest

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
      try HistoryAnswer(query, parts).result, request.resultType)
  }

  /// The stores with a history among those that are asked.
  private func stores() throws -> [SQLiteStore] {
    let open = coordinator.persistentStores
    let asked =
      (request.affectedStores ?? request.fetchRequest?.affectedStores)
      .map { $0.filter { store in open.contains { $0 === store } } } ?? open
    let stores = asked.compactMap { $0.engine as? SQLiteStore }.filter { $0.history != nil }
    if stores.isEmpty {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "none of the stores that the request asks keeps a persistent history: open a SQLite store with"
          + " NSPersistentHistoryTrackingKey")
    }
    return stores
  }

  // MARK: Fetching

  private func read(_ query: HistoryQuery, _ store: SQLiteStore) throws -> HistoryPart {
    let part = try store.readHistory(cancellation) { reader -> HistoryPart in
      let bound = try bound(store, reader)
      let words = HistoryPredicate(
        identifier: store.origin.identifier, origin: store.origin, model: store.schema.model)
      var part = HistoryPart(origin: store.origin)
      if query.isOfChanges {
        part.changes = try query.chosen(
          of: try reader.changes(bound, limit: query.sqlLimit, in: store), words
        ) { ChangeKeys(row: $0, origin: store.origin) }
        let numbers = Set(part.changes.map(\.transaction))
        part.transactions = try reader.transactions(bound, numbers: numbers.sorted())
      } else {
        part.transactions = try query.chosen(
          of: try reader.transactions(bound, limit: query.sqlLimit), words
        ) { TransactionKeys(row: $0, storeID: store.origin.identifier) }
        if query.needsChanges {
          let isAll = query.predicate == nil && query.limit == 0
          part.changes = try reader.changes(
            bound, numbers: isAll ? nil : part.transactions.map(\.number), in: store)
        }
      }
      try cancellation?.check()
      return part
    }
    return part ?? HistoryPart(origin: store.origin)
  }

  private func bound(_ store: SQLiteStore, _ reader: HistoryReader) throws -> HistoryBound {
    let number: Int64
    switch request.place {
    case .none: return .all
    case .date(let date): return .afterDate(date)
    case .token(let token):
      guard let found = token.numbers[store.origin.identifier] else { return .all }
      number = found
    case .transaction(let transaction):
      guard transaction.storeID == store.origin.identifier else { return .all }
      number = transaction.transactionNumber
    }
    guard try reader.isComplete(after: number) else {
      throw CoreDataError.make(
        NSPersistentHistoryTokenExpiredError,
        "the history of \(store.url.path) after transaction \(number) is not there any more, or never"
          + " was", [NSFilePathErrorKey: store.url.path, NSAffectedStoresErrorKey: affected(store)])
    }
    return .after(number)
  }

  private func affected(_ store: SQLiteStore) -> [NSPersistentStore] {
    store.origin.store.map { [$0] } ?? []
  }

  // MARK: Deleting

  private func delete(in store: SQLiteStore) throws -> Int {
    switch request.place {
    case .none: return 0
    case .date(let date): return try store.deleteHistory(before: .afterDate(date), cancellation)
    case .token(let token):
      guard let number = token.numbers[store.origin.identifier] else { return 0 }
      return try store.deleteHistory(before: .after(number), cancellation)
    case .transaction(let transaction):
      guard transaction.storeID == store.origin.identifier else { return 0 }
      return try store.deleteHistory(before: .after(transaction.transactionNumber), cancellation)
    }
  }
}

extension NSPersistentHistoryChangeRequest: StoreRequestExecutable {
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    try HistoryExecution(self, in: context).run()
  }
}
