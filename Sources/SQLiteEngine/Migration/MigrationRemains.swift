import StoreEngine

/// The remains of a deferred migration: renamed tables, and columns that no property of the model uses.
struct MigrationRemains {
  let connection: SQLiteConnection

  private static let prefix = "OpenCoreData_remains_"

  /// A remaining table or column.
  private enum Remnant {
    case table(String)
    case column(String, of: String)
  }

  /// Keeps a table under a unique name.
  func keep(_ table: String) throws {
    let name = Self.prefix + UUID().uuidString.replacing("-", with: "")
    try connection.execute("ALTER TABLE \(SQLText.name(table)) RENAME TO \(name)")
  }

  func exist(besides plan: StoreSchemaPlan) throws -> Bool { try !all(but: plan).isEmpty }

  /// Removes all remains, except columns that something else uses. Must be called in a transaction.
  func removeAll(but plan: StoreSchemaPlan) throws {
    for remnant in try all(but: plan) { _ = try removeIfPossible(remnant) }
  }

  /// Returns the tables that have remaining columns.
  func tables(besides plan: StoreSchemaPlan) throws -> Set<String> {
    Set(try columns(besides: plan).keys)
  }

  /// Returns the remaining columns by table.
  func columns(besides plan: StoreSchemaPlan) throws -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for case .column(let column, let table) in try all(but: plan) {
      columns[table, default: []].insert(column)
    }
    return columns
  }

  private func indexes(on column: String, of table: String) throws -> [String] {
    try connection.texts(
      // Only indexes of CREATE INDEX statements (origin c) can be dropped.
      "SELECT DISTINCT l.name FROM pragma_index_list(?1) l, pragma_index_info(l.name) i"
        + " WHERE l.origin = 'c' AND i.name = ?2", [.text(table), .text(column)])
  }

  /// Removes the first table or column that nothing else uses. Must be called in a transaction.
  ///
  /// - Returns: Whether there may be more. False if nothing could be removed.
  func removeOne(but plan: StoreSchemaPlan) throws -> Bool {
    var rest = try all(but: plan)[...]
    while let remnant = rest.popFirst() {
      if try removeIfPossible(remnant) { return !rest.isEmpty }
    }
    return false
  }

  /// Removes a table or column, or changes nothing if something else uses it, such as the user's trigger.
  private func removeIfPossible(_ remnant: Remnant) throws -> Bool {
    // Each removal raises the limits, because SQLite rewrites the whole table for each column.
    connection.clock?.allowWritingFile(times: 1)
    // Removing a column first drops views and indexes, which must not be lost if the column remains.
    try connection.execute("SAVEPOINT remnant")
    do {
      try remove(remnant)
    } catch let error as SQLiteError where error.isOfStatement {
      try connection.execute("ROLLBACK TO remnant; RELEASE remnant")
      Log.storeNotice("a table or column that a migration left cannot be removed: \(error)")
      return false
    }
    try connection.execute("RELEASE remnant")
    return true
  }

  private func remove(_ remnant: Remnant) throws {
    switch remnant {
    case .table(let name): try connection.execute("DROP TABLE \(SQLText.name(name))")
    case .column(let column, let table):
      for index in try indexes(on: column, of: table) {
        try connection.execute("DROP INDEX \(SQLText.name(index))")
      }
      let own = try parts(naming: column, of: table)
      for part in own { try connection.execute("DROP \(part.type) \(SQLText.name(part.name))") }
      try connection.execute(
        "ALTER TABLE \(SQLText.name(table)) DROP COLUMN \(SQLText.name(column))")
      for part in own { try restore(part, on: table) }
    }
  }

  /// A view, or an index whose expressions or condition may contain the name of a column.
  private typealias Part = (type: String, name: String, sql: String, hasExpressions: Bool)

  /// Returns the user's views and indexes that contain the name of a column. They prevent SQLite from removing it.
  private func parts(naming column: String, of table: String) throws -> [Part] {
    try connection.rows(
      "SELECT upper(m.type), m.name, m.sql, \(SchemaCode.hasExpressions("m.name"))"
        + " FROM sqlite_schema m WHERE sql IS NOT NULL"
        + " AND instr(lower(sql), lower(?2)) > 0"
        + " AND (type = 'view' OR type = 'index' AND tbl_name = ?1 AND name NOT GLOB 'Z*')",
      [.text(table), .text(column)]
    ) { ($0.text(0), $0.text(1), $0.text(2), $0.integer(3) != 0) }
  }

  /// Creates a view or index again. An index that refers to the removed column cannot be created and is lost. A view
  /// that refers to it can be created, because SQLite looks up the columns of a view only when the view is used.
  private func restore(_ part: Part, on table: String) throws {
    do {
      if part.hasExpressions {
        try connection.requireLimits(ofIndex: part.name, on: table, sql: part.sql)
      }
      try connection.run(part.sql)
    } catch let error as SQLiteError where error.isOfStatement {
      Log.storeNotice(
        "the \(part.type.lowercased()) \(part.name) does not fit the new model and is removed:"
          + " \(error.message)")
    }
  }

  private func all(but plan: StoreSchemaPlan) throws -> [Remnant] {
    // Listing the tables does not use the URL.
    let tables = try SchemaReader(connection: connection, url: URL(fileURLWithPath: "/"))
      .tables()
    var found = tables.keys.filter { $0.hasPrefix(Self.prefix) }.sorted().map(Remnant.table)
    for table in plan.tables {
      let known = Set(table.columns.map(\.name) + ["Z_PK", "Z_ENT", "Z_OPT"])
      for column in tables[table.name] ?? []
      where !known.contains(column.asciiUppercased) && column.beginsWithZ {
        found.append(.column(column, of: table.name))
      }
    }
    return found
  }
}

extension StoreSchemaPlan {
  /// Creates the plan of a store's schema, with its own entity numbers.
  init(_ schema: StoreSchema) { self.init(model: schema.model, numbers: schema.numbers) }
}
