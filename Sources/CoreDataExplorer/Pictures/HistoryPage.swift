import CoreData
import StoreInspection

/// A page of transactions of a store's history, newest first.
struct HistoryPage: Encodable {
  struct Change: Encodable {
    let entity: String
    let id: String
    /// `insert`, `update` or `delete`.
    let kind: String
    /// The properties that an update changed.
    let keys: [String]
    /// The preserved values of a deleted object.
    let tombstone: [String: Cell]?
  }

  struct Transaction: Encodable {
    /// The maximum number of changes that are listed.
    fileprivate static let listedChanges = 200

    let id: Int64
    let date: String
    let author: String?
    let context: String?
    let bundle: String?
    let process: String?
    let changes: [Change]
    /// The number of all changes.
    let total: Int
  }

  let transactions: [Transaction]
  let more: Bool

  /// The page of a store without a history.
  static let none = HistoryPage(transactions: [], more: false)
}

extension HistoryPage {
  /// Call it on the context's queue.
  ///
  /// - Parameter number: The page contains transactions older than this one; nil for the newest transactions.
  init(before number: Int64?, limit: Int, in context: NSManagedObjectContext) throws {
    let fetch = NSPersistentHistoryTransaction.fetchRequest
    fetch?.predicate = number.map { NSPredicate(format: "transactionNumber < %lld", $0) }
    fetch?.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
    // If there is one transaction more than a page shows, there is another page.
    fetch?.fetchLimit = limit + 1
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    request.fetchRequest = fetch
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let found = result?.result as? [NSPersistentHistoryTransaction] ?? []
    transactions = found.prefix(limit).map(Transaction.init)
    more = found.count > limit
  }
}

extension HistoryPage.Transaction {
  fileprivate init(_ transaction: NSPersistentHistoryTransaction) {
    func text(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
    id = transaction.transactionNumber
    date = DateText.iso8601(transaction.timestamp)
    author = text(transaction.author)
    context = text(transaction.contextName)
    bundle = text(transaction.bundleID)
    process = text(transaction.processID)
    changes = (transaction.changes ?? []).prefix(Self.listedChanges).map(HistoryPage.Change.init)
    total = transaction.changes?.count ?? 0
  }
}

extension HistoryPage.Change {
  fileprivate init(_ change: NSPersistentHistoryChange) {
    let object = change.changedObjectID
    entity = object.entityName
    id = ObjectReference.text(ofKey: object.primaryKey)
    kind = "\(change.changeType)"
    keys = (change.updatedProperties ?? []).map(\.name).sorted()
    let properties = object.entity.propertiesByName
    let values = (change.tombstone ?? [:]).compactMap { key, value in
      (key as? String).map { ($0, Cell(value, of: properties[$0])) }
    }
    tombstone = values.isEmpty ? nil : Dictionary(values, uniquingKeysWith: { $1 })
  }
}
