import Foundation

/// The statement that adds a row of an entity, and which slot's value goes to which parameter.
///
/// A statement says the values of all columns that the entity has, so none is left from the row before.
struct InsertPlan {
  let layout: EntityLayout
  let statement: SQLiteStatement
  /// The slots whose values are written as they are, by parameter from 2 on; the first is the key.
  private let plain: [Int]
  /// The other parameters.
  private let others: [(parameter: Int, slot: Int, form: Form)]
  private let schema: StoreSchema

  private enum Form {
    /// Bytes behind a mark, or the name of their file.
    case external
    /// The entity of a to-one relationship's destination.
    case entity
  }

  init(_ layout: EntityLayout, _ schema: StoreSchema, _ connection: SQLiteConnection) throws {
    self.layout = layout
    self.schema = schema
    var plain: [(slot: Int, column: String)] = []
    var others: [(slot: Int, form: Form, column: String)] = []
    for slot in layout.rowSlots {
      switch schema.mapping(layout, slot) {
      case .attribute(let column):
        if layout.slots[slot].mayBeExternal {
          others.append((slot, .external, column))
        } else {
          plain.append((slot, column))
        }
      // The place among the owner's children is written with the owner's order.
      case .toOne(let column, let entityColumn, _):
        plain.append((slot, column))
        if let entityColumn { others.append((slot, .entity, entityColumn)) }
      case .none, .children, .join: break
      }
    }
    self.plain = plain.map(\.slot)
    self.others = others.enumerated().map { ($0 + plain.count + 2, $1.slot, $1.form) }
    let names = (["Z_PK"] + plain.map(\.column) + others.map(\.column)).map(SQLText.name)
    let marks = (1...names.count).map { "?\($0)" }.joined(separator: ", ")
    statement = try connection.statement(
      "INSERT INTO \(SQLText.name(try schema.table(layout)))"
        + " (\(names.joined(separator: ", ")), Z_ENT, Z_OPT)"
        + " VALUES (\(marks), \(try schema.number(layout)), 1)")
  }

  /// Writes a row; the statement is to be reset after the last one.
  func write(_ row: ChangeSet.NewRow, _ files: ExternalWriter?) throws {
    statement.bind(row.key, at: 1)
    var parameter = 2
    try row.forEachValue(of: plain) { value in
      statement.bind(schema.cell(value), at: parameter)
      parameter += 1
    }
    for other in others {
      statement.bind(try written(row.value(other.slot), other.form, files), at: other.parameter)
    }
    try statement.runAgain()
  }

  private func written(
    _ value: StoredValue, _ form: Form, _ files: ExternalWriter?
  ) throws -> StoredValue {
    switch (form, value) {
    case (.external, .data(let data)):
      return .data(try files?.column(data) ?? ExternalStorage.marked(data))
    case (.entity, .reference(let id)):
      return schema.numbers[id.layout.index].map { .integer(Int64($0)) } ?? .null
    case (.entity, _): return .null
    case (.external, _): return value
    }
  }
}
