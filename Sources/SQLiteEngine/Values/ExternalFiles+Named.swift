import StoreEngine

extension ExternalFiles {
  /// The files that the rows of a database name, whatever the model says of the columns and the rows.
  ///
  /// - Parameter isLeftOut: which columns do not count, by table and column.
  static func named(
    on connection: SQLiteConnection, but isLeftOut: (String, String) -> Bool = { _, _ in false }
  ) throws -> ValueFileNames {
    var names = ValueFileNames()
    try forEachName(on: connection, but: isLeftOut) { names.insert($0) }
    return names
  }

  /// Calls `body` with each name of a file in a row of a database, a name as often as rows have it.
  ///
  /// A cell names a file by its bytes, as `ExternalStorage.fileName(in:)` reads them. The type of the cell, the
  /// declared type of its column, the entity of its row and the attributes of a model decide nothing: they may be
  /// wrong or unknown, and a file that counts as named by none may be removed. Each table is read once, without
  /// the bytes of large cells.
  static func forEachName(
    on connection: SQLiteConnection, but isLeftOut: (String, String) -> Bool = { _, _ in false },
    _ body: (String) -> Void
  ) throws {
    var columns: [String: [String]] = [:]
    try connection.run(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND m.name LIKE 'Z%' AND m.sql NOT LIKE 'CREATE VIRTUAL%'"
        + " AND c.pk = 0"
    ) { schema in
      let (table, column) = (schema.text(0), schema.text(1))
      if !isLeftOut(table, column) { columns[table, default: []].append(column) }
    }
    for (table, all) in columns {
      // SQLite bounds how high an expression is.
      for start in stride(from: 0, to: all.count, by: columnsPerQuery) {
        let part = all[start..<min(start + columnsPerQuery, all.count)].map(SQLText.name)
        let cells = part.map { "CASE WHEN \(mayName($0)) THEN \($0) END" }
        try connection.run(
          "SELECT \(cells.joined(separator: ", ")) FROM \(SQLText.name(table))"
            + " WHERE \(part.map { mayName($0) }.joined(separator: " OR "))"
        ) { rows in
          for place in part.indices {
            let bytes = rows.blobBytes(place - start)
            if let name = ExternalStorage.fileName(in: bytes) { body(name) }
          }
        }
      }
    }
  }

  private static let columnsPerQuery = 50

  /// Whether a cell may name a file, as SQL: true of each that does. Types and lengths are known without reading
  /// the bytes.
  static func mayName(_ column: String) -> String {
    "(CASE TYPEOF(\(column)) WHEN 'blob' THEN LENGTH(\(column)) BETWEEN 37 AND 64"
      + " WHEN 'text' THEN LENGTH(\(column)) <= 64 ELSE 0 END"
      + " AND SUBSTR(CAST(\(column) AS BLOB), 1, 1) = x'02')"
  }
}
