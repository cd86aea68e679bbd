/// The statements of a batch deletion. The rows to delete are first recorded in a temporary table, with the index of
/// their root entity's layout, the number of their entity in the store, and a wave: 0 for the rows of the request, and
/// one more for the rows that are deleted with those of the preceding wave. All later statements use that table, so
/// they refer to the rows as they were before the deletion.
package struct DeleteBuilder {
  private static let table = "CoreDataDeletedRows"

  private let schema: StoreSchema
  private let origin: StoreOrigin
  private let dialect: any SQLDialect

  package init(schema: StoreSchema, origin: StoreOrigin, dialect: any SQLDialect) {
    self.schema = schema
    self.origin = origin
    self.dialect = dialect
  }

  /// The temporary table.
  package var rows: String { dialect.temporaryTable(Self.table) }

  /// The statement that creates the temporary table.
  package var rowTable: String {
    dialect.makeTemporaryTable(
      // The root is part of the key, because each table has its own keys.
      Self.table, numbers: ["root", "pk", "ent", "wave"], key: ["root", "pk"], values: [])
  }

  /// The statement that creates an index for the rows of a wave.
  package var waveIndex: String {
    dialect.makeTemporaryIndex(
      "CoreDataDeletedRowsByWave", on: Self.table, ["wave", "root", "ent", "pk"])
  }

  /// Returns a statement that records the rows of a query.
  private func note(_ query: SQLText) -> SQLText {
    // A row that was recorded in an earlier wave is ignored, so cycles of relationships end.
    let (into, end) = dialect.insertMissing
    return SQLText("\(into) \(rows) ", query, end)
  }

  private var key: String { schema.own.key }

  /// Returns a statement that records the rows of the request, as wave 0.
  package func begin(_ plan: RowQuery) throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: dialect)
    return note(
      // The statement contains the query's order and limit, because they may determine which rows are deleted.
      try builder.select(plan) { builder, alias in
        let entity = try schema.entityNumber(builder.entity(alias), declared: plan.layout)
        return SQLText("\(plan.layout.root.index), \(builder.key(alias)), \(entity), 0")
      })
  }

  /// Returns a query for the keys of an entity's recorded rows, in one wave or in all waves.
  private func owners(_ layout: EntityLayout, wave: Int?) throws -> String {
    "SELECT pk FROM \(rows) WHERE root = \(layout.root.index)"
      + " AND ent = \(try schema.number(layout))" + (wave.map { " AND wave = \($0)" } ?? "")
  }

  /// Returns `FROM … WHERE …` for the destination rows, named `d`, of a relationship of recorded rows; nil if the
  /// store does not contain the relationship.
  private func destinations(
    _ layout: EntityLayout, _ slot: PropertySlot, wave: Int? = nil
  ) throws -> String? {
    guard let destination = slot.relationship?.destination, schema.contains(destination) else {
      return nil
    }
    let table = dialect.name(try schema.table(destination))
    let owners = try owners(layout, wave: wave)
    switch schema.mapping(layout, slot.index) {
    case .toOne(let column, _, _):
      let own = dialect.name(try schema.table(layout))
      // Use IN instead of a join, so that a row to which several owners refer is returned once.
      return " FROM \(table) d WHERE d.\(key) IN (SELECT o.\(dialect.name(column)) FROM \(own) o"
        + " WHERE o.\(key) IN (\(owners)))"
    case .children(let column, _, _):
      return " FROM \(table) d WHERE d.\(dialect.name(column)) IN (\(owners))"
    case .join(let join):
      return " FROM \(table) d WHERE d.\(key) IN (SELECT j.\(dialect.name(join.memberColumn))"
        + " FROM \(dialect.name(join.table)) j"
        + " WHERE j.\(dialect.name(join.ownerColumn)) IN (\(owners)))"
    case .none, .attribute: return nil
    }
  }

  /// Returns the condition that a row `d` is not deleted.
  private func isKept(_ destination: EntityLayout) -> String {
    " AND NOT EXISTS (SELECT 1 FROM \(rows) x"
      + " WHERE x.root = \(destination.root.index) AND x.pk = d.\(key))"
  }

  /// Returns a statement that records the rows that are deleted with those of a wave; nil if there can be none.
  package func cascade(_ layout: EntityLayout, _ slot: PropertySlot, wave: Int) throws -> SQLText? {
    guard let destination = slot.relationship?.destination,
      let from = try destinations(layout, slot, wave: wave)
    else { return nil }
    let entity = try schema.entityNumber("d.\(schema.own.entity)", declared: destination)
    return note(
      SQLText("SELECT \(destination.root.index), d.\(key), \(entity), \(wave + 1)\(from)"))
  }

  /// Returns a query for the keys and entities of the remaining destination rows of a relationship; nil if the store
  /// does not contain it.
  package func remaining(_ layout: EntityLayout, _ slot: PropertySlot) throws -> SQLText? {
    guard let destination = slot.relationship?.destination,
      let from = try destinations(layout, slot)
    else { return nil }
    let entity = try schema.entityNumber("d.\(schema.own.entity)", declared: destination)
    return SQLText(
      // Rows that a later wave deletes do not prevent the deletion, so this runs after the last wave.
      "SELECT d.\(key), \(entity)\(from)\(isKept(destination)) ORDER BY d.\(key)")
  }

  /// Returns a statement that removes deleted rows from the inverse relationships of remaining rows; nil if the
  /// remaining rows have no column that refers to deleted rows.
  package func nullify(_ layout: EntityLayout, _ slot: PropertySlot) throws -> SQLText? {
    guard let relationship = slot.relationship, schema.contains(relationship.destination) else {
      return nil
    }
    let destination = relationship.destination
    var columns: [String]
    switch schema.mapping(layout, slot.index) {
    case .children(let column, let orderColumn, _):
      columns = [column] + [orderColumn].compactMap { $0 }
    // The column of a to-one inverse is found below. Otherwise, destinations
    // do not refer to the rows.
    case .toOne: columns = []
    // `unlink` deletes the pairs of a join table.
    case .none, .attribute, .join: return nil
    }
    if let inverse = relationship.inverse,
      case .toOne(let column, let entity, let order) = schema.mapping(destination, inverse)
    {
      columns = [column] + [entity, order].compactMap { $0 }
    }
    // The column of the reference is the first one in both cases.
    guard let key = columns.first else { return nil }
    let assignments = columns.map { ", \(dialect.name($0)) = NULL" }.joined()
    // Contexts detect by the new version that the row has changed.
    let version = schema.own.version
    return SQLText(
      "UPDATE \(dialect.name(try schema.table(destination))) AS d"
        + " SET \(version) = COALESCE(d.\(version), 0) + 1\(assignments)"
        + " WHERE d.\(dialect.name(key)) IN (\(try owners(layout, wave: nil)))"
        + isKept(destination))
  }

  /// Returns statements that delete the recorded rows' pairs of a many-to-many relationship; an empty array for another
  /// relationship.
  package func unlink(_ layout: EntityLayout, _ slot: PropertySlot) throws -> [SQLText] {
    guard case .join(let join) = schema.mapping(layout, slot.index) else { return [] }
    let owners = try owners(layout, wave: nil)
    // The pairs of a reflexive relationship are stored in both directions.
    let columns = join.isReflexive ? [join.ownerColumn, join.memberColumn] : [join.ownerColumn]
    return columns.map {
      SQLText("DELETE FROM \(dialect.name(join.table)) WHERE \(dialect.name($0)) IN (\(owners))")
    }
  }

  /// Returns the condition that a row of a table is deleted.
  package func isDeleted(_ root: EntityLayout) -> SQLText {
    SQLText("\(key) IN (SELECT pk FROM \(rows) WHERE root = \(root.index))")
  }

  /// Returns a statement that deletes the recorded rows of a table.
  package func delete(_ root: EntityLayout) throws -> SQLText {
    SQLText("DELETE FROM \(dialect.name(try schema.table(root))) WHERE ", isDeleted(root), "")
  }
}
