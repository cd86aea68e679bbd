import StoreEngine

/// Code in a file's schema that runs when rows are written: a trigger, an index with expressions or a condition, or a
/// default value that is computed or long. The tables of ``ForeignTable`` run code too, but they are not included,
/// because they are never written.
struct SchemaCode {
  enum Kind: String {
    case trigger
    case index
    case defaultValue = "default value"
  }

  let kind: Kind
  let name: String
  let table: String
  /// The statement that created the trigger or index, or the table of the default value.
  let sql: String
  /// Whether it is an index of expressions, whose entries can be larger than the values of the table.
  var hasExpressions = false

  /// Returns the SQL condition for an index of expressions.
  ///
  /// - Parameter name: The SQL of the index's name.
  static func hasExpressions(_ name: String) -> String {
    // The number of a term that is an expression is -2 (sqlite.org/pragma.html, "index_info").
    "EXISTS (SELECT 1 FROM pragma_index_info(\(name)) WHERE cid = -2)"
  }

  static func all(on connection: SQLiteConnection) throws -> [SchemaCode] {
    try indexes(on: connection) + defaultValues(on: connection) + triggers(on: connection)
  }

  private static func triggers(on connection: SQLiteConnection) throws -> [SchemaCode] {
    try connection.rows(
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"
    ) { SchemaCode(kind: .trigger, name: $0.text(0), table: $0.text(1), sql: $0.text(2)) }
  }

  /// Returns the indexes that evaluate an expression or a condition for each row that is written or checked.
  private static func indexes(on connection: SQLiteConnection) throws -> [SchemaCode] {
    let hasExpressions = Self.hasExpressions("m.name")
    let candidates = try connection.rows(
      "SELECT m.name, m.tbl_name, m.sql, \(hasExpressions) FROM sqlite_schema m WHERE m.type = 'index'"
        + " AND m.sql IS NOT NULL AND (m.sql LIKE '%where%' OR \(hasExpressions)) ORDER BY m.name"
    ) { row in
      SchemaCode(
        kind: .index, name: row.text(0), table: row.text(1), sql: row.text(2),
        hasExpressions: row.integer(3) != 0)
    }
    // A name may contain the word, too.
    return candidates.filter {
      $0.hasExpressions || SchemaWords.bare(in: $0.sql).contains("WHERE")
    }
  }

  private static func defaultValues(on connection: SQLiteConnection) throws -> [SchemaCode] {
    try connection.rows(
      "SELECT m.name, c.name, c.dflt_value, m.sql FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND \(TableCondition.isPlain) AND m.sql LIKE '%default%'"
        + " AND c.dflt_value IS NOT NULL ORDER BY 1, 2"
    ) { row -> SchemaCode? in
      let code = SchemaCode(
        kind: .defaultValue, name: "\(row.text(0)).\(row.text(1))", table: row.text(0),
        sql: row.text(3))
      return isSmallLiteral(row.text(2)) ? nil : code
    }.compactMap { $0 }
  }

  private static let largestLiteral = 1_000

  /// Returns whether a default value is a short number, word, string or blob. A long one is written with each new row,
  /// and could fill the disk.
  private static func isSmallLiteral(_ text: String) -> Bool {
    text.utf8.count <= largestLiteral
      && text.range(of: #"^([-+]?[\w.]+|[xX]?'[^']*'|"[^"]*")$"#, options: .regularExpression)
        != nil
  }
}
