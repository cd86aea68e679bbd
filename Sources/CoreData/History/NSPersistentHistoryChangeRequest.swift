/// A request that fetches or deletes persistent history: the changes that saves and batch requests made to stores
/// that were opened with `NSPersistentHistoryTrackingKey`.
///
/// <!-- example: prelude var lastToken: NSPersistentHistoryToken? -->
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///   context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
///   lastToken = transaction.token
/// }
/// ```
///
/// Unless the fetch request has sort descriptors, transactions are sorted from the oldest to the newest; those of
/// several stores are merged by timestamp. The stores are the `affectedStores` of this request or of its fetch request,
/// or all open stores; stores without history are skipped.
///
/// Executing a request that fetches throws `NSPersistentHistoryTokenExpiredError` if some transactions after its token
/// or transaction have been deleted, or if its token or transaction belongs to another history. The execution of any
/// request throws `NSPersistentStoreUnsupportedRequestTypeError` if none of the stores has history.
///
/// Cancelling the `Progress` that is current during the execution ends the request with `CocoaError.userCancelled`; a
/// deletion then deletes nothing in the store that it was working on.
///
/// Compared to Apple's Core Data: tokens and object IDs in a predicate may come from any coordinator, and the token
/// of an empty history can be used in predicates too.
nonisolated open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// The beginning of the history to fetch, or the end of the history to delete.
  enum Boundary {
    case none
    case date(Date)
    case token(NSPersistentHistoryToken)
    /// A transaction, which applies only to its store.
    case transaction(NSPersistentHistoryTransaction)
  }

  private(set) var boundary = Boundary.none
  private(set) var isDeletion = false
  /// The kind of result. The default is transactions with their changes.
  ///
  /// ```swift
  /// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
  /// request.resultType = .count
  /// let result = try context.execute(request) as? NSPersistentHistoryResult
  /// print(result?.result as? Int ?? 0)
  /// ```
  open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges
  /// A request that selects, sorts and limits the transactions or changes. Its entity is
  /// `NSPersistentHistoryTransaction.entityDescription` or `NSPersistentHistoryChange.entityDescription`. Deletions
  /// ignore it.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

  /// Creates a request for the whole history.
  public required override init() { super.init() }

  private class func make(_ boundary: Boundary, isDeletion: Bool = false) -> Self {
    let request = Self()
    request.boundary = boundary
    request.isDeletion = isDeletion
    return request
  }

  /// The token that the request was created with; nil if it was created without one.
  open var token: NSPersistentHistoryToken? {
    if case .token(let token) = boundary { token } else { nil }
  }

  /// Returns a request for the transactions that were written after a date.
  ///
  /// ```swift
  /// let hourAgo = Date(timeIntervalSinceNow: -3600)
  /// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: hourAgo)
  /// let result = try context.execute(request) as? NSPersistentHistoryResult
  /// let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
  /// ```
  open class func fetchHistory(after date: Date) -> Self {
    make(.date(date))
  }

  /// Returns a request for the transactions after a token, or for all transactions if it is nil. All transactions of a
  /// store that is not in the token count as later.
  ///
  /// ```swift
  /// let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// person.age = 37
  /// try context.save()
  /// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
  /// let result = try context.execute(request) as? NSPersistentHistoryResult
  /// print((result?.result as? [NSPersistentHistoryTransaction])?.count ?? 0)  // 1
  /// ```
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Boundary.token) ?? .none)
  }

  /// Returns a request for the transactions after the given one in its store, and for all transactions of other stores.
  /// If `transaction` is nil, the request is for all transactions.
  ///
  /// ```swift
  /// func nextTransactions(after last: NSPersistentHistoryTransaction) throws -> Int {
  ///   let request = NSPersistentHistoryChangeRequest.fetchHistory(after: last)
  ///   request.resultType = .count
  ///   let result = try context.execute(request) as? NSPersistentHistoryResult
  ///   return result?.result as? Int ?? 0
  /// }
  /// ```
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
    make(transaction.map(Boundary.transaction) ?? .none)
  }

  /// Returns a request for the transactions or changes that a fetch request selects.
  ///
  /// ```swift
  /// if let fetch = NSPersistentHistoryTransaction.fetchRequest {
  ///   fetch.predicate = NSPredicate(format: "author == %@", "app")
  ///   let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
  ///   let result = try context.execute(request) as? NSPersistentHistoryResult
  /// }
  /// ```
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  ) -> Self {
    let request = make(.none)
    request.fetchRequest = fetchRequest
    request.affectedStores = fetchRequest.affectedStores
    return request
  }

  /// Returns a request that deletes the transactions that precede the first transaction at or after a date.
  ///
  /// ```swift
  /// let monthAgo = Date(timeIntervalSinceNow: -86_400 * 30)
  /// try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: monthAgo))
  /// ```
  open class func deleteHistory(before date: Date) -> Self {
    make(.date(date), isDeletion: true)
  }

  /// Returns a request that deletes, in each store of a token, the transactions before the token's last transaction,
  /// which is kept. If the token is nil, nothing is deleted.
  ///
  /// ```swift
  /// let handled = coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: handled))
  /// ```
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Boundary.token) ?? .none, isDeletion: true)
  }

  /// Returns a request that deletes the transactions before the given one in its store, or nothing if `transaction` is
  /// nil.
  ///
  /// ```swift
  /// func deleteHistory(before transaction: NSPersistentHistoryTransaction) throws {
  ///   try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: transaction))
  /// }
  /// ```
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
    make(transaction.map(Boundary.transaction) ?? .none, isDeletion: true)
  }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self.make(boundary, isDeletion: isDeletion)
    copy.resultType = resultType
    copy.affectedStores = affectedStores
    copy.fetchRequest = fetchRequest.map { $0.converted(to: $0.resultType) }
    return copy
  }
}
