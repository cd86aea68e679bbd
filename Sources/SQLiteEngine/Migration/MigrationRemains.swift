import StoreEngine

/// What a deferred migration left behind: tables under other names, and columns that no slot has.
struct MigrationRemains {
  let connection: SQLiteConnection

  private static let prefix = "OpenCoreData_remains_"

  /// Something that is left.
  private enum Remnant {
    case table(String)
    case column(String, of: String)
  }

  /// Keeps a table under a name that no other has.
  func keep(_ table: String) throws {
    let name = Self.prefix + UUID().uuidString.replacing("-", with: "")
    try connection.execute("ALTER TABLE \(SQLText.name(table)) RENAME TO \(name)")
  }

  func exist(besides plan: StoreSchemaPlan) throws -> Bool { try !all(but: plan).isEmpty }

  /// Removes all that can be; a column that something else needs stays.
  func removeAll(but plan: StoreSchemaPlan) throws {
    for remnant in try all(but: plan) {
      do { try remove(remnant) } catch let error as SQLiteError where error.isOfStatement {
        Log.storeNotice("what a migration left cannot be removed: \(error)")
      }
    }
  }

  /// The tables that have columns of no slot.
  func tables(besides plan: StoreSchemaPlan) throws -> Set<String> {
    Set(try columns(besides: plan).keys)
  }

  /// The columns of no slot, by their tables.
  func columns(besides plan: StoreSchemaPlan) throws -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for case .column(let column, let table) in try all(but: plan) {
      columns[table, default: []].insert(column)
    }
    return columns
  }

  private func indexes(on column: String, of table: String) throws -> [String] {
    try connection.texts(
      "SELECT DISTINCT l.name FROM pragma_index_list(?1) l, pragma_index_info(l.name) i"
        + " WHERE l.origin = 'c' AND i.name = ?2", [.text(table), .text(column)])
  }

  /// Removes one of them.
  ///
  /// - Returns: whether there are more.
  func removeOne(but plan: StoreSchemaPlan) throws -> Bool {
    let remnants = try all(but: plan)
    if let first = remnants.first { try remove(first) }
    return remnants.count > 1
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
      for part in own { try restore(part) }
    }
  }

  /// A view, or an index whose expressions or condition may name a column.
  private typealias Part = (type: String, name: String, sql: String)

  /// What keeps SQLite from removing a column: the user's own views and indexes that name it.
  private func parts(naming column: String, of table: String) throws -> [Part] {
    try connection.rows(
      "SELECT upper(type), name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
        + " AND instr(lower(sql), lower(?2)) > 0"
        + " AND (type = 'view' OR type = 'index' AND tbl_name = ?1 AND name NOT GLOB 'Z*')",
      [.text(table), .text(column)]
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
  }

  /// Views are made again as they were written, and indexes where they name nothing that is gone.
  private func restore(_ part: Part) throws {
    do {
      try connection.run(part.sql)
    } catch let error as SQLiteError where error.isOfStatement {
      Log.storeNotice(
        "the \(part.type.lowercased()) \(part.name) is no part of the new model and cannot be kept:"
          + " \(error.message)")
    }
  }

  private func all(but plan: StoreSchemaPlan) throws -> [Remnant] {
    let tables = try SchemaReader(connection: connection, url: URL(fileURLWithPath: "/"))
      .tables()
    var found = tables.keys.filter { $0.hasPrefix(Self.prefix) }.sorted().map(Remnant.table)
    for table in plan.tables {
      let known = Set(table.columns.map(\.name) + ["Z_PK", "Z_ENT", "Z_OPT"])
      for column in tables[table.name] ?? []
      where !known.contains(column.asciiUppercased) && column.hasPrefix("Z") {
        found.append(.column(column, of: table.name))
      }
    }
    return found
  }
}

extension StoreSchemaPlan {
  /// The tables that a store has by its own numbers.
  init(_ schema: StoreSchema) { self.init(model: schema.model, numbers: schema.numbers) }
}
