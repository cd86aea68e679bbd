/// The kind of result of a history request.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// The number `true`. A failure throws an error.
  case statusOnly = 0
  /// The IDs of the changed objects, each once, in the order of their first change.
  case objectIDs = 1
  /// The number of transactions, or of changes for a fetch request for changes.
  case count = 2
  /// The transactions, without their changes.
  case transactionsOnly = 3
  /// The changes of all transactions.
  case changesOnly = 4
  /// The transactions with their changes.
  case transactionsAndChanges = 5
}

/// The result of a request for history.
nonisolated open class NSPersistentHistoryResult: NSPersistentStoreResult, @unchecked Sendable {
  /// The number `true`, an `[NSManagedObjectID]`, a number, an `[NSPersistentHistoryTransaction]` or an
  /// `[NSPersistentHistoryChange]`, depending on `resultType`. For a deletion it is the number `true`, or the count
  /// if that is the result type. Numbers are `NSNumber`s, which cast to `Int` and `Bool`.
  ///
  /// ```swift
  /// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
  /// request.resultType = .changesOnly
  /// let result = try context.execute(request) as? NSPersistentHistoryResult
  /// let changes = result?.result as? [NSPersistentHistoryChange] ?? []
  /// print(changes.filter { $0.changeType == .delete }.count)
  /// ```
  public let result: Any?
  /// The requested kind of result.
  public let resultType: NSPersistentHistoryResultType

  /// Creates an empty result, for use in tests.
  public override init() {
    result = nil
    resultType = .statusOnly
    super.init()
  }

  init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
    self.result = BridgedValue.bridgedNumber(result)
    resultType = type
    super.init()
  }
}
