/// Fetches or deletes persistent history: what saves and batch requests did with the stores that were
/// opened with `NSPersistentHistoryTrackingKey`.
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
/// Transactions come from the oldest to the newest, those of several stores by their times. The stores
/// are those of `affectedStores`, else all open ones that keep history.
///
/// Executing it throws `NSPersistentHistoryTokenExpiredError` for a token whose later transactions have
/// been deleted in part, or that is of another history, and
/// `NSPersistentStoreUnsupportedRequestTypeError` where none of the stores keeps history.
///
/// Cancelling the `Progress` that is current where the request is executed ends a fetch with
/// `CocoaError.userCancelled`.
///
/// Compared to Apple's Core Data: a token and an object ID in a predicate mean the same whichever
/// coordinator they come from; the token of a history that was empty can be used in predicates, too.
nonisolated open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// Where what is wanted begins, or ends.
  enum Boundary {
    case none
    case date(Date)
    case token(NSPersistentHistoryToken)
    /// A transaction: of its store alone.
    case transaction(NSPersistentHistoryTransaction)
  }

  private(set) var boundary = Boundary.none
  private(set) var isDeletion = false
  /// Transactions with their changes unless something else is asked for.
  open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges
  /// Which transactions or changes, in what order and how many: a request for
  /// `NSPersistentHistoryTransaction.entityDescription` or `NSPersistentHistoryChange.entityDescription`.
  /// Means nothing for deletions.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

  /// Makes a request for all of the history.
  public required override init() { super.init() }

  private class func make(_ boundary: Boundary, isDeletion: Bool = false) -> Self {
    let request = Self()
    request.boundary = boundary
    request.isDeletion = isDeletion
    return request
  }

  /// The token that the request was made with.
  open var token: NSPersistentHistoryToken? {
    if case .token(let token) = boundary { token } else { nil }
  }

  /// Asks for the transactions that were written after a date.
  open class func fetchHistory(after date: Date) -> Self {
    make(.date(date))
  }

  /// Asks for the transactions behind a token; for all of them without one.
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Boundary.token) ?? .none)
  }

  /// Asks for the transactions after another one of the same store; for all of them without one.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
    make(transaction.map(Boundary.transaction) ?? .none)
  }

  /// Asks for the transactions or changes that a fetch request finds.
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  ) -> Self {
    let request = make(.none)
    request.fetchRequest = fetchRequest
    request.affectedStores = fetchRequest.affectedStores
    return request
  }

  /// Deletes the transactions that were written before a date, up to the first later one.
  open class func deleteHistory(before date: Date) -> Self {
    make(.date(date), isDeletion: true)
  }

  /// Deletes the transactions before the one that a token stands behind; that one stays. Without a
  /// token nothing is deleted.
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Boundary.token) ?? .none, isDeletion: true)
  }

  /// Deletes the transactions before another one of the same store; without one nothing is deleted.
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
    make(transaction.map(Boundary.transaction) ?? .none, isDeletion: true)
  }

  /// A request that asks for the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self.make(boundary, isDeletion: isDeletion)
    copy.resultType = resultType
    copy.affectedStores = affectedStores
    copy.fetchRequest = fetchRequest.map { $0.converted(to: $0.resultType) }
    return copy
  }
}
