import StoreEngine

/// The store that is verified, read through one connection in one transaction.
struct VerifiedStore {
  let connection: SQLiteConnection
  let url: URL
  let schema: StoreSchema
  /// Whether the model was inferred from the tables, so it is unknown which attributes may have values in files.
  let isModelInferred: Bool

  /// A property that an entity declares itself, with the rows that can have it.
  struct StoredProperty {
    let layout: EntityLayout
    let slot: PropertySlot
    let mapping: StoreSchema.Mapping
    /// The SQL for the rows of the entity's table.
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

  /// Returns the entity numbers that the row of an entity or a subentity may have: all numbers of the table if its rows
  /// lack the entity column.
  func possibleNumbers(_ layout: EntityLayout) -> String {
    numbers(schema.rowsContainEntity(layout) ? layout : layout.root)
  }

  func hasTable(_ name: String) throws -> Bool {
    try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)' COLLATE NOCASE")
      == 1
  }

  /// Returns the uppercase names of a table's columns; empty if there is no such table.
  func columns(of table: String) throws -> Set<String> {
    try HistorySchema.columns(of: table, on: connection)
  }

  /// The layouts of entities without a parent that have a table.
  var roots: [EntityLayout] {
    schema.model.entities.filter { $0.superlayout == nil && schema.contains($0) }
  }

  /// Returns a problem that counts and lists the rows of a query; nil if the query returns no rows.
  ///
  /// - Parameters:
  ///   - key: The SQL that identifies a row in the message.
  ///   - query: `FROM …`
  ///   - description: The text after the number of rows in the message: what is wrong with them.
  func problem(
    _ kind: StoreFinding.Kind, _ layout: EntityLayout? = nil, _ slot: PropertySlot? = nil,
    of key: String = "t.Z_PK", _ query: String, _ description: CountedText, repairs: [String] = []
  ) throws -> StoreProblem? {
    let found = try rows(key, query)
    if found.count == 0 { return nil }
    return StoreProblem(
      kind, layout, slot, count: found.count,
      "\(description.text(found.count)) \(Self.keys(found.examples))", repairs: repairs)
  }

  /// Returns the problem of the values that violate a rule of an attribute; nil if there are none.
  ///
  /// - Parameter condition: True for a row `t` with such a value.
  func problem(
    _ kind: StoreFinding.Kind, _ property: StoredProperty, _ column: String,
    where condition: String, _ rule: ValueRule
  ) throws -> StoreProblem? {
    let rows = "\(property.table) AS t"
    let condition = "t.Z_ENT IN \(property.numbers) AND \(condition)"
    return try problem(
      kind, property.layout, property.slot, "FROM \(rows) WHERE \(condition)",
      rule.description.after("value", "values"),
      repairs: rule.repair.map {
        [
          "UPDATE \(rows) SET \(SQLText.name(column)) = \($0), Z_OPT = IFNULL(Z_OPT, 0) + 1"
            + " WHERE \(condition)"
        ]
      } ?? [])
  }

  /// Returns the number of rows that a query returns, and text that lists the first of them.
  ///
  /// - Parameter query: `FROM …`, in which `key` identifies a row.
  func rows(_ key: String, _ query: String) throws -> (count: Int, examples: String) {
    let count = Int(try connection.integer("SELECT COUNT(*) \(query)") ?? 0)
    if count == 0 { return (0, "") }
    let shown = 5
    let examples = try connection.texts("SELECT \(key) \(query) ORDER BY 1 LIMIT \(shown)")
    return (count, examples.joined(separator: ", ") + (count > shown ? ", …" : ""))
  }

  /// Returns the end of a message: `(key 7)` or `(keys 7, 9)`.
  static func keys(_ examples: String) -> String {
    "(\(Int64(examples) == nil ? "keys" : "key") \(examples))"
  }
}

/// A rule for the values of an attribute.
struct ValueRule {
  /// The condition that a value violates the rule.
  let condition: String
  /// What is wrong with such values, for a message.
  let description: CountedText
  /// The correct value, if it is certain.
  let repair: String?

  init(_ condition: String, _ description: CountedText, repair: String? = nil) {
    self.condition = condition
    self.description = description
    self.repair = repair
  }
}

/// A text in the singular and in the plural.
struct CountedText {
  let one: String
  let several: String

  /// - Parameter rest: The end of both forms.
  init(_ one: String, _ several: String, _ rest: String = "") {
    self.one = one + rest
    self.several = several + rest
  }

  /// Returns the text with a noun before it.
  func after(_ one: String, _ several: String) -> CountedText {
    CountedText("\(one) \(self.one)", "\(several) \(self.several)")
  }

  /// Returns the text with a number before it.
  func text(_ count: Int) -> String { "\(count) \(count == 1 ? one : several)" }
}
