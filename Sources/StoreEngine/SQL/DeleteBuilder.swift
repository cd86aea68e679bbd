import Foundation
import ObjectModel

/// The statements of a batch deletion. Rows that go are noted in a temporary table: with the number of
/// their root entity's layout, their own entity's number in the store, and the wave that reached
/// them. All later statements use that table, so they mean the rows as they were before the deletion.
package struct DeleteBuilder {
  package static let rows = "temp.CoreDataDeletedRows"
  package static let rowTable =
    "CREATE TABLE \(rows) (root INTEGER, pk INTEGER, ent INTEGER, wave INTEGER,"
    + " PRIMARY KEY (root, pk)) WITHOUT ROWID"

  package static let waveIndex =
    "CREATE INDEX temp.CoreDataDeletedRowsByWave ON CoreDataDeletedRows (wave, root, ent, pk)"

  package let schema: StoreSchema
  package let origin: StoreOrigin

  package init(schema: StoreSchema, origin: StoreOrigin) {
    self.schema = schema
    self.origin = origin
  }

  /// Notes what a plan finds.
  package func begin(_ plan: RowQuery) throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: .sqlite)
    var text = SQLText("INSERT OR IGNORE INTO \(Self.rows) ")
    text += try builder.select(plan) { _, alias in
      SQLText("\(plan.layout.root.index), \(alias).Z_PK, \(alias).Z_ENT, 0")
    }
    return text
  }

  /// The keys of the rows of an entity that go; those of one wave, or all.
  private func owners(_ layout: EntityLayout, wave: Int?) throws -> String {
    "SELECT pk FROM \(Self.rows) WHERE root = \(layout.root.index)"
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
    let table = SQLText.name(try schema.table(destination))
    let owners = try owners(layout, wave: wave)
    switch schema.mapping(layout, slot.index) {
    case .toOne(let column, _, _):
      let own = SQLText.name(try schema.table(layout))
      return " FROM \(table) d WHERE d.Z_PK IN (SELECT o.\(SQLText.name(column)) FROM \(own) o"
        + " WHERE o.Z_PK IN (\(owners)))"
    case .children(let column, _, _):
      return " FROM \(table) d WHERE d.\(SQLText.name(column)) IN (\(owners))"
    case .join(let join):
      return " FROM \(table) d WHERE d.Z_PK IN (SELECT j.\(SQLText.name(join.memberColumn))"
        + " FROM \(SQLText.name(join.table)) j"
        + " WHERE j.\(SQLText.name(join.ownerColumn)) IN (\(owners)))"
    case .none, .attribute: return nil
    }
  }

  /// The condition that a row `d` stays.
  private func stays(_ destination: EntityLayout) -> String {
    " AND NOT EXISTS (SELECT 1 FROM \(Self.rows) x"
      + " WHERE x.root = \(destination.root.index) AND x.pk = d.Z_PK)"
  }

  /// Notes what goes with the rows of a wave; nil where nothing can.
  package func cascade(_ layout: EntityLayout, _ slot: PropertySlot, wave: Int) throws -> SQLText? {
    guard let destination = slot.relationship?.destination,
      let from = try destinations(layout, slot, wave: wave)
    else { return nil }
    return SQLText(
      "INSERT OR IGNORE INTO \(Self.rows) SELECT \(destination.root.index), d.Z_PK, d.Z_ENT,"
        + " \(wave + 1)\(from)")
  }

  /// The key and entity of the rows that a relationship leads to and that stay; nil where the store
  /// does not keep it.
  package func remaining(_ layout: EntityLayout, _ slot: PropertySlot) throws -> SQLText? {
    guard let destination = slot.relationship?.destination,
      let from = try destinations(layout, slot)
    else { return nil }
    return SQLText("SELECT d.Z_PK, d.Z_ENT\(from)\(stays(destination)) ORDER BY d.Z_PK")
  }

  /// Takes rows that go out of the rows of the other side that stay; nil where those do not name
  /// them.
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
    let assignments = columns.map { ", \(SQLText.name($0)) = NULL" }.joined()
    return SQLText(
      "UPDATE \(SQLText.name(try schema.table(destination))) AS d"
        + " SET Z_OPT = IFNULL(Z_OPT, 0) + 1\(assignments)"
        + " WHERE d.\(SQLText.name(key)) IN (\(try owners(layout, wave: nil)))"
        + stays(destination))
  }

  /// Removes the pairs of a many-to-many relationship.
  package func unlink(_ layout: EntityLayout, _ slot: PropertySlot) throws -> [SQLText] {
    guard case .join(let join) = schema.mapping(layout, slot.index) else { return [] }
    let owners = try owners(layout, wave: nil)
    let columns = join.isReflexive ? [join.ownerColumn, join.memberColumn] : [join.ownerColumn]
    return columns.map {
      SQLText(
        "DELETE FROM \(SQLText.name(join.table)) WHERE \(SQLText.name($0)) IN (\(owners))")
    }
  }

  /// The condition that a row of one table goes.
  package func isGoing(_ root: EntityLayout) -> SQLText {
    SQLText("Z_PK IN (SELECT pk FROM \(Self.rows) WHERE root = \(root.index))")
  }

  /// Removes the rows of one table.
  package func delete(_ root: EntityLayout) throws -> SQLText {
    SQLText("DELETE FROM \(SQLText.name(try schema.table(root))) WHERE ", isGoing(root), "")
  }
}
