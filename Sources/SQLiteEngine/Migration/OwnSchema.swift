import CSQLite
import StoreEngine

/// The user's own views, triggers, and indexes on the model's tables.
///
/// They are removed before the tables change, and created again afterwards: views unchanged, triggers and indexes
/// with the new names of tables and columns. Triggers and indexes that refer to something that was removed, and unique
/// indexes that the rows violate, are omitted, which is logged.
struct OwnSchema {
  private let migration: InPlaceMigration
  private var views: [Part] = []
  private var triggers: [Part] = []
  private var indexes: [Part] = []
  /// The old names of tables and their columns.
  private var names: [(table: String, columns: [String])] = []

  private struct Part {
    let name: String
    let table: String
    let sql: String
    /// Whether it is an index of expressions.
    let hasExpressions: Bool
    /// Whether a trigger's table was writable before the migration, as far as this connection can determine.
    var works = true

    var isUnique: Bool {
      let words = sql.split(separator: " ", maxSplits: 2)
      return words.count > 1 && words[1].uppercased() == "UNIQUE"
    }
  }

  /// Removes the user's schema.
  ///
  /// - Parameter kept: The tables that are altered or unchanged. Their indexes are kept, except unique ones and those
  ///   that run code.
  init(removedFrom migration: InPlaceMigration, keeping kept: Set<String>) throws {
    self.migration = migration
    let tables = Set(migration.old.tables.compactMap { $0 }).union(migration.oldJoinTables)
    views = try parts("type = 'view'")
    triggers = try parts("type = 'trigger' AND name NOT GLOB 'Z_DA_*' AND name NOT GLOB 'Z_RT_*'")
    // The names of the model's indexes begin with a Z, like those of Apple's Core Data.
    let computed = Set(
      migration.foreignCode.filter { $0.kind == .index && ForeignTable.isOfStore($0.table) }
        .map(\.name))
    indexes = try parts("type = 'index' AND name NOT GLOB 'Z*'").filter {
      computed.contains($0.name)
        || tables.contains($0.table) && (!kept.contains($0.table) || $0.isUnique)
    }
    if !triggers.isEmpty || !indexes.isEmpty { names = try namesOfTables() }
    for place in triggers.indices {
      triggers[place].works = try errors(ofWriting: triggers[place].table).allSatisfy { $0 == nil }
    }
    // If they stayed, SQLite would change views and triggers with each temporary name of a table,
    // refuse to rename columns while a view refers to a missing table, and run triggers while rows
    // are moved.
    for part in triggers { try connection.execute("DROP TRIGGER \(SQLText.name(part.name))") }
    for part in indexes { try connection.execute("DROP INDEX \(SQLText.name(part.name))") }
    for part in views { try connection.execute("DROP VIEW \(SQLText.name(part.name))") }
  }

  private var connection: SQLiteConnection { migration.connection }

  private func parts(_ condition: String) throws -> [Part] {
    try connection.rows(
      "SELECT m.name, m.tbl_name, m.sql, \(SchemaCode.hasExpressions("m.name"))"
        + " FROM sqlite_schema m WHERE sql IS NOT NULL AND \(condition) ORDER BY m.rowid"
    ) { row in
      Part(
        name: row.text(0), table: row.text(1), sql: row.text(2),
        hasExpressions: row.integer(3) != 0)
    }
  }

  private func namesOfTables() throws -> [(table: String, columns: [String])] {
    let names = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    return try names.compactMap { table in
      // The columns of a virtual table are unknown if this SQLite version lacks its module.
      do {
        let columns = try columns(of: table)
        return columns.isEmpty ? nil : (table, columns)
      } catch let error as SQLiteError where error.isOfSchema {
        return nil
      }
    }
  }

  private func columns(of table: String) throws -> [String] {
    try connection.texts("SELECT name FROM pragma_table_xinfo(?1)", [.text(table)])
  }

  /// Creates the user's schema again.
  func restore(_ tables: [TableMigration]) throws {
    for part in views { try restore("view", part) { try run(part.sql) } }
    if indexes.isEmpty, triggers.isEmpty { return }
    let olds = Set(migration.old.tables.compactMap { $0 })
    let names = NewNames(names, entities: olds, after: tables)
    for part in indexes {
      try restore("index", part) {
        // SQLite interprets an unknown quoted name as a string. If the statement refers to nothing that was removed,
        // the user meant a string.
        try connection.withStrictNames(names.areLost(in: part.sql)) {
          let sql = try names.statement(part.sql)
          // Each index raises the limits, so that several indexes do not exhaust those of one operation.
          connection.clock?.allowWritingFile(times: 1)
          if part.hasExpressions {
            try connection.requireLimits(
              ofIndex: part.name, on: names.table(part.table), sql: plain(sql))
          }
          try run(sql)
        }
      }
    }
    for part in triggers {
      try restore("trigger", part) {
        let table = names.table(part.table)
        // SQLite compiles a trigger together with the statement that fires it.
        func errors() throws -> [String?] {
          try connection.withStrictNames(names.areLost(in: part.sql)) {
            try self.errors(ofWriting: table)
          }
        }
        let before = try errors()
        try run(try names.statement(part.sql))
        guard part.works,
          let error = zip(before, try errors()).first(where: { $1 != nil && $0 != $1 })?.1
        else { return }
        try connection.execute("DROP TRIGGER \(SQLText.name(part.name))")
        throw SQLiteError(code: SQLITE_ERROR, message: error, sql: nil)
      }
    }
  }

  private func run(_ sql: String) throws { try connection.run(plain(sql)) }

  /// Returns a statement of the schema.
  ///
  /// - Throws: If it is a different kind of statement than expected.
  private func plain(_ sql: String) throws -> String {
    let beginnings = ["VIEW", "TRIGGER", "INDEX", "UNIQUE INDEX"].map { "CREATE \($0) " }
    guard beginnings.contains(where: sql.hasPrefix) else {
      throw SQLiteError(
        code: SQLITE_ERROR, message: "its SQL is not a plain CREATE statement", sql: sql)
    }
    return sql
  }

  private func restore(_ kind: String, _ part: Part, _ body: () throws -> Void) throws {
    do { try body() } catch let error as SQLiteError where error.isOfSchema || error.isUniqueness {
      Log.storeNotice(
        "the \(kind) \(part.name) of \(migration.url.path) does not fit the new model and is removed:"
          + " \(error.message)")
    }
  }

  /// Returns the errors of inserting, updating and deleting rows of a table or view; nil for the operations that are
  /// possible.
  private func errors(ofWriting table: String) throws -> [String?] {
    let names = try columns(of: table).map(SQLText.name)
    let changes = names.map { "\($0) = \($0)" }
    let table = SQLText.name(table)
    return try [
      "INSERT INTO \(table) DEFAULT VALUES",
      "UPDATE \(table) SET \(changes.isEmpty ? "Z_PK = 1" : changes.joined(separator: ", "))",
      "DELETE FROM \(table)",
    ].map { sql in
      do {
        // Preparing a statement compiles its triggers without running them.
        _ = try SQLiteStatement(sql, on: connection)
        return nil
      } catch let error as SQLiteError where error.isOfSchema {
        return error.message
      }
    }
  }
}

extension SQLiteError {
  /// Whether a statement, or a trigger that it fires, refers to something that does not exist or is not permitted.
  fileprivate var isOfSchema: Bool { isOfStatement || primaryCode == SQLITE_AUTH }
}

extension SQLiteConnection {
  /// Runs `body`. If `isStrict`, a quoted name that refers to nothing is an error in its statements
  /// instead of a string.
  fileprivate func withStrictNames<Result>(
    _ isStrict: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    guard isStrict else { return try body() }
    func set(_ isLenient: Int32) {
      _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_DQS_DDL, isLenient)
      _ = sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_DQS_DML, isLenient)
    }
    set(0)
    defer { set(1) }
    return try body()
  }
}

/// The new names of tables and columns, for statements that contain the old ones.
///
/// SQLite itself rewrites the statements, in a database that contains only the names.
private struct NewNames {
  /// A table of the old model.
  private struct Table {
    let old: String
    let columns: [String]
    var new: String?
    var newColumns: [String: String] = [:]

    /// Returns a name if no column gets it in the new model; otherwise nil.
    func free(_ name: String) -> String? { newColumns.values.contains(name) ? nil : name }

    /// Keeps the names of the columns that no property has: those of the user, and those that are removed later. An
    /// altered table still has them.
    mutating func keepOtherColumns() {
      for column in columns where newColumns[column] == nil { newColumns[column] = free(column) }
    }
  }

  private var tables: [Table]
  private let all: [(table: String, columns: [String])]

  /// - Parameters:
  ///   - all: All tables and columns that statements can refer to.
  ///   - entities: The tables of the old model's entities.
  init(
    _ all: [(table: String, columns: [String])], entities: Set<String>,
    after migrations: [TableMigration]
  ) {
    self.all = all
    tables = all.filter { entities.contains($0.table) }
      .map { Table(old: $0.table, columns: $0.columns) }
    for migration in migrations {
      for (old, columns) in migration.newNames {
        guard let place = tables.firstIndex(where: { $0.old == old && $0.new == nil }) else {
          continue
        }
        tables[place].new = migration.name
        tables[place].newColumns = columns
        if migration.keptTable == old { tables[place].keepOtherColumns() }
      }
    }
  }

  /// Returns the new name of a table, or the old name if the table has no new one.
  func table(_ name: String) -> String {
    tables.first { $0.old.caseInsensitiveCompare(name) == .orderedSame }?.new ?? name
  }

  private static func naming(_ sql: String) -> (String) -> Bool {
    { sql.range(of: $0, options: .caseInsensitive) != nil }
  }

  /// Returns whether a statement may refer to something that was removed.
  func areLost(in sql: String) -> Bool {
    let isNamed = Self.naming(sql)
    return tables.contains { table in
      isNamed(table.old)
        && (table.new == nil
          || table.columns.contains { table.newColumns[$0] == nil && isNamed($0) })
    }
  }

  /// Returns a statement with the new names, or unchanged if it cannot be rewritten.
  func statement(_ sql: String) throws -> String {
    let isNamed = Self.naming(sql)
    let changed = tables.compactMap { table -> Table? in
      guard isNamed(table.old) else { return nil }
      let changed = table.columns.filter { table.newColumns[$0] != $0 }
      let named = changed.filter(isNamed)
      // A column whose name another column gets is renamed, too.
      let used = Set(named.compactMap { table.newColumns[$0] })
      let columns = named + changed.filter { !isNamed($0) && used.contains($0) }
      return table.new == table.old && columns.isEmpty
        ? nil
        : Table(old: table.old, columns: columns, new: table.new, newColumns: table.newColumns)
    }
    if changed.isEmpty { return sql }
    do {
      return try rewritten(sql, changed) ?? sql
    } catch let error as SQLiteError where error.isOfSchema {
      return sql
    }
  }

  private func rewritten(_ sql: String, _ changed: [Table]) throws -> String? {
    let scratch = try SQLiteConnection(path: ":memory:", mode: .readWriteCreate, busyTimeout: 0)
    defer { scratch.close() }
    for (table, columns) in all {
      let columns = columns.map(SQLText.name).joined(separator: ", ")
      try scratch.execute("CREATE TABLE \(SQLText.name(table)) (\(columns))")
    }
    try scratch.run(sql)
    // SQLite itself rewrites the statement: renaming a table or column updates the SQL of indexes,
    // triggers and views (sqlite.org/lang_altertable.html).
    func rename(_ table: String, _ change: String) throws {
      try scratch.execute("ALTER TABLE \(SQLText.name(table)) RENAME \(change)")
    }
    // Assign temporary names first, because two columns may exchange their names, and a column may get the name of a
    // removed one.
    for (number, table) in changed.enumerated() {
      for (place, column) in table.columns.enumerated() {
        try rename(table.old, "COLUMN \(SQLText.name(column)) TO OpenCoreData_\(place)")
      }
      try rename(table.old, "TO OpenCoreData_table_\(number)")
    }
    let used = Set(changed.compactMap(\.new))
    let isNamed = Self.naming(sql)
    for (number, table) in changed.enumerated() {
      for (place, column) in table.columns.enumerated() where isNamed(column) {
        // A removed column keeps its own name.
        guard let name = table.newColumns[column] ?? table.free(column) else { continue }
        // SQLite copies the new name from this statement, with its quotation marks if it has any.
        try rename(
          "OpenCoreData_table_\(number)",
          "COLUMN OpenCoreData_\(place) TO \(SchemaBuilder.identifier(name))")
      }
      guard let name = table.new ?? (used.contains(table.old) ? nil : table.old) else { continue }
      // Removes a table that the statement does not refer to.
      try scratch.execute("DROP TABLE IF EXISTS \(SQLText.name(name))")
      try rename("OpenCoreData_table_\(number)", "TO \(SQLText.name(name))")
    }
    return try scratch.text(
      "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL")
  }
}
