import StoreEngine

/// Migrates indexes, triggers, and the tables with metadata.
extension InPlaceMigration {
  /// Removes the model's triggers, which would run while rows are moved, and its R-trees, which these triggers
  /// maintain. The new schema creates both again.
  func dropTriggers() throws {
    for name in try names("type = 'trigger' AND (name GLOB 'Z_DA_*' OR name GLOB 'Z_RT_*')") {
      try connection.execute("DROP TRIGGER \(SQLText.name(name))")
    }
    // Without triggers, an R-tree would no longer match its rows. The new model's triggers fill it again.
    for name in try SpecialTable.indexTrees(on: connection) {
      try connection.execute("DROP TABLE \(SQLText.name(name))")
    }
  }

  /// Removes the indexes with code that are named like those of a model, with a Z at the beginning, but that the old
  /// model does not have. If they stayed, their code would run while rows are moved.
  func dropForeignIndexes() throws {
    for code in foreignCode where code.kind == .index && code.name.beginsWithZ {
      // An index on a column that an earlier migration left may already have been removed with the column.
      try connection.execute("DROP INDEX IF EXISTS \(SQLText.name(code.name))")
    }
  }

  func dropIndexes(of table: String, unique isUnique: Bool = false) throws {
    let literal = SQLText.literal(.text(table))
    // Indexes without SQL are SQLite's own, of primary keys and UNIQUE clauses, and cannot be
    // dropped.
    let condition = "type = 'index' AND sql IS NOT NULL AND tbl_name = \(literal)"
    for name in try names(condition + (isUnique ? " AND sql LIKE 'CREATE UNIQUE%'" : "")) {
      try connection.execute("DROP INDEX \(SQLText.name(name))")
    }
  }

  private func names(_ condition: String) throws -> [String] {
    try connection.texts("SELECT name FROM sqlite_schema WHERE \(condition)")
  }

  /// Creates the missing tables, indexes and triggers of the new model, except unique indexes, and removes the indexes
  /// that it does not have, except the user's. Then fills the R-trees of the new model.
  func makeSchema(_ statements: [String]) throws {
    let wanted = Dictionary(
      statements.compactMap { statement in
        Self.name(in: statement).map { ($0, SchemaSpelling.plain(statement)) }
      }, uniquingKeysWith: { first, _ in first })
    var present: [String: String] = [:]
    var unwanted: [String] = []
    try connection.run(
      "SELECT name, sql, type FROM sqlite_schema WHERE sql IS NOT NULL"
    ) { schema in
      let name = schema.text(0)
      let isIndex = schema.text(2) == "index"
      // An index whose name does not begin with a Z is the user's, and is kept.
      if isIndex, name.beginsWithZ, wanted[name] != SchemaSpelling.plain(schema.text(1)) {
        unwanted.append(name)
      } else {
        present[name] = schema.text(1)
      }
    }
    // Drop the indexes after the query, because SQLite cannot drop an index while a statement reads
    // the schema.
    for name in unwanted { try connection.execute("DROP INDEX \(SQLText.name(name))") }
    for statement in statements where !Self.isUniqueIndex(statement) {
      guard let name = Self.name(in: statement), present[name] == nil else { continue }
      try connection.execute(statement)
    }
    try fillRTrees(statements)
  }

  /// Creates the unique indexes of the new model. Its tables have none yet: altered tables have lost theirs, and the
  /// other tables are new.
  ///
  /// - Throws: `NSMigrationConstraintViolationError` if rows violate a uniqueness constraint.
  func makeUniqueIndexes(_ statements: [String]) throws {
    for statement in statements where Self.isUniqueIndex(statement) {
      do {
        try connection.execute(statement)
      } catch let error as SQLiteError where error.isUniqueness {
        throw CoreDataError.make(
          NSMigrationConstraintViolationError,
          "the store \(url.path) cannot be migrated: rows have the same values where the new model"
            + " requires unique ones (\(Self.name(in: statement) ?? ""))\(repeatedValues(statement))",
          at: url.path, cause: error)
      }
    }
  }

  private static func isUniqueIndex(_ statement: String) -> Bool {
    statement.hasPrefix("CREATE UNIQUE INDEX ")
  }

  /// Returns a description of the first values that prevent a unique index.
  private func repeatedValues(_ statement: String) -> String {
    do { return ": " + (try firstRepeatedValues(statement)) } catch {
      // The error is useful without the values.
      return ""
    }
  }

  private func firstRepeatedValues(_ statement: String) throws -> String {
    guard let on = statement.firstRange(of: " ON "), let open = statement.lastIndex(of: "(") else {
      return ""
    }
    let table = statement[on.upperBound..<open]
    let columns = statement[open...].dropFirst().dropLast().replacing(
      " COLLATE BINARY ASC", with: ""
    ).split(separator: ", ")
    let (shown, list) = (3, columns.joined(separator: ", "))
    // A UUID is stored as bytes, which are not readable as text.
    let texts = columns.map { "CASE TYPEOF(\($0)) WHEN 'blob' THEN hex(\($0)) ELSE \($0) END" }
    let found = try connection.rows(
      "SELECT COUNT(*), \(texts.joined(separator: ", ")) FROM \(table)"
        + " WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))"
        + " GROUP BY \(list) HAVING COUNT(*) > 1 ORDER BY \(list) LIMIT \(shown + 1)"
    ) { row in
      let values = columns.indices.map { String(row.text($0 + 1).prefix(60)) }
      return "\(values.joined(separator: ", ")) (\(row.integer(0)) rows)"
    }
    return found.prefix(shown).joined(separator: "; ") + (found.count > shown ? "; and more" : "")
  }

  /// Fills R-trees by updating each row, which runs their triggers.
  private func fillRTrees(_ statements: [String]) throws {
    let trees = statements.filter { $0.hasPrefix("CREATE VIRTUAL TABLE") }
    if trees.isEmpty { return }
    try connection.allowIndexTriggers(of: sources.new)
    for table in plan.tables
    where table.root.family.contains(where: { $0.entity.indexes.contains(where: \.isRTree) }) {
      try connection.execute("UPDATE \(SQLText.name(table.name)) SET Z_ENT = Z_ENT")
    }
  }

  /// Returns the name of the object that a statement creates.
  private static func name(in statement: String) -> String? {
    var words = statement.split(separator: " ", maxSplits: 4).map(String.init)
    words.removeAll { ["CREATE", "UNIQUE", "VIRTUAL", "TABLE", "INDEX", "TRIGGER"].contains($0) }
    guard let first = words.first else { return nil }
    guard first.hasPrefix("\"") else { return first }
    var name = String.UnicodeScalarView()
    var rest = statement.unicodeScalars.drop { $0 != "\"" }.dropFirst()
    while let next = rest.popFirst() {
      // A doubled quote is part of the name.
      if next == "\"" {
        guard rest.first == next else { break }
        rest.removeFirst()
      }
      name.append(next)
    }
    return String(name)
  }

  /// Writes the entities, the metadata and the model.
  func writeRecords() throws {
    var largest: [String: Int64] = [:]
    try connection.run("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") {
      largest[$0.text(0)] = $0.integer(1)
    }
    // Numbers from 16,000 on belong to the history, whose counters must stay.
    try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    try SQLiteStore.insertEntities(plan, on: connection) { root in
      root.family.compactMap { sources.source(of: $0)?.root }
        .compactMap { largest[$0.name] }.max() ?? 0
    }
    let model = sources.new.model
    let names = plan.model.entities.filter { plan.numbers[$0.index] != nil }.map(\.name)
    // The program's own metadata is kept.
    var list = metadata.filter { !StoreMetadata.isOfModel($0.key) }
    list.merge(StoreMetadata.new(for: model, entities: names)) { own, _ in own }
    let hasRemains = try MigrationRemains(connection: connection).exist(besides: plan)
    list[NSPersistentStoreDeferredLightweightMigrationOptionKey] =
      hasRemains ? NSNumber(value: true) : nil
    try StoreMetadata.write(list, on: connection)
    // Create the table again even if the rest of the schema is unchanged, because the schema's new
    // version notifies other connections.
    try connection.execute("DROP TABLE IF EXISTS Z_MODELCACHE")
    try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    try connection.run(
      "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.data(try model.storeModelCache())])
  }
}
