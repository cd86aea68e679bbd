/// The rows that were read from one store's history.
struct HistoryPart {
  let origin: StoreOrigin
  var transactions: [HistoryTransactionRow] = []
  var changes: [HistoryChangeRow] = []
}

/// Creates the result of a request from the rows of its stores.
struct HistoryResultBuilder {
  private let query: HistoryQuery
  private let parts: [HistoryPart]

  private struct Transaction {
    let part: Int
    let row: HistoryTransactionRow
    var changes: [HistoryChangeRow] = []
  }
  private struct Change {
    let part: Int
    let row: HistoryChangeRow
    let transaction: HistoryTransactionRow?
  }

  private let transactions: [Transaction]
  private let changes: [Change]

  init(_ query: HistoryQuery, _ parts: [HistoryPart]) throws {
    self.query = query
    self.parts = parts
    var merged = Self.merged(parts)
    func keys(_ transaction: Transaction) -> TransactionKeys {
      TransactionKeys(row: transaction.row, storeID: parts[transaction.part].origin.identifier)
    }
    if query.isOfChanges {
      var changes: [Change] = []
      for transaction in merged {
        changes += transaction.changes.map {
          Change(part: transaction.part, row: $0, transaction: transaction.row)
        }
      }
      changes = try query.sorted(changes) {
        ChangeKeys(row: $0.row, origin: parts[$0.part].origin)
      }
      // Each store was limited separately, so the order and the limit are applied again to all
      // rows.
      changes = query.limited(changes)
      // The result contains only the transactions of the remaining changes, each without its other changes.
      var left: [[Int64: [HistoryChangeRow]]] = parts.map { _ in [:] }
      for change in changes {
        left[change.part][change.row.transaction, default: []] += [change.row]
      }
      merged = merged.compactMap { transaction in
        guard let rows = left[transaction.part][transaction.row.number] else { return nil }
        return Transaction(part: transaction.part, row: transaction.row, changes: rows)
      }
      self.changes = changes
      transactions = merged
    } else {
      let transactions = query.limited(try query.sorted(merged, keys))
      self.transactions = transactions
      changes = transactions.flatMap { transaction in
        transaction.changes.map {
          Change(part: transaction.part, row: $0, transaction: transaction.row)
        }
      }
    }
  }

  /// Merges the transactions of all stores by timestamp. Transactions of the same store keep their order.
  private static func merged(_ parts: [HistoryPart]) -> [Transaction] {
    var lists: [ArraySlice<Transaction>] = []
    for (index, part) in parts.enumerated() {
      var changes: [Int64: [HistoryChangeRow]] = [:]
      for change in part.changes { changes[change.transaction, default: []].append(change) }
      lists.append(
        part.transactions.map {
          Transaction(part: index, row: $0, changes: changes[$0.number] ?? [])
        }[...])
    }
    if lists.count == 1 { return Array(lists[0]) }
    var merged: [Transaction] = []
    // A sort by timestamp could reverse two transactions of one store if the clock was set back between them, so the
    // lists are merged instead.
    while let next = lists.indices.filter({ !lists[$0].isEmpty }).min(by: { left, right in
      guard let a = lists[left].first, let b = lists[right].first else { return false }
      return a.row.timestamp < b.row.timestamp
    }) {
      if let first = lists[next].popFirst() { merged.append(first) }
    }
    return merged
  }

  var result: Any {
    switch query.resultType {
    case .statusOnly: return true
    case .count: return query.isOfChanges ? changes.count : transactions.count
    case .objectIDs:
      var seen: Set<NSManagedObjectID> = []
      return changes.map { object($0).changedObjectID }.filter { seen.insert($0).inserted }
    case .changesOnly: return changes.map(object)
    case .transactionsOnly:
      return transactions.map {
        NSPersistentHistoryTransaction($0.row, storeID: parts[$0.part].origin.identifier)
      }
    case .transactionsAndChanges:
      return transactions.map { transaction in
        let origin = parts[transaction.part].origin
        return NSPersistentHistoryTransaction(
          transaction.row, storeID: origin.identifier,
          changes: transaction.changes.map {
            NSPersistentHistoryChange($0, transaction.row, origin)
          })
      }
    }
  }

  private func object(_ change: Change) -> NSPersistentHistoryChange {
    NSPersistentHistoryChange(change.row, change.transaction, parts[change.part].origin)
  }
}
