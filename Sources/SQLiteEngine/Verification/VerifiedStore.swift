import Foundation
import StoreEngine

/// The store that is being looked at: one connection, in one transaction.
struct VerifiedStore {
  let connection: SQLiteConnection
  let url: URL
  let schema: StoreSchema
  /// Whether the model was made from the tables: which attributes are kept in files is not known then.
  let isModelInferred: Bool

  /// A property that an entity declares itself, with the rows that can have it.
  struct Place {
    let layout: EntityLayout
    let slot: PropertySlot
    let mapping: StoreSchema.Mapping
    /// What the rows of the entity's table are read from, as SQL.
    let table: String
    /// `(1, 2)`: the numbers of the entity and its subentities.
    let numbers: String
  }

  /// All stored properties, by entity and name.
  var places: [Place] {
    get throws {
      try schema.model.entities.filter(schema.contains).flatMap { layout in
        try StoreSchemaPlan.ownSlots(layout).compactMap { number in
          let mapping = schema.mapping(layout, number)
          if mapping == .none { return nil }
          return Place(
            layout: layout, slot: layout.slots[number], mapping: mapping,
            table: try schema.source(layout), numbers: numbers(layout))
        }
      }
    }
  }

  func numbers(_ layout: EntityLayout) -> String {
    "("
      + layout.family.compactMap { schema.numbers[$0.index] }.map(String.init)
      .joined(separator: ", ") + ")"
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

  /// How many rows a query gives, and the first of them in words.
  ///
  /// - Parameter query: `FROM …` with `key` as what a row is called.
  func rows(_ key: String, _ query: String) throws -> (count: Int, examples: String) {
    let count = Int(try connection.integer("SELECT COUNT(*) \(query)") ?? 0)
    if count == 0 { return (0, "") }
    let shown = 5
    let statement = try connection.statement("SELECT \(key) \(query) ORDER BY 1 LIMIT \(shown)")
    defer { statement.reset() }
    var examples: [String] = []
    while try statement.step() { examples.append(statement.text(0)) }
    return (count, examples.joined(separator: ", ") + (count > shown ? ", …" : ""))
  }
}
