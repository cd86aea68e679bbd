import StoreEngine

/// A table in a file that runs code when its rows are read, written or checked: a virtual table other than an R-tree, a
/// table with generated columns or CHECK constraints, or a view in place of one of Core Data's own tables. Core Data
/// makes no such tables.
struct ForeignTable {
  let name: String
  /// What runs code, for a list.
  let part: String
  /// The error, for a message after "the store … is damaged: ".
  let problem: String

  /// Core Data's own tables, which are read with any model.
  private static let ownTables: Set<String> = [
    "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
  ]

  /// Whether the table is read before a model is known, or with any model.
  var isOwn: Bool { Self.ownTables.contains(name.asciiUppercased) }

  /// Whether the table is named like those of Core Data. Other tables are never read or written as rows of a store.
  var isOfStore: Bool { Self.isOfStore(name) }

  static func isOfStore(_ name: String) -> Bool {
    let name = name.asciiUppercased
    return ownTables.contains(name) || name.beginsWithZ
  }

  /// Whether it is a view with the name of one of Core Data's own tables.
  var isView = false

  /// Returns the tables that run code.
  ///
  /// Opens no virtual table, because that runs the code of its module, and fails if this SQLite version lacks the
  /// module.
  static func all(on connection: SQLiteConnection) throws -> [ForeignTable] {
    try virtualTables(on: connection) + computedTables(on: connection)
      + checkedTables(on: connection) + views(on: connection)
  }

  private static func virtualTables(on connection: SQLiteConnection) throws -> [ForeignTable] {
    try SpecialTable.all(on: connection).filter { !$0.isRTree }.map {
      ForeignTable(
        name: $0.name, part: "virtual table \($0.name)",
        problem: "its table \($0.name) is a virtual table")
    }
  }

  private static func computedTables(on connection: SQLiteConnection) throws -> [ForeignTable] {
    try connection.rows(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_xinfo(m.name) c"
        + " WHERE m.type = 'table' AND \(TableCondition.isPlain)"
        // The numbers of generated columns (sqlite.org/pragma.html, "table_xinfo").
        + " AND c.hidden IN (2, 3)"
    ) { row in
      let (name, column) = (row.text(0), "\(row.text(0)).\(row.text(1))")
      return ForeignTable(
        name: name, part: "generated column \(column)",
        problem: "its column \(column) is a generated column")
    }
  }

  private static func checkedTables(on connection: SQLiteConnection) throws -> [ForeignTable] {
    let candidates = try connection.rows(
      "SELECT m.name, m.sql FROM sqlite_schema m WHERE m.type = 'table'"
        + " AND \(TableCondition.isPlain) AND m.sql LIKE '%check%'"
    ) { (name: $0.text(0), sql: $0.text(1)) }
    // A name or a comment may contain the word, too.
    return candidates.filter { SchemaWords.bare(in: $0.sql).contains("CHECK") }.map {
      ForeignTable(
        name: $0.name, part: "CHECK constraint of \($0.name)",
        problem: "its table \($0.name) has a CHECK constraint")
    }
  }

  /// Returns the views with names of Core Data's own tables. A view in place of an entity's table is omitted, because
  /// that table counts as missing.
  private static func views(on connection: SQLiteConnection) throws -> [ForeignTable] {
    try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'view'").map {
      ForeignTable(name: $0, part: "view \($0)", problem: "its table \($0) is a view", isView: true)
    }.filter(\.isOwn)
  }
}

extension ModelLayout {
  /// The tables of the entities.
  var tables: Set<String> {
    Set(entities.filter { $0.superlayout == nil }.map(StoreSchemaPlan.tableName))
  }
}

extension StoreSchema {
  /// The join tables of many-to-many relationships, and all missing tables, which may be join tables.
  var joinTables: Set<String> {
    var names: Set<String> = []
    for case .join(let join) in mappings.joined() { names.insert(join.table) }
    for case .table(let name) in missingParts.map(\.kind) { names.insert(name) }
    return names
  }
}
