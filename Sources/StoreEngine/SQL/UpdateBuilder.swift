/// The statements of a batch update.
///
/// The rows are first recorded in a temporary table, with the computed values. All later statements use that table,
/// so they refer to the rows as they were before the update, even if it changes values that the predicate tests.
package struct UpdateBuilder {
  /// The temporary table of the rows to update: their keys, entities and computed values.
  package var rows: String { dialect.temporaryTable(Self.table) }
  private static let table = "CoreDataUpdatedRows"

  private let update: BatchUpdate
  private let dialect: any SQLDialect
  private let schema: StoreSchema
  private let origin: StoreOrigin
  /// Returns what the column of an attribute with external storage contains for some data; NULL for data in a
  /// file, because each row gets its own file later.
  private let column: (Data) -> StoredValue
  private var layout: EntityLayout { update.rows.layout }

  package init(
    _ update: BatchUpdate, schema: StoreSchema, origin: StoreOrigin, dialect: any SQLDialect,
    column: @escaping (Data) -> StoredValue
  ) {
    self.column = column
    self.update = update
    self.schema = schema
    self.origin = origin
    self.dialect = dialect
  }

  private var computed: [(slot: PropertySlot, expression: BoundExpression)] {
    update.assignments.compactMap { assignment in
      guard case .expression(let expression) = assignment.value else { return nil }
      return (assignment.slot, expression)
    }
  }

  /// The statement that creates the temporary table.
  package var rowTable: String {
    dialect.makeTemporaryTable(
      Self.table, numbers: ["pk", "ent"], key: ["pk"],
      values: computed.enumerated().map { ("v\($0)", $1.expression.kind) })
  }

  /// Returns a statement that fills the temporary table.
  package func fill() throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: dialect)
    let computed = computed
    var text = SQLText("INSERT INTO \(rows) ")
    text += try builder.select(
      // The order of the rows does not matter, so they need not be sorted.
      update.rows, tail: { _, _ in SQLText() },
      columns: { builder, alias in
        let entity = try schema.entityNumber(builder.entity(alias), declared: layout)
        var columns = SQLText("\(builder.key(alias)), \(entity)")
        for (slot, expression) in computed {
          columns += ", "
          columns += builder.dialect.fitted(try builder.sql(expression), expression.kind, slot)
        }
        return columns
      })
    return text
  }

  private func column(_ slot: PropertySlot) throws -> String {
    guard case .attribute(let column) = schema.mapping(layout, slot.index) else {
      throw CoreDataError.badRequest("\(layout.name).\(slot.name) is not in this store")
    }
    return dialect.name(column)
  }

  /// Returns a statement that writes the values, and increments the versions.
  package func write() throws -> SQLText {
    let table = dialect.name(try schema.table(layout))
    let version = schema.own.version
    var text = SQLText("UPDATE \(table) SET \(version) = COALESCE(\(version), 0) + 1")
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
    // UPDATE … FROM requires SQLite 3.33, so it is used only for computed values, which are columns of the temporary
    // table.
    text +=
      place == 0
      ? " WHERE \(schema.own.key) IN (SELECT pk FROM \(rows))"
      : " FROM \(rows) AS r WHERE \(table).\(schema.own.key) = r.pk"
    return text
  }

  /// Returns a statement that clears the unique values that the update replaces, so that rows can exchange them; nil
  /// if none of the attributes is unique.
  package func clearUniqueValues() -> SQLText? {
    let unique = update.assignments.filter { assignment in
      layout.family.contains { $0.constraints.contains { $0.contains(assignment.slot.index) } }
    }
    // NULLs are distinct in a unique index, so the cleared rows do not conflict with each other.
    guard !unique.isEmpty, let table = try? schema.table(layout) else { return nil }
    let columns = unique.compactMap { try? column($0.slot) }.map { "\($0) = NULL" }
    return SQLText(
      "UPDATE \(dialect.name(table)) SET \(columns.joined(separator: ", "))"
        + " WHERE \(schema.own.key) IN (SELECT pk FROM \(rows))")
  }
}

extension SQLDialect {
  /// Returns a value in the form of a column: without its fraction if the column contains integers, and with only the
  /// lower bits of an integer that is outside the attribute's range, as in a migration.
  package func fitted(_ text: SQLText, _ kind: ValueKind, _ slot: PropertySlot) -> SQLText {
    let whole = kind == .integer ? text : wholeNumber(text)
    return switch slot.storage {
    // The expression may return any number, but a Boolean column contains only 0 and 1.
    case .boolean: SQLText("(", text, " <> 0)")
    case .integer16: lowerBits(16, of: whole)
    case .integer32: lowerBits(32, of: whole)
    case .integer64: whole
    default: text
    }
  }

  /// Returns the lower bits of an integer. The highest of them is the sign.
  private func lowerBits(_ count: Int, of whole: SQLText) -> SQLText {
    let half = Int64(1) << (count - 1)
    let mask = 2 * half - 1
    // The number is masked first, so that the arithmetic cannot overflow. It occurs once, because it may be a subquery.
    return SQLText("((((", whole, ") & \(mask)) + \(half) & \(mask)) - \(half))")
  }
}
