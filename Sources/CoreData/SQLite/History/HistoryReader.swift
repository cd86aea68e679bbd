import CSQLite
import Foundation

/// Reads a store's history, on a connection that nobody else uses meanwhile.
///
/// `SQLiteStore.readHistory(_:_:)` makes it inside a read transaction, so that a request sees one state of the history.
/// A request reads one store after the other.
struct HistoryReader {
  let history: StoreHistory
  let schema: StoreSchema
  let origin: StoreOrigin
  let connection: SQLiteConnection

  /// The number of the last transaction there was, whether or not it is still there.
  func lastNumber() throws -> Int64 {
    do {
      return try connection.integer(
        "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002), 0),"
          + " IFNULL((SELECT MAX(Z_PK) FROM ATRANSACTION), 0))") ?? 0
    } catch let error as SQLiteError where StoreErrors.isOfSchema(error) && !connection.mayWrite {
      // A store that is only read may have lost the table of keys.
      return try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0
    }
  }

  /// The number of the oldest transaction that is still there.
  func firstNumber() throws -> Int64? {
    try connection.integer("SELECT MIN(Z_PK) FROM ATRANSACTION")
  }

  /// Whether all transactions after a number are still there, and the number is one of this history.
  func isComplete(after number: Int64) throws -> Bool {
    let last = try lastNumber()
    if number > last { return false }
    let first = try firstNumber() ?? last + 1
    return number >= first - 1
  }

  /// The condition of a bound on the column that names the transaction.
  private func condition(_ bound: HistoryBound, _ column: String) -> SQLText {
    switch bound {
    case .all: return SQLText("1")
    case .after(let number): return SQLText("\(column) > \(number)")
    case .afterDate(let date):
      var text = SQLText("\(column) IN (SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP > ")
      text.bind(.double(date.timeIntervalSinceReferenceDate))
      text += ")"
      return text
    }
  }

  /// The transactions of a bound, the oldest first.
  ///
  /// - Parameter numbers: those of them that are wanted; nil for all.
  func transactions(
    _ bound: HistoryBound, numbers: [Int64]? = nil, limit: Int? = nil
  ) throws -> [HistoryTransactionRow] {
    func name(_ column: String) -> String {
      history.keepsStrings
        ? "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), t.\(column))"
        : "t.\(column)"
    }
    let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map(name)
    var text = SQLText(
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(names.joined(separator: ", ")) FROM ATRANSACTION t WHERE ")
    text += condition(bound, "t.Z_PK")
    if let numbers {
      text += " AND t.Z_PK "
      text += SQLiteStore.keyCondition(numbers)
    }
    text += " ORDER BY t.Z_PK"
    if let limit { text += " LIMIT \(limit)" }
    var rows: [HistoryTransactionRow] = []
    try connection.run(text) { row in
      rows.append(
        HistoryTransactionRow(
          number: row.integer(0),
          timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)),
          author: row.optionalText(2), bundleID: row.optionalText(3),
          contextName: row.optionalText(4), processID: row.optionalText(5)))
    }
    return rows
  }

  /// The changes of a bound in the order in which they were written; those of entities that the model
  /// does not know, and of keys that no row can have, are left out.
  ///
  /// - Parameter numbers: the transactions whose changes are wanted; nil for all.
  func changes(
    _ bound: HistoryBound, numbers: [Int64]? = nil, limit: Int? = nil, in store: SQLiteStore
  ) throws -> [HistoryChangeRow] {
    let external = store.external
    let graves = (0..<history.tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
    var text = SQLText(
      "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(graves)"
        + " FROM ACHANGE WHERE ")
    text += condition(bound, "ZTRANSACTIONID")
    if let numbers {
      text += " AND ZTRANSACTIONID "
      text += SQLiteStore.keyCondition(numbers)
    }
    text += " ORDER BY ZTRANSACTIONID, Z_PK"
    if let limit { text += " LIMIT \(limit)" }
    var rows: [HistoryChangeRow] = []
    try connection.run(text) { row in
      guard let layout = schema.layout(number: Int(truncatingIfNeeded: row.integer(3))),
        let type = NSPersistentHistoryChangeType(rawValue: Int(truncatingIfNeeded: row.integer(2))),
        row.integer(4) > 0
      else { return }
      rows.append(
        HistoryChangeRow(
          id: row.integer(0), transaction: row.integer(1), type: type, layout: layout,
          key: row.integer(4),
          slots: type == .update && !row.isNull(5)
            ? history.columns(layout).slots(of: row.data(5)) : nil,
          tombstone: type == .delete ? tombstone(row, layout, external) : nil))
    }
    return rows
  }

  private func tombstone(
    _ row: SQLiteStatement, _ layout: EntityLayout, _ external: ExternalStorage
  ) -> [String: Any]? {
    let slots = history.tombstones[layout.index].prefix(history.tombstoneCount)
    if slots.isEmpty { return nil }
    var values: [String: Any] = [:]
    for (place, slot) in slots.enumerated() {
      let slot = layout.slots[slot]
      values[slot.name] = row.value(
        6 + place, .attribute(slot), origin: origin, external: external)
    }
    return values
  }
}
