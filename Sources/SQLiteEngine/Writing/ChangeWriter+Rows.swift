import CSQLite
import StoreEngine

extension ChangeWriter {
  /// Writes new values. Records the rows that another save changed or deleted in the meantime, and those with the
  /// same unique values as other rows.
  func update(_ rows: [ChangeSet.Row], _ problems: inout WriteProblems) throws {
    try clearUniqueValues(of: rows)
    for row in rows {
      do {
        if row.isRestored { try restore(row, &problems) } else { try update(row, &problems) }
      } catch let error as SQLiteError where error.isUniqueness {
        problems.violations += try violations(of: row, error)
      }
    }
  }

  private func update(_ row: ChangeSet.Row, _ problems: inout WriteProblems) throws {
    try releaseFiles(row.layout, row.key, slots: row.values.map(\.slot))
    let assignments = try row.values.flatMap { try columns($0.slot, $0.value, row.layout) }
    let table = SQLText.name(try schema.table(row.layout))
    var sql = "UPDATE \(table) SET Z_OPT = ?"
    for assignment in assignments { sql += ", \(SQLText.name(assignment.column)) = ?" }
    sql += " WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
    let statement = try connection.statement(sql)
    // Versions are only compared for equality, so they may wrap around.
    statement.bind(Int64(row.version &+ 1), at: 1)
    for (index, assignment) in assignments.enumerated() {
      statement.bind(assignment.value, at: index + 2)
    }
    statement.bind(row.key, at: assignments.count + 2)
    statement.bind(Int64(row.version), at: assignments.count + 3)
    try statement.run()
    // Another save has changed or deleted the row.
    if sqlite3_changes64(connection.handle) == 0 {
      problems.conflicts.append(RowConflict(row))
    }
  }

  /// Inserts a deleted row again with its old key. Contexts that still have the old row find that its version has
  /// changed.
  private func restore(_ row: ChangeSet.Row, _ problems: inout WriteProblems) throws {
    if try storedVersion(row.layout, row.key) != nil {
      // Another save has already restored it.
      problems.conflicts.append(RowConflict(row))
      return
    }
    var rows = NewRows()
    rows.append(row.layout, key: row.key, row.values, version: row.version &+ 1)
    try insert(rows, &problems)
    try placeAtEnd(row)
  }

  /// Puts a restored row after its owner's other members. The program did not move the row, so the save does not write
  /// the owner's order.
  private func placeAtEnd(_ row: ChangeSet.Row) throws {
    let table = SQLText.name(try schema.table(row.layout))
    for slot in row.layout.toOneSlots {
      guard case .toOne(let column, _, let orderColumn?) = schema.mapping(row.layout, slot)
      else { continue }
      let (owner, place) = (SQLText.name(column), SQLText.name(orderColumn))
      try connection.run(
        "UPDATE \(table) SET \(place) = (SELECT IFNULL(MAX(o.\(place)), \(OrderNumbers.step)) + \(OrderNumbers.step)"
          + " FROM \(table) o WHERE o.\(owner) = \(table).\(owner))"
          + " WHERE Z_PK = ?1 AND \(owner) IS NOT NULL AND \(place) IS NULL",
        [.integer(row.key)])
    }
  }

  /// Inserts rows with all columns of their entity, so that one statement can be used for all of them. Records those
  /// with the same unique values as other rows.
  func insert(_ rows: NewRows, _ problems: inout WriteProblems) throws {
    var plans: [Int: InsertPlan] = [:]
    defer { for plan in plans.values { plan.statement.reset() } }
    var next = 0
    while next < rows.count {
      let layout = rows.layout(next)
      let plan = try plans[layout.index] ?? InsertPlan(layout, schema, connection)
      plans[layout.index] = plan
      // Consecutive rows usually have the same entity. Looking up the plan for each row would cost as much as binding
      // a value.
      while next < rows.count, rows.layout(next) === layout {
        do {
          try plan.write(next, of: rows, files)
        } catch let error as SQLiteError where error.isUniqueness {
          problems.violations += try violations(of: rows[next].whole(), error)
        }
        next += 1
      }
    }
  }

  /// Returns the columns of a slot's value, and their contents.
  private func columns(
    _ slot: Int, _ value: StoredValue, _ layout: EntityLayout
  ) throws -> [(column: String, value: StoredValue)] {
    switch schema.mapping(layout, slot) {
    case .attribute(let column):
      if case .data(let data) = value, layout.slots[slot].mayBeExternal {
        return [(column, .data(try files?.column(data) ?? ExternalStorage.marked(data)))]
      }
      return [(column, schema.cell(value))]
    case .toOne(let column, let entityColumn, let orderColumn):
      var columns = [(column, value)]
      if let entityColumn {
        var entity = StoredValue.null
        if case .reference(let id) = value, let number = schema.numbers[id.layout.index] {
          entity = .integer(Int64(number))
        }
        columns.append((entityColumn, entity))
      }
      // The place among the owner's children is written with the owner's order; a row without an owner has no
      // place.
      if let orderColumn, value.isNull { columns.append((orderColumn, .null)) }
      return columns
    case .none, .children, .join: return []
    }
  }
}
