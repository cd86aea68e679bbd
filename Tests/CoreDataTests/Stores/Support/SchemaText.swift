import Foundation

/// What a store's `sqlite_master` says, by name.
struct SchemaText {
  let statements: [String: String]
  let tables: [String: [[PlainValue]]]

  init(_ database: PlainDatabase) throws {
    var statements: [String: String] = [:]
    var tables: [String: [[PlainValue]]] = [:]
    for row in try database.values("SELECT type, name, sql FROM sqlite_master") {
      guard let name = row[1].text, let sql = row[2].text else { continue }
      if Self.isForeign(name) { continue }
      statements[name] = sql
      if row[0].text == "table" { tables[name] = try database.values("PRAGMA table_info(\"\(name)\")") }
    }
    self.statements = statements
    self.tables = tables
  }

  /// Persistent history's tables, and the triggers that Photos makes itself.
  private static func isForeign(_ name: String) -> Bool {
    ["ACHANGE", "ATRANSACTION", "Z_TRANSACTION", "ZT_"].contains { name.hasPrefix($0) }
  }

  func differences(from other: SchemaText) -> [String] {
    var result: [String] = []
    for (name, sql) in other.statements.sorted(by: { $0.key < $1.key }) {
      guard let own = statements[name] else {
        result.append("MISSING \(sql)")
        continue
      }
      if own != sql { result.append("OTHER \(own)\n   APPLE \(sql)") }
    }
    for (name, sql) in statements.sorted(by: { $0.key < $1.key }) where other.statements[name] == nil {
      result.append("EXTRA \(sql)")
    }
    return result
  }
}
