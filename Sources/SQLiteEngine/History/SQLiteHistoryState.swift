import StoreEngine

/// Reads a store's history on one connection, inside a read transaction.
///
/// A history request reads its stores one after another, each in a separate transaction.
struct SQLiteHistoryState: HistoryState {
  let history: StoreHistory
  let schema: StoreSchema
  let origin: StoreOrigin
  let connection: SQLiteConnection
  let external: ExternalStorage

  func lastNumber() throws -> Int64 {
    do {
      return try connection.integer(
        "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002), 0),"
          + " IFNULL((SELECT MAX(Z_PK) FROM ATRANSACTION), 0))") ?? 0
    } catch let error as SQLiteError where StoreErrors.isOfSchema(error) && !connection.mayWrite {
      // A store that was opened read-only may lack the table Z_PRIMARYKEY.
      return try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0
    }
  }

  /// Returns the number of the oldest transaction that was not deleted; nil if there is none.
  func firstNumber() throws -> Int64? {
    try connection.integer("SELECT MIN(Z_PK) FROM ATRANSACTION")
  }

  func isComplete(after number: Int64) throws -> Bool {
    let last = try lastNumber()
    // The store never had this transaction, for example because an older copy replaced its content.
    if number > last { return false }
    // If there are no transactions, all up to the last one were deleted.
    let first = try firstNumber() ?? last + 1
    return number >= first - 1
  }

  /// Returns the SQL condition of a bound for the column that contains the transaction number.
  private func condition(_ bound: HistoryBound, _ column: String) -> SQLText {
    switch bound {
    case .all: return SQLText("1")
    case .after(let number): return SQLText("\(column) > \(number)")
    case .afterDate(let date):
      return SQLText(
        "\(column) IN (SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP > ?)",
        parameters: [.double(date.timeIntervalSinceReferenceDate)])
    }
  }

  func transactions(
    _ bound: HistoryBound, numbers: [Int64]?, _ slice: HistorySlice
  ) throws -> [HistoryTransactionRow] {
    let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map(history.name)
    var text = SQLText(
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(names.joined(separator: ", ")) FROM ATRANSACTION t WHERE ")
    if case .afterDate(let date) = bound {
      // Unlike `condition`, this does not search the whole table before it returns the first row.
      text += "t.ZTIMESTAMP > "
      text.bind(.double(date.timeIntervalSinceReferenceDate))
    } else {
      text += condition(bound, "t.Z_PK")
    }
    if let numbers {
      text += " AND t.Z_PK "
      text += SQLiteStore.keyCondition(numbers)
    }
    if let before = slice.before { text += " AND t.Z_PK < \(before)" }
    text += " ORDER BY t.Z_PK\(slice.isNewestFirst ? " DESC" : "")"
    if let limit = slice.limit { text += " LIMIT \(limit)" }
    return try connection.rows(text.text, text.parameters) { row in
      HistoryTransactionRow(
        number: row.integer(0), timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)),
        author: row.optionalText(2), bundleID: row.optionalText(3),
        contextName: row.optionalText(4), processID: row.optionalText(5))
    }
  }

  func changes(_ bound: HistoryBound, numbers: [Int64]?, limit: Int?) throws -> [HistoryChangeRow] {
    let columns =
      ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"].map(history.change)
      + (0..<history.tombstoneCount).map { "ZTOMBSTONE\($0)" }
    var text = SQLText(
      "SELECT Z_PK, ZTRANSACTIONID, \(columns.joined(separator: ", ")) FROM ACHANGE WHERE ")
    text += condition(bound, "ZTRANSACTIONID")
    if let numbers {
      text += " AND ZTRANSACTIONID "
      text += SQLiteStore.keyCondition(numbers)
    } else {
      // The sign makes SQLite read the changes in the order of the index, starting at the bound.
      text += " AND +ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION)"
    }
    text += " ORDER BY ZTRANSACTIONID, Z_PK"
    var rows: [HistoryChangeRow] = []
    let statement = try connection.statement(text.text)
    defer { statement.reset() }
    statement.bind(text.parameters)
    // SQL's LIMIT would also count the rows that are not returned.
    while rows.count < limit ?? .max, try statement.step() {
      if let row = change(statement) { rows.append(row) }
    }
    return rows
  }

  /// Returns the change in a row of the query above; nil if the model lacks its entity, or if the row is damaged.
  private func change(_ row: SQLiteStatement) -> HistoryChangeRow? {
    guard let layout = schema.layout(number: Int(truncatingIfNeeded: row.integer(3))),
      // NULL would be read as an insertion.
      !row.isNull(2),
      let type = NSPersistentHistoryChangeType(rawValue: Int(truncatingIfNeeded: row.integer(2))),
      row.integer(4) > 0
    else { return nil }
    return HistoryChangeRow(
      id: row.integer(0), transaction: row.integer(1), type: type, layout: layout,
      key: row.integer(4),
      slots: type == .update && !row.isNull(5)
        ? history.columns(layout).slots(of: row.data(5)) : nil,
      tombstone: type == .delete ? tombstone(row, layout) : nil)
  }

  private func tombstone(_ row: SQLiteStatement, _ layout: EntityLayout) -> [String: Any]? {
    let slots = history.tombstones[layout.index].prefix(history.tombstoneCount)
    if slots.isEmpty { return nil }
    var values: [String: Any] = [:]
    for (place, slot) in slots.enumerated() {
      let slot = layout.slots[slot]
      values[slot.name] = row.value(6 + place, .attribute(slot), origin: origin, external: external)
    }
    return values
  }
}
