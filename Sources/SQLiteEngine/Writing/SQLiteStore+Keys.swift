import StoreEngine

extension SQLiteStore {
  /// Passes the key, entity and version of each row of a query to `body` in order, with the values of some expressions.
  func fetchKeys(
    _ plan: RowQuery, values expressions: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws {
    guard contains(plan.layout) else { return }
    let sql = try sql(.keys(plan, values: expressions))
    let table = try schema.table(plan.layout)
    try run(sql, plan.cancellation) { statement in
      // Use one object for all rows, so that a row costs no allocation.
      let row = RowCursor(
        layout: plan.layout, origin: origin,
        values: StatementRowValues(statement, origin: origin, kinds: expressions.map(\.kind)))
      var last = (number: -1, layout: plan.layout)
      while try statement.step() {
        let number = Int(truncatingIfNeeded: statement.integer(1))
        if last.number != number {
          last = (number, schema.layout(number: number, declared: plan.layout))
        }
        let key = try PrimaryKey.validated(statement.integer(0), in: table)
        let version = Int32(truncatingIfNeeded: statement.integer(2))
        row.move(to: key, layout: last.layout, version: version)
        try body(row)
      }
    }
  }
}
