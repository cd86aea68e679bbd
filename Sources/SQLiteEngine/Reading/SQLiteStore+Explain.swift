import StoreEngine

extension SQLiteStore {
  func explain(_ read: ReadOperation) throws -> FetchExplanation {
    let sql = try sql(read)
    var tree = PlanTree()
    try translatingErrors("read") {
      try pool.read { connection in
        // SQLite may read parameter values to choose an index.
        try connection.run("EXPLAIN QUERY PLAN " + sql.text, sql.parameters) { row in
          tree.add(id: Int(row.integer(0)), parent: Int(row.integer(1)), text: row.text(3))
        }
      }
    }
    return FetchExplanation(
      store: url.path == "/dev/null" ? nil : url, sql: sql.text,
      parameters: sql.parameters.map(FetchExplanation.Parameter.init), plan: tree.steps)
  }
}
