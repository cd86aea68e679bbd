/// The transactions in a part of a store's history.
package enum HistoryBound {
  case all
  /// The transactions with a higher number.
  case after(Int64)
  /// The transactions after a date.
  case afterDate(Date)
}

/// The part of the transactions within a bound that a request needs.
package struct HistorySlice {
  /// Whether the newest transaction is the first one. Otherwise the oldest is.
  package var isNewestFirst = false
  /// All transactions have lower numbers than this one; nil if there is no such limit.
  package var before: Int64?
  /// The maximum number of transactions; nil for all.
  package var limit: Int?

  package init() {}
}

/// A transaction as its row in the history contains it.
package struct HistoryTransactionRow {
  package let number: Int64
  package let timestamp: Date
  package let author: String?
  package let bundleID: String?
  package let contextName: String?
  package let processID: String?

  package init(
    number: Int64, timestamp: Date, author: String?, bundleID: String?, contextName: String?,
    processID: String?
  ) {
    self.number = number
    self.timestamp = timestamp
    self.author = author
    self.bundleID = bundleID
    self.contextName = contextName
    self.processID = processID
  }
}

/// A change as its row in the history contains it.
package struct HistoryChangeRow {
  package let id: Int64
  package let transaction: Int64
  package let type: NSPersistentHistoryChangeType
  package let layout: EntityLayout
  package let key: Int64
  /// The slots that an update changed; nil if they are unknown.
  package let slots: [Int]?
  /// The preserved values of a deleted object by name.
  package let tombstone: [String: Any]?

  package init(
    id: Int64, transaction: Int64, type: NSPersistentHistoryChangeType, layout: EntityLayout,
    key: Int64, slots: [Int]?, tombstone: [String: Any]?
  ) {
    self.id = id
    self.transaction = transaction
    self.type = type
    self.layout = layout
    self.key = key
    self.slots = slots
    self.tombstone = tombstone
  }
}
