package import Foundation

/// The statements of a batch update.
///
/// The rows are first noted in a temporary table, with their computed values. All later statements use that table, so
/// they mean the rows as they were before the update, even where the update changes what the predicate tests.
package struct UpdateBuilder {
  /// The temporary table of the rows to update: their keys, entities and computed values.
  package static let rows = "temp.CoreDataUpdatedRows"

  private let update: BatchUpdate
  private let schema: StoreSchema
  private let origin: StoreOrigin
  /// What a column keeps for bytes that may be outside the rows; NULL for those that get a file a row, afterwards.
  private let column: (Data) -> StoredValue
  private var layout: EntityLayout { update.rows.layout }

  package init(
    _ update: BatchUpdate, schema: StoreSchema, origin: StoreOrigin,
    column: @escaping (Data) -> StoredValue
  ) {
    self.column = column
    self.update = update
    self.schema = schema
    self.origin = origin
  }

  private var computed: [(slot: PropertySlot, expression: BoundExpression)] {
    update.assignments.compactMap { assignment in
      guard case .expression(let expression) = assignment.value else { return nil }
      return (assignment.slot, expression)
    }
  }

  /// Makes the temporary table.
  package var rowTable: String {
    let values = computed.indices.map { ", v\($0)" }.joined()
    return "CREATE TABLE \(Self.rows) (pk INTEGER PRIMARY KEY, ent INTEGER\(values))"
  }

  /// Fills the temporary table.
  package func fill() throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: .sqlite)
    let computed = computed
    var text = SQLText("INSERT INTO \(Self.rows) ")
    text += try builder.select(
      update.rows, tail: { _, _ in SQLText() },
      columns: { builder, alias in
        var columns = SQLText("\(alias).Z_PK, \(alias).Z_ENT")
        for (slot, expression) in computed {
          columns += ", "
          columns += Self.fitted(try builder.sql(expression), expression.kind, slot)
        }
        return columns
      })
    return text
  }

  /// A value in the form that a column keeps: fractions are cut off where it keeps whole numbers.
  package static func fitted(_ text: SQLText, _ kind: ValueKind, _ slot: PropertySlot) -> SQLText {
    switch slot.storage {
    case .boolean: SQLText("(", text, " <> 0)")
    case .integer16, .integer32,
      .integer64 where kind != .integer:
      SQLText("CAST(", text, " AS INTEGER)")
    default: text
    }
  }

  private func column(_ slot: PropertySlot) throws -> String {
    guard case .attribute(let column) = schema.mapping(layout, slot.index) else {
      throw CoreDataError.badRequest("\(layout.name).\(slot.name) is not kept in this store")
    }
    return SQLText.name(column)
  }

  /// Writes the values, and a new version.
  package func write() throws -> SQLText {
    let table = SQLText.name(try schema.table(layout))
    var text = SQLText("UPDATE \(table) SET Z_OPT = IFNULL(Z_OPT, 0) + 1")
    var place = 0
    for (slot, value) in update.assignments {
      text += ", \(try column(slot)) = "
      switch value {
      case .constant(.data(let data)) where slot.mayBeExternal:
        text.bind(column(data))
      case .constant(let constant): text.bind(constant)
      case .expression:
        text += "r.v\(place)"
        place += 1
      }
    }
    text +=
      place == 0
      ? " WHERE Z_PK IN (SELECT pk FROM \(Self.rows))"
      : " FROM \(Self.rows) AS r WHERE \(table).Z_PK = r.pk"
    return text
  }

  /// Clears the unique values that the rows are about to leave; nil where none of them is unique.
  package func vacate() -> SQLText? {
    let unique = update.assignments.filter { assignment in
      layout.family.contains { $0.constraints.contains { $0.contains(assignment.slot.index) } }
    }
    guard !unique.isEmpty, let table = try? schema.table(layout) else { return nil }
    let columns = unique.compactMap { try? column($0.slot) }.map { "\($0) = NULL" }
    return SQLText(
      "UPDATE \(SQLText.name(table)) SET \(columns.joined(separator: ", "))"
        + " WHERE Z_PK IN (SELECT pk FROM \(Self.rows))")
  }
}
