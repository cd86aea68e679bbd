import StoreEngine

/// What transactions of a store's history did, all together: a row is in one list at most.
struct HistoryNews {
  /// The last transaction that counts; the next question begins after it.
  var last: Int64
  /// Whether history tells all: false where some of the transactions have been deleted already. Then
  /// the lists are empty.
  var isComplete = true
  var rows = BatchOutcome()
}

extension SQLiteHistoryState {
  /// Returns what others than this store object did to the rows of the store after a transaction.
  ///
  /// Costs as much as there are changes after it.
  func news(after number: Int64) throws -> HistoryNews {
    let last = try lastNumber()
    guard try isComplete(after: number) else { return HistoryNews(last: last, isComplete: false) }
    var news = HistoryNews(last: last)
    let own = history.ownTransactions
    var present: (layout: EntityLayout, key: Int64)?
    var first: NSPersistentHistoryChangeType?
    var final: NSPersistentHistoryChangeType?
    func close() {
      guard let present, let first, let final else { return }
      switch (first, final) {
      case (.insert, .delete): break
      case (.insert, _): news.rows.inserted.append(present.key, present.layout, origin)
      case (_, .delete): news.rows.deleted.append(present.key, present.layout, origin)
      // A row that went and came back has other values.
      default: news.rows.updated.append(present.key, present.layout, origin)
      }
    }
    try connection.run(
      SQLText(
        "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE, ZTRANSACTIONID FROM ACHANGE"
          + " WHERE ZTRANSACTIONID > \(number) ORDER BY ZENTITY, ZENTITYPK, Z_PK")
    ) { row in
      guard let layout = schema.layout(number: Int(truncatingIfNeeded: row.integer(0))),
        !own.contains(Int(truncatingIfNeeded: row.integer(3))),
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
