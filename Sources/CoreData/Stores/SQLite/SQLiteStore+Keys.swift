import Foundation

extension SQLiteStore {
  /// Gives the key and entity of each row of a plan in order, with a few values of the row.
  func fetchKeys(
    _ plan: FetchPlan, values expressions: [BoundExpression],
    _ body: (_ key: Int64, _ layout: EntityLayout, _ values: [StoredValue]) throws -> Void
  ) throws {
    guard contains(plan.layout) else { return }
    let sql = try sql(.keys(plan, values: expressions))
    try translatingErrors("read") {
      try pool.read { connection in
        let statement = try connection.statement(sql.text)
        defer { statement.reset() }
        statement.bind(sql.parameters)
        log(sql)
        while try statement.step() {
          let number = Int(truncatingIfNeeded: statement.integer(1))
          let values = expressions.enumerated().map { index, expression in
            statement.value(index + 2, of: expression.kind, origin: origin)
          }
          try body(statement.integer(0), schema.layout(number: number) ?? plan.layout, values)
        }
      }
    }
  }
}
