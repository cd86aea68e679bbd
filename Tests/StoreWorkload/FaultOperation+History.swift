import CoreData

extension FaultOperation {
  /// Adds the history tables to a store without history.
  static let beginHistory = FaultOperation(
    name: "history-begin", steps: 13, old: NaiveLedger(after: 13), new: NaiveLedger(after: 13),
    opensBefore: false, history: .begins
  ) { url, store, options in
    store = try WorkloadStore(url, options)
  }

  /// Reads the history, and deletes its first half.
  static let deleteHistory = FaultOperation(
    name: "history-delete", steps: 13, old: NaiveLedger(after: 13), new: NaiveLedger(after: 13),
    history: .changes
  ) { _, store, _ in
    guard let context = store?.newContext() else { return }
    try context.performAndWait {
      let result = try context.execute(
        NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
      let transactions =
        (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
      try Lost.unless(transactions.count == 12, "\(transactions.count) transactions were read")
      try context.execute(
        NSPersistentHistoryChangeRequest.deleteHistory(before: transactions[6]))
    }
  }
}

extension PlainSQL {
  /// The store's history as text: its transactions, each with its changes.
  ///
  /// - Parameter withLast: Whether to include the last transaction.
  func history(withLast: Bool) throws -> [String] {
    if try texts("SELECT 1 FROM sqlite_schema WHERE name = 'ACHANGE'").isEmpty { return [] }
    let last = withLast ? "" : " WHERE t.Z_PK < (SELECT MAX(Z_PK) FROM ATRANSACTION)"
    return try texts(
      "SELECT t.Z_PK || ': ' || IFNULL(GROUP_CONCAT(c.ZCHANGETYPE || ' ' || c.ZENTITY || ' '"
        + " || c.ZENTITYPK || ' ' || IFNULL(HEX(c.ZCOLUMNS), '-')), 'nothing') FROM ATRANSACTION t"
        + " LEFT JOIN (SELECT * FROM ACHANGE ORDER BY Z_PK) c ON c.ZTRANSACTIONID = t.Z_PK"
        + "\(last) GROUP BY t.Z_PK ORDER BY t.Z_PK")
  }
}
