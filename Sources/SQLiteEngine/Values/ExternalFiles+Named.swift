import StoreEngine

extension ExternalFiles {
  /// Returns the files that the rows of a database refer to, whatever the model says about the columns and rows. Tables
  /// of CloudKit's records, of the history and of other programs count, too.
  ///
  /// - Parameter isLeftOut: Returns whether to ignore a column of a table.
  static func named(
    on connection: SQLiteConnection, but isLeftOut: (String, String) -> Bool = { _, _ in false }
  ) throws -> ValueFileNames {
    var names = ValueFileNames()
    let isComplete = try forEachName(on: connection, but: isLeftOut) { names.insert($0) }
    if !isComplete { names.insertAll() }
    return names
  }

  /// Calls `body` with the file name of each cell of a database that refers to a file.
  ///
  /// A cell refers to a file by its bytes, as `ExternalStorage.fileName(in:)` reads them. The type of the cell, the
  /// declared type of its column, the entity of its row and the attributes of a model do not matter: they may be
  /// wrong or unknown, and a file without a reference may be removed. Does not read the bytes of large data.
  ///
  /// - Returns: False if a table of another program is damaged and could not be read. Such a table must not prevent
  ///   saves and copies of the store.
  @discardableResult
  static func forEachName(
    on connection: SQLiteConnection, but isLeftOut: (String, String) -> Bool = { _, _ in false },
    _ body: (String) -> Void
  ) throws -> Bool {
    var isComplete = true
    var columns: [String: [String]] = [:]
    try connection.run(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND \(TableCondition.isPlain)"
        // The columns of primary keys contain no values of attributes.
        + " AND c.pk = 0"
    ) { schema in
      let (table, column) = (schema.text(0), schema.text(1))
      if !isLeftOut(table, column) { columns[table, default: []].append(column) }
    }
    for (table, all) in columns {
      do { try forEachName(in: all, of: table, on: connection, body) } catch let error
        as SQLiteError where error.isDamage && !table.asciiUppercased.beginsWithZ
      {
        isComplete = false
      }
    }
    return isComplete
  }

  private static func forEachName(
    in columns: [String], of table: String, on connection: SQLiteConnection,
    _ body: (String) -> Void
  ) throws {
    // SQLite limits the depth of an expression.
    for start in stride(from: 0, to: columns.count, by: columnsPerQuery) {
      let part = columns[start..<min(start + columnsPerQuery, columns.count)].map(SQLText.name)
      let cells = part.map { "CASE WHEN \(mayReferToFile($0)) THEN \($0) END" }
      try connection.run(
        "SELECT \(cells.joined(separator: ", ")) FROM \(SQLText.name(table))"
          + " WHERE \(part.map { mayReferToFile($0) }.joined(separator: " OR "))"
      ) { rows in
        for place in part.indices {
          let bytes = rows.blobBytes(place)
          if let name = ExternalStorage.fileName(in: bytes) { body(name) }
        }
      }
    }
  }

  private static let columnsPerQuery = 50

  /// Returns the SQL condition that a cell may refer to a file. It is true for each cell that does. SQLite determines
  /// the type of a cell and the length of data without reading the bytes.
  static func mayReferToFile(_ column: String) -> String {
    "(CASE TYPEOF(\(column)) WHEN 'blob' THEN LENGTH(\(column)) BETWEEN 37 AND 64"
      + " WHEN 'text' THEN LENGTH(\(column)) <= 64 ELSE 0 END"
      + " AND SUBSTR(CAST(\(column) AS BLOB), 1, 1) = x'02')"
  }
}
