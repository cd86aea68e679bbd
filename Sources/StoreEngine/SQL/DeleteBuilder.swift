/// The statements of a batch deletion. Rows that go are noted in a temporary table: with the number of
/// their root entity's layout, their own entity's number in the store, and the wave that reached
/// them. All later statements use that table, so they mean the rows as they were before the deletion.
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

  /// Makes the temporary table.
  package var rowTable: String {
    dialect.makeTemporaryTable(
      Self.table, numbers: ["root", "pk", "ent", "wave"], key: ["root", "pk"], values: [])
  }

  /// Makes an index for the rows of a wave.
  package var waveIndex: String {
    dialect.makeTemporaryIndex(
      "CoreDataDeletedRowsByWave", on: Self.table, ["wave", "root", "ent", "pk"])
  }

  /// Notes rows that a query gives.
  private func note(_ query: SQLText) -> SQLText {
    let (into, end) = dialect.insertMissing
    return SQLText("\(into) \(rows) ", query, end)
  }

  private var key: String { schema.own.key }

  /// Notes what a plan finds.
  package func begin(_ plan: RowQuery) throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: dialect)
    return note(
      try builder.select(plan) { builder, alias in
        SQLText("\(plan.layout.root.index), \(builder.key(alias)), \(builder.entity(alias)), 0")
      })
  }

  /// The keys of the rows of an entity that go; those of one wave, or all.
  private func owners(_ layout: EntityLayout, wave: Int?) throws -> String {
    "SELECT pk FROM \(rows) WHERE root = \(layout.root.index)"
      + " AND ent = \(try schema.number(layout))" + (wave.map { " AND wave = \($0)" } ?? "")
  }

  /// `FROM … WHERE …` of the rows that a relationship of rows that go leads to, as `d`; nil where the
  /// store does not keep it.
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

  /// The condition that a row `d` stays.
  private func isKept(_ destination: EntityLayout) -> String {
    " AND NOT EXISTS (SELECT 1 FROM \(rows) x"
      + " WHERE x.root = \(destination.root.index) AND x.pk = d.\(key))"
  }

  /// Notes what goes with the rows of a wave; nil where nothing can.
  package func cascade(_ layout: EntityLayout, _ slot: PropertySlot, wave: Int) throws -> SQLText? {
    guard let destination = slot.relationship?.destination,
      let from = try destinations(layout, slot, wave: wave)
    else { return nil }
    return note(
      SQLText(
        "SELECT \(destination.root.index), d.\(key), d.\(schema.own.entity), \(wave + 1)\(from)"))
  }

  /// The key and entity of the rows that a relationship leads to and that stay; nil where the store does not keep it.
  package func remaining(_ layout: EntityLayout, _ slot: PropertySlot) throws -> SQLText? {
    guard let destination = slot.relationship?.destination,
      let from = try destinations(layout, slot)
    else { return nil }
    return SQLText(
      "SELECT d.\(key), d.\(schema.own.entity)\(from)\(isKept(destination)) ORDER BY d.\(key)")
  }

  /// Takes rows that go out of the rows of the other side that stay; nil where those do not name them.
  package func nullify(_ layout: EntityLayout, _ slot: PropertySlot) throws -> SQLText? {
    guard let relationship = slot.relationship, schema.contains(relationship.destination) else {
      return nil
    }
    let destination = relationship.destination
    var columns: [String]
    switch schema.mapping(layout, slot.index) {
    case .children(let column, let orderColumn, _):
      columns = [column] + [orderColumn].compactMap { $0 }
    case .toOne: columns = []
    case .none, .attribute, .join: return nil
    }
    if let inverse = relationship.inverse,
      case .toOne(let column, let entity, let order) = schema.mapping(destination, inverse)
    {
      columns = [column] + [entity, order].compactMap { $0 }
    }
    guard let key = columns.first else { return nil }
    let assignments = columns.map { ", \(dialect.name($0)) = NULL" }.joined()
    let version = schema.own.version
    return SQLText(
      "UPDATE \(dialect.name(try schema.table(destination))) AS d"
        + " SET \(version) = COALESCE(d.\(version), 0) + 1\(assignments)"
        + " WHERE d.\(dialect.name(key)) IN (\(try owners(layout, wave: nil)))"
        + isKept(destination))
  }

  /// Removes the pairs of a many-to-many relationship.
  package func unlink(_ layout: EntityLayout, _ slot: PropertySlot) throws -> [SQLText] {
    guard case .join(let join) = schema.mapping(layout, slot.index) else { return [] }
    let owners = try owners(layout, wave: nil)
    let columns = join.isReflexive ? [join.ownerColumn, join.memberColumn] : [join.ownerColumn]
    return columns.map {
      SQLText("DELETE FROM \(dialect.name(join.table)) WHERE \(dialect.name($0)) IN (\(owners))")
    }
  }

  /// The condition that a row of one table goes.
  package func isDeleted(_ root: EntityLayout) -> SQLText {
    SQLText("\(key) IN (SELECT pk FROM \(rows) WHERE root = \(root.index))")
  }

  /// Removes the rows of one table.
  package func delete(_ root: EntityLayout) throws -> SQLText {
    SQLText("DELETE FROM \(dialect.name(try schema.table(root))) WHERE ", isDeleted(root), "")
  }
}
