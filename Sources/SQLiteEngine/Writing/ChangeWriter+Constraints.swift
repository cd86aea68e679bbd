import StoreEngine

// SQLite checks uniqueness after each row that is written, instead of at the end of a transaction.

extension ChangeWriter {
  /// Clears the unique values that rows are about to lose, so that rows can exchange them.
  func clearUniqueValues(of rows: [ChangeSet.Row]) throws {
    let moving = rows.filter { row in
      !row.isRestored
        && row.layout.constraints.contains { constraint in
          row.values.contains { constraint.contains($0.slot) }
        }
    }
    // A single row has no other row to exchange values with.
    if moving.count < 2 { return }
    for row in moving {
      let slots = row.values.map(\.slot).filter { slot in
        row.layout.constraints.contains { $0.contains(slot) }
      }
      let columns = slots.compactMap { schema.mapping(row.layout, $0).column }
      if columns.isEmpty { continue }
      let assignments = columns.map { "\(SQLText.name($0)) = NULL" }.joined(separator: ", ")
      // Rows that another save changed stay as they are, because they are conflicts.
      try connection.run(
        "UPDATE \(SQLText.name(try schema.table(row.layout))) SET \(assignments)"
          + " WHERE Z_PK = ?1 AND IFNULL(Z_OPT, 0) = ?2",
        [.integer(row.key), .integer(Int64(row.version))])
    }
  }

  /// Returns the constraints that a row violates, with the rows that already have its values.
  ///
  /// - Parameter error: The error of the statement that could not write the row.
  /// - Throws: `error`, if the row violates no constraint of the model.
  func violations(of row: ChangeSet.Row, _ error: SQLiteError) throws -> [ConstraintViolation] {
    let violations = try violations(ofRow: row)
    if violations.isEmpty { throw error }
    return violations
  }

  /// Returns the constraints that a row violates, with the rows that already have its values.
  func violations(ofRow row: ChangeSet.Row) throws -> [ConstraintViolation] {
    var violations: [ConstraintViolation] = []
    for constraint in row.layout.constraints {
      guard let other = try rowWithValues(of: row, constraint) else { continue }
      violations.append(
        ConstraintViolation(
          layout: row.layout, key: row.key, constraint: constraint, existingLayout: other.layout,
          existingKey: other.key))
    }
    return violations
  }

  /// Returns another row that has all the values that a row has, or is about to have, in the slots of a constraint.
  /// NULL is not equal to any value, not even to NULL.
  private func rowWithValues(
    of row: ChangeSet.Row, _ constraint: [Int]
  ) throws -> (layout: EntityLayout, key: Int64)? {
    // The other row may be of any entity that has the constraint.
    var declaring = row.layout
    while let above = declaring.superlayout, above.constraints.contains(constraint) {
      declaring = above
    }
    let table = SQLText.name(try schema.table(row.layout))
    var sql = SQLText("SELECT Z_PK, Z_ENT FROM \(table) WHERE Z_PK <> ")
    sql.bind(.integer(row.key))
    for slot in constraint {
      guard let column = schema.mapping(row.layout, slot).column else { return nil }
      sql += " AND \(SQLText.name(column)) = "
      if let value = row.values.first(where: { $0.slot == slot })?.value {
        if value.isNull { return nil }
        sql.bind(schema.cell(value))
      } else {
        // The unchanged value; NULL for a new row, which is not in the table.
        sql += "(SELECT \(SQLText.name(column)) FROM \(table) WHERE Z_PK = "
        sql.bind(.integer(row.key))
        sql += ")"
      }
    }
    sql += " LIMIT 1"
    return try connection.rows(sql.text, sql.parameters) { statement in
      let number = Int(truncatingIfNeeded: statement.integer(1))
      let key = try PrimaryKey.validated(statement.integer(0), in: try schema.table(row.layout))
      return (layout: schema.layout(number: number, declared: declaring), key: key)
    }.first
  }
}
