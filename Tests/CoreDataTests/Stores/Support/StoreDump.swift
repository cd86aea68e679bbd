import Foundation

/// The rows of a store's tables by table and rowid, and the schema. Leaves out R-trees and SQLite's own tables.
struct StoreDump {
  struct Change: Equatable, CustomStringConvertible {
    let table: String
    let row: Int64
    /// The old and the new value by column. For a new or removed row, contains only the columns that are not NULL.
    let cells: [String: [PlainValue]]
    let isInserted: Bool
    let isRemoved: Bool

    var description: String {
      "\(isInserted ? "+" : isRemoved ? "-" : "~")\(table)/\(row) \(cells)"
    }
  }

  private var tables: [String: [Int64: [String: PlainValue]]] = [:]
  let schema: [[PlainValue]]

  /// Reads the rows of all tables, or only those of some tables.
  init(_ url: URL, only names: [String]? = nil) throws {
    let database = try PlainDatabase(url)
    schema = try database.values(
      "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2")
    for row in schema where row[0].text == "table" {
      guard let name = row[1].text, let sql = row[3].text, !sql.hasPrefix("CREATE VIRTUAL"),
        !name.hasPrefix("Z_RT_"), !name.hasPrefix("sqlite_")
      else { continue }
      if let names, !names.contains(name) { continue }
      var rows: [Int64: [String: PlainValue]] = [:]
      for var row in try database.rows("SELECT rowid AS zz_rowid, * FROM \"\(name)\"") {
        let id = row.removeValue(forKey: "zz_rowid")?.integer
        rows[id ?? row["Z_PK"]?.integer ?? -1] = row
      }
      tables[name] = rows
    }
  }

  /// Returns the differences in a later dump, table by table and row by row.
  func changes(to later: StoreDump) -> [Change] {
    var changes: [Change] = []
    for table in Set(tables.keys).union(later.tables.keys).sorted() {
      let (old, new) = (tables[table] ?? [:], later.tables[table] ?? [:])
      for row in Set(old.keys).union(new.keys).sorted() where old[row] != new[row] {
        let (before, after) = (old[row] ?? [:], new[row] ?? [:])
        var cells: [String: [PlainValue]] = [:]
        for column in Set(before.keys).union(after.keys) {
          let pair = [before[column] ?? .null, after[column] ?? .null]
          if pair[0] != pair[1] { cells[column] = pair }
        }
        changes.append(
          Change(
            table: table, row: row, cells: cells, isInserted: old[row] == nil,
            isRemoved: new[row] == nil))
      }
    }
    return changes
  }

  func hasTable(_ name: String) -> Bool { tables[name] != nil }

  /// Returns whether a table has triggers, which could write to other tables.
  func hasTriggers(on table: String) -> Bool {
    schema.contains { $0[0].text == "trigger" && $0[2].text == table }
  }
}
