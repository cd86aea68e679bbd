import StoreEngine

extension SQLiteStore {
  func explain(_ read: ReadOperation) throws -> FetchExplanation {
    let sql = try sql(read)
    var tree = PlanTree()
    try translatingErrors("read") {
      try pool.read { connection in
        let statement = try connection.statement("EXPLAIN QUERY PLAN " + sql.text)
        defer { statement.reset() }
        // SQLite may look at a value to choose an index.
        statement.bind(sql.parameters)
        while try statement.step() {
          tree.add(
            id: Int(statement.integer(0)), parent: Int(statement.integer(1)),
            text: statement.text(3))
        }
      }
    }
    return FetchExplanation(
      store: url.path == "/dev/null" ? nil : url, sql: sql.text,
      parameters: sql.parameters.map(FetchExplanation.Parameter.init), plan: tree.steps)
  }
}
