import StoreEngine

/// The combined changes of transactions in a store's history. Each row is in at most one of the lists of inserted,
/// updated and deleted rows.
struct HistoryNews {
  /// The last included transaction. The next request begins after it.
  var last: Int64
  /// Whether the lists are complete. If some of the transactions were already deleted or never existed, or the store
  /// lacks the columns that identify the changed rows, this is false and the lists are empty.
  var isComplete = true
  var rows = BatchOutcome()
}

extension SQLiteHistoryState {
  /// Returns the changes that other connections made in the store after a transaction.
  ///
  /// The cost is proportional to the number of changes after that transaction.
  func news(after number: Int64) throws -> HistoryNews {
    let last = try lastNumber()
    guard history.identifiesRows, try isComplete(after: number) else {
      return HistoryNews(last: last, isComplete: false)
    }
    var news = HistoryNews(last: last)
    let own = history.ownTransactions
    var present: (layout: EntityLayout, key: Int64)?
    var first: NSPersistentHistoryChangeType?
    var final: NSPersistentHistoryChangeType?
    func close() {
      guard let present, let first, let final else { return }
      switch (first, final) {
      // No reader has seen a row that was inserted and deleted again since then.
      case (.insert, .delete): break
      case (.insert, _): news.rows.inserted.append(present.key, present.layout, origin)
      case (_, .delete): news.rows.deleted.append(present.key, present.layout, origin)
      // A row that was deleted and inserted again has different values.
      default: news.rows.updated.append(present.key, present.layout, origin)
      }
    }
    try connection.run(
      SQLText(
        "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE, ZTRANSACTIONID FROM ACHANGE"
          + " WHERE ZTRANSACTIONID > \(number) ORDER BY ZENTITY, ZENTITYPK, Z_PK")
    ) { row in
      // Skips the transactions of this store object, because the contexts have already merged its saves. Also skips
      // entities outside of the model, and numbers that only a damaged history contains.
      guard let layout = schema.layout(number: Int(truncatingIfNeeded: row.integer(0))),
        // NULL would be read as an insertion.
        !own.contains(Int(truncatingIfNeeded: row.integer(3))), !row.isNull(2),
        let type = NSPersistentHistoryChangeType(
          rawValue: Int(truncatingIfNeeded: row.integer(2))), row.integer(1) > 0
      else { return }
      if present?.layout !== layout || present?.key != row.integer(1) {
        close()
        present = (layout, row.integer(1))
        first = type
      }
      final = type
    }
    close()
    return news
  }
}
