import Foundation

/// Which transactions of a store's history are meant.
enum HistoryBound {
  case all
  /// Those with a higher number.
  case after(Int64)
  /// Those of later times.
  case afterDate(Date)
}

/// A transaction as its row says it.
struct HistoryTransactionRow {
  let number: Int64
  let timestamp: Date
  let author: String?
  let bundleID: String?
  let contextName: String?
  let processID: String?
}

/// A change as its row says it.
struct HistoryChangeRow {
  let id: Int64
  let transaction: Int64
  let type: NSPersistentHistoryChangeType
  let layout: EntityLayout
  let key: Int64
  /// The slots that an update changed; nil where they are not known.
  let slots: [Int]?
  /// The values that outlive a deleted object, by name.
  let tombstone: [String: Any]?
}
