import StoreEngine

/// The statement that inserts a row of an entity, and the parameter of each slot's value.
///
/// The statement has parameters for all columns of the entity, so no value of the previous row remains.
struct InsertPlan {
  let statement: SQLiteStatement
  /// The indexes of the row values that are written unchanged, in the order of their parameters, which begin at 3. The
  /// first two parameters are the key and the version.
  private let plain: [Int]
  /// The remaining parameters, each with the index of the row value that it is derived from.
  private let others: [(parameter: Int, place: Int, form: Form)]
  private let schema: StoreSchema

  private enum Form {
    /// Data that may be stored in a separate file: the bytes, or the name of the file, after a byte that marks which.
    case external
    /// The entity of a to-one relationship's destination.
    case entity
  }

  init(_ layout: EntityLayout, _ schema: StoreSchema, _ connection: SQLiteConnection) throws {
    self.schema = schema
    var plain: [(place: Int, column: String)] = []
    var others: [(place: Int, form: Form, column: String)] = []
    for (place, slot) in layout.rowSlots.enumerated() {
      switch schema.mapping(layout, slot) {
      case .attribute(let column):
        if layout.slots[slot].mayBeExternal {
          others.append((place, .external, column))
        } else {
          plain.append((place, column))
        }
      // The ignored third column, the position among the owner's children, is written with the owner's order.
      case .toOne(let column, let entityColumn, _):
        plain.append((place, column))
        if let entityColumn { others.append((place, .entity, entityColumn)) }
      case .none, .children, .join: break
      }
    }
    self.plain = plain.map(\.place)
    self.others = others.enumerated().map { ($0 + plain.count + 3, $1.place, $1.form) }
    let names = (["Z_PK", "Z_OPT"] + plain.map(\.column) + others.map(\.column)).map(SQLText.name)
    let marks = (1...names.count).map { "?\($0)" }.joined(separator: ", ")
    statement = try connection.statement(
      "INSERT INTO \(SQLText.name(try schema.table(layout)))"
        + " (\(names.joined(separator: ", ")), Z_ENT)"
        + " VALUES (\(marks), \(try schema.number(layout)))")
  }

  /// Writes a row. Reset the statement after the last one.
  func write(_ row: Int, of rows: NewRows, _ files: ExternalWriter?) throws {
    statement.bind(rows.key(row), at: 1)
    statement.bind(Int64(rows.version(row)), at: 2)
    let first = rows.firstValue(row)
    var parameter = 3
    for place in plain {
      statement.bind(schema.cell(rows.value(at: first + place)), at: parameter)
      parameter += 1
    }
    for other in others {
      let value = rows.value(at: first + other.place)
      statement.bind(try written(value, other.form, files), at: other.parameter)
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
