/// The changes that one save of a context, or one batch request, made to one store.
///
/// It is immutable and may be used on any thread.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///   print(transaction.transactionNumber, transaction.author ?? "", transaction.timestamp)
/// }
/// ```
nonisolated open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
  let row: HistoryTransactionRow
  /// The changes in the order in which they were written; nil if they were not requested.
  public private(set) var changes: [NSPersistentHistoryChange]?
  /// The UUID of the store.
  public let storeID: String

  init(_ row: HistoryTransactionRow, storeID: String) {
    self.row = row
    self.storeID = storeID
    super.init()
  }

  /// Creates an empty transaction, for use in tests.
  public override init() {
    row = HistoryTransactionRow(
      number: 0, timestamp: .distantPast, author: nil, bundleID: nil, contextName: nil,
      processID: nil)
    storeID = ""
    super.init()
  }

  /// Creates a transaction with changes, and attaches them to it.
  convenience init(
    _ row: HistoryTransactionRow, storeID: String, changes: [NSPersistentHistoryChange]
  ) {
    self.init(row, storeID: storeID)
    self.changes = changes
    for change in changes { change.attach(to: self) }
  }

  /// The time at which the transaction was written.
  open var timestamp: Date { row.timestamp }
  /// The number of the transaction in the store's history. Later transactions have higher numbers.
  open var transactionNumber: Int64 { row.number }
  /// The `transactionAuthor` of the context; nil if none was set.
  open var author: String? { row.author }
  /// The name of the context; nil if it has none.
  open var contextName: String? { row.contextName }
  /// The bundle identifier of the app; "" if it has none.
  open var bundleID: String { row.bundleID ?? "" }
  /// The name of the app's process.
  open var processID: String { row.processID ?? "" }
  /// The position in the history immediately after this transaction.
  ///
  /// ```swift
  /// func save(_ transaction: NSPersistentHistoryTransaction, to file: URL) throws {
  ///   try NSKeyedArchiver.archivedData(
  ///     withRootObject: transaction.token, requiringSecureCoding: true
  ///   ).write(to: file, options: .atomic)
  /// }
  /// ```
  open var token: NSPersistentHistoryToken { NSPersistentHistoryToken([storeID: row.number]) }

  /// Returns a notification for `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`. Its name is
  /// `NSManagedObjectContextDidSaveObjectIDs`, and it contains the object IDs of ``changes``.
  ///
  /// ```swift
  /// func merge(_ transactions: [NSPersistentHistoryTransaction]) {
  ///   for transaction in transactions where transaction.author != "app" {
  ///     context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
  ///   }
  /// }
  /// ```
  open func objectIDNotification() -> Notification {
    var lists: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
    for change in changes ?? [] {
      lists[change.changeType, default: []].insert(change.changedObjectID)
    }
    var info: [AnyHashable: Any] = [:]
    info[NSInsertedObjectIDsKey] = lists[.insert]
    info[NSUpdatedObjectIDsKey] = lists[.update]
    info[NSDeletedObjectIDsKey] = lists[.delete]
    return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: info)
  }

  /// Returns the transaction itself, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryTransaction \(transactionNumber) of \(storeID), \(timestamp)"
      + "\(author.map { ", author \($0)" } ?? ""), \(changes.map { "\($0.count)" } ?? "no") changes>"
  }

  // MARK: Requests

  /// Returns the entity of requests for transactions. Its attributes are `author`, `bundleID`, `contextName`,
  /// `processID`, `storeID`, `timestamp`, `token` and `transactionNumber`.
  ///
  /// Compared to Apple's Core Data: never nil.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryEntities.transaction
  }

  /// The same entity as `entityDescription(with:)`.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

  /// A new request for transactions. Set its predicate, sort descriptors and limits, and pass it to
  /// `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
  ///
  /// Compared to Apple's Core Data: never nil.
  ///
  /// ```swift
  /// if let fetch = NSPersistentHistoryTransaction.fetchRequest {
  ///   fetch.predicate = NSPredicate(format: "contextName == %@", "importer")
  ///   fetch.fetchLimit = 100
  /// }
  /// ```
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryEntities.request(for: HistoryEntities.transaction)
  }
}
