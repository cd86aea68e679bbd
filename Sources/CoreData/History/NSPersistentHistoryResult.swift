/// What a request for history gives as its result.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// `true`: what goes wrong is thrown.
  case statusOnly = 0
  /// The IDs of the changed objects, each once, in the order of their first change.
  case objectIDs = 1
  /// How many transactions there are; how many changes, for a fetch request of changes.
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
  /// `[NSPersistentHistoryChange]`, as `resultType` says; of a deletion the number `true`, or the count where that is
  /// the result type. Numbers are `NSNumber`s, which cast to `Int` and `Bool`.
  public let result: Any?
  /// What was asked for.
  public let resultType: NSPersistentHistoryResultType

  /// Makes a result of nothing, as a stand-in in tests.
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
