/// What one save of a context, or one batch request, did with one store.
///
/// Cannot change, and may be used on any thread.
nonisolated open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
  let row: HistoryTransactionRow
  /// The changes in the order in which they were written; nil where the request did not ask for them.
  public private(set) var changes: [NSPersistentHistoryChange]?
  /// The UUID of the store.
  public let storeID: String

  init(_ row: HistoryTransactionRow, storeID: String) {
    self.row = row
    self.storeID = storeID
    super.init()
  }

  /// Makes a transaction of nothing, as a stand-in in tests.
  public override init() {
    row = HistoryTransactionRow(
      number: 0, timestamp: .distantPast, author: nil, bundleID: nil, contextName: nil,
      processID: nil)
    storeID = ""
    super.init()
  }

  /// A transaction with changes, which know it.
  convenience init(
    _ row: HistoryTransactionRow, storeID: String, changes: [NSPersistentHistoryChange]
  ) {
    self.init(row, storeID: storeID)
    self.changes = changes
    for change in changes { change.belong(to: self) }
  }

  /// When it was written.
  open var timestamp: Date { row.timestamp }
  /// Its number in the store's history: a later transaction has a higher one.
  open var transactionNumber: Int64 { row.number }
  /// The `transactionAuthor` of the context.
  open var author: String? { row.author }
  /// The name of the context.
  open var contextName: String? { row.contextName }
  /// The bundle identifier of the program; "" where it has none.
  open var bundleID: String { row.bundleID ?? "" }
  /// The name of the program's process.
  open var processID: String { row.processID ?? "" }
  /// The place in the history right behind this transaction.
  open var token: NSPersistentHistoryToken { NSPersistentHistoryToken([storeID: row.number]) }

  /// A notification for `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`, named
  /// `NSManagedObjectContextDidSaveObjectIDs`, with the IDs of the changes; without any where
  /// the request did not ask for changes.
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

  /// The same transaction: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryTransaction \(transactionNumber) of \(storeID), \(timestamp)"
      + "\(author.map { ", author \($0)" } ?? ""), \(changes.map { "\($0.count)" } ?? "no") changes>"
  }

  // MARK: Requests

  /// The entity that a request for transactions is for: its attributes are `author`, `bundleID`,
  /// `contextName`, `processID`, `timestamp`, `token` and `transactionNumber`.
  ///
  /// Compared to Apple's Core Data: never nil.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryEntities.transaction
  }

  /// As `entityDescription(with:)`.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

  /// A new request for transactions, to be given a predicate, sort descriptors and limits, for
  /// `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
  ///
  /// Compared to Apple's Core Data: never nil.
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryEntities.request(for: HistoryEntities.transaction)
  }
}
