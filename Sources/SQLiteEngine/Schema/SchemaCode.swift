import StoreEngine

/// Code in a file's schema that runs when rows are written: a trigger, an index of expressions or with a condition, or
/// a computed default value. The tables of ``ForeignTable`` run code, too, and are never written.
struct SchemaCode {
  enum Kind: String {
    case trigger
    case index
    case defaultValue = "default value"
  }

  let kind: Kind
  let name: String
  /// The statement that created the trigger or index, or the table of the default value.
  let sql: String

  static func all(on connection: SQLiteConnection) throws -> [SchemaCode] {
    try triggers(on: connection) + indexes(on: connection) + defaultValues(on: connection)
  }

  private static func triggers(on connection: SQLiteConnection) throws -> [SchemaCode] {
    try connection.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    { SchemaCode(kind: .trigger, name: $0.text(0), sql: $0.text(1)) }
  }

  /// Returns the indexes that evaluate an expression or a condition for each row that is written or checked.
  private static func indexes(on connection: SQLiteConnection) throws -> [SchemaCode] {
    // The number of a term that is an expression is -2 (sqlite.org/pragma.html, "index_info").
    let isComputed = "EXISTS (SELECT 1 FROM pragma_index_info(m.name) WHERE cid = -2)"
    let candidates = try connection.rows(
      "SELECT m.name, m.sql, \(isComputed) FROM sqlite_schema m WHERE m.type = 'index'"
        + " AND m.sql IS NOT NULL AND (m.sql LIKE '%where%' OR \(isComputed)) ORDER BY m.name"
    ) { (SchemaCode(kind: .index, name: $0.text(0), sql: $0.text(1)), $0.integer(2) != 0) }
    // A name may contain the word, too.
    return candidates.filter { $1 || SchemaWords.bare(in: $0.sql).contains("WHERE") }.map(\.0)
  }

  private static func defaultValues(on connection: SQLiteConnection) throws -> [SchemaCode] {
    try connection.rows(
      "SELECT m.name, c.name, c.dflt_value, m.sql FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND \(TableCondition.isPlain) AND m.sql LIKE '%default%'"
        + " AND c.dflt_value IS NOT NULL ORDER BY 1, 2"
    ) { row -> SchemaCode? in
      let code = SchemaCode(
        kind: .defaultValue, name: "\(row.text(0)).\(row.text(1))", sql: row.text(3))
      return isSmallLiteral(row.text(2)) ? nil : code
    }.compactMap { $0 }
  }

  private static let largestLiteral = 1_000

  /// Returns whether a default value is a number, word or string. A long one would be written with each row.
  private static func isSmallLiteral(_ text: String) -> Bool {
    text.utf8.count <= largestLiteral
      && text.range(of: #"^([-+]?[\w.]+|[xX]?'[^']*'|"[^"]*")$"#, options: .regularExpression)
        != nil
  }
}
