import StoreEngine

/// A table in a file that runs code when its rows are read, written or checked: a virtual table, or a table with
/// generated columns or CHECK constraints. Core Data makes no such tables.
struct ForeignTable {
  let name: String
  /// The error, for a message after "the store … is damaged: ".
  let problem: String

  /// Core Data's own tables, which are read with any model.
  private static let ownTables: Set<String> = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"]

  /// Whether the table is read before a model is known.
  var isOwn: Bool { Self.ownTables.contains(name.asciiUppercased) }

  /// Returns the tables that run code and whose names begin with Z, as those of Core Data's tables do.
  ///
  /// Opens no virtual table, because that runs the code of its module, and fails if this SQLite version lacks the
  /// module.
  static func all(on connection: SQLiteConnection) throws -> [ForeignTable] {
    let virtual = try SpecialTable.all(on: connection)
      .filter { !$0.isRTree && $0.name.asciiUppercased.hasPrefix("Z") }
      .map { ForeignTable(name: $0.name, problem: "its table \($0.name) is a virtual table") }
    let computed = try connection.rows(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_xinfo(m.name) c"
        + " WHERE m.type = 'table' AND m.name LIKE 'Z%' AND \(TableCondition.isPlain)"
        // The numbers of generated columns (sqlite.org/pragma.html, "table_xinfo").
        + " AND c.hidden IN (2, 3)"
    ) { row in
      let name = row.text(0)
      return ForeignTable(
        name: name, problem: "its column \(name).\(row.text(1)) is a generated column")
    }
    let checked = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Z%'"
        + " AND sql LIKE '%check%'"
    ) { (name: $0.text(0), sql: $0.text(1)) }
    // A name or a comment may contain the word, too.
    return virtual + computed
      + checked.filter { SchemaWords.bare(in: $0.sql).contains("CHECK") }
      .map { ForeignTable(name: $0.name, problem: "its table \($0.name) has a CHECK constraint") }
  }
}

extension ModelLayout {
  /// The tables of the entities.
  var tables: Set<String> {
    Set(entities.filter { $0.superlayout == nil }.map(StoreSchemaPlan.tableName))
  }
}

extension StoreSchema {
  /// The join tables of many-to-many relationships, including missing ones.
  var joinTables: Set<String> {
    var names: Set<String> = []
    for case .join(let join) in mappings.joined() { names.insert(join.table) }
    for case .table(let name) in missingParts.map(\.kind) { names.insert(name) }
    return names
  }
}
