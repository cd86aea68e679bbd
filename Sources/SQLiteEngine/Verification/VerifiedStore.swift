import StoreEngine

/// The store that is being looked at: one connection, in one transaction.
struct VerifiedStore {
  let connection: SQLiteConnection
  let url: URL
  let schema: StoreSchema
  /// Whether the model was made from the tables: which attributes are kept in files is not known then.
  let isModelInferred: Bool

  /// A property that an entity declares itself, with the rows that can have it.
  struct StoredProperty {
    let layout: EntityLayout
    let slot: PropertySlot
    let mapping: StoreSchema.Mapping
    /// What the rows of the entity's table are read from, as SQL.
    let table: String
    /// `(1, 2)`: the numbers of the entity and its subentities.
    let numbers: String
  }

  /// All stored properties, by entity and name.
  var storedProperties: [StoredProperty] {
    get throws {
      try schema.model.entities.filter(schema.contains).flatMap { layout in
        try StoreSchemaPlan.ownSlots(layout).compactMap { number in
          let mapping = schema.mapping(layout, number)
          if mapping == .none { return nil }
          return StoredProperty(
            layout: layout, slot: layout.slots[number], mapping: mapping,
            table: try schema.source(layout), numbers: numbers(layout))
        }
      }
    }
  }

  func numbers(_ layout: EntityLayout) -> String {
    let numbers = layout.family.compactMap { schema.numbers[$0.index] }.map(String.init)
    return "(\(numbers.joined(separator: ", ")))"
  }

  /// The numbers that the row of an entity, or of a subentity, can have: those of all of the table where its rows do not say
  /// which entity they are of.
  func possibleNumbers(_ layout: EntityLayout) -> String {
    numbers(schema.namesEntities(layout) ? layout : layout.root)
  }

  func hasTable(_ name: String) throws -> Bool {
    try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)' COLLATE NOCASE")
      == 1
  }

  /// The names of a table's columns, in upper case; none where there is no such table.
  func columns(of table: String) throws -> Set<String> {
    try HistorySchema.columns(of: table, on: connection)
  }

  /// The layouts of the entities without a parent that have a table.
  var roots: [EntityLayout] {
    schema.model.entities.filter { $0.superlayout == nil && schema.contains($0) }
  }

  /// The problem of the rows that a query returns; nil where it returns none.
  ///
  /// - Parameters:
  ///   - key: what a row is called.
  ///   - query: `FROM …`
  ///   - fault: what is wrong with the rows, behind their number.
  func problem(
    _ kind: StoreFinding.Kind, _ layout: EntityLayout? = nil, _ slot: PropertySlot? = nil,
    of key: String = "t.Z_PK", _ query: String, _ fault: String, repairs: [String] = []
  ) throws -> StoreProblem? {
    let found = try rows(key, query)
    if found.count == 0 { return nil }
    return StoreProblem(
      kind, layout, slot, count: found.count,
      "\(found.count) \(fault) (keys \(found.examples))", repairs: repairs)
  }

  /// The problem of the values of an attribute that break a rule; nil where there are none.
  ///
  /// - Parameter condition: True of a row `t` with such a value.
  func problem(
    _ kind: StoreFinding.Kind, _ property: StoredProperty, _ column: String,
    where condition: String, _ rule: ValueRule
  ) throws -> StoreProblem? {
    let rows = "\(property.table) AS t"
    let condition = "t.Z_ENT IN \(property.numbers) AND \(condition)"
    return try problem(
      kind, property.layout, property.slot, "FROM \(rows) WHERE \(condition)",
      "values \(rule.fault)",
      repairs: rule.repair.map {
        [
          "UPDATE \(rows) SET \(SQLText.name(column)) = \($0), Z_OPT = IFNULL(Z_OPT, 0) + 1"
            + " WHERE \(condition)"
        ]
      } ?? [])
  }

  /// How many rows a query gives, and the first of them in words.
  ///
  /// - Parameter query: `FROM …` with `key` as what a row is called.
  func rows(_ key: String, _ query: String) throws -> (count: Int, examples: String) {
    let count = Int(try connection.integer("SELECT COUNT(*) \(query)") ?? 0)
    if count == 0 { return (0, "") }
    let shown = 5
    let examples = try connection.texts("SELECT \(key) \(query) ORDER BY 1 LIMIT \(shown)")
    return (count, examples.joined(separator: ", ") + (count > shown ? ", …" : ""))
  }
}

/// What the values of an attribute must not be.
struct ValueRule {
  /// True of a value that breaks the rule.
  let condition: String
  /// What is wrong with such values.
  let fault: String
  /// The right value, where there is no doubt about it.
  let repair: String?

  init(_ condition: String, _ fault: String, repair: String? = nil) {
    self.condition = condition
    self.fault = fault
    self.repair = repair
  }
}
