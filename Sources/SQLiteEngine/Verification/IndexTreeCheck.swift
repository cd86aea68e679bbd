import StoreEngine

/// Checks that the R-trees of fetch indexes match the rows, because requests with `indexed:by:` search them.
struct IndexTreeCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.schema.model.entities.filter(store.schema.contains).flatMap { layout in
      try layout.entity.indexes.compactMap { index in
        let tree = "Z_RT_\(layout.name)_\(index.name)"
        return try store.schema.rTrees[tree].flatMap { columns in
          try problem(of: tree, columns, layout, index.name, in: store)
        }
      }
    }
  }

  private func problem(
    of tree: String, _ columns: Set<String>, _ layout: EntityLayout, _ index: String,
    in store: VerifiedStore
  ) throws -> StoreProblem? {
    let (table, name) = (try store.schema.source(layout), SQLText.name(tree))
    let suffix = "_MIN"
    let columns = columns.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
      .sorted()
    // `SchemaCheck` reports missing columns.
    let present = try store.columns(of: try store.schema.table(layout))
    if columns.isEmpty || !present.isSuperset(of: columns) { return nil }
    func column(_ column: String, _ bound: String) -> String { SQLText.name(column + bound) }
    // An R-tree rounds bounds away from the value, and contains 0 for NULL.
    let isThere = columns.map { name in
      let value = "CAST(IFNULL(t.\(SQLText.name(name)), 0) AS REAL)"
      return "r.\(column(name, "_MIN")) <= \(value) AND r.\(column(name, "_MAX")) >= \(value)"
    }
    let wrong = try store.rows(
      "t.Z_PK",
      "FROM \(table) AS t LEFT JOIN \(name) AS r ON r.Z_PK = t.Z_PK WHERE r.Z_PK IS NULL OR NOT"
        + " (\(isThere.joined(separator: " AND ")))")
    let unused = try store.rows(
      "r.Z_PK",
      "FROM \(name) AS r WHERE NOT EXISTS (SELECT 1 FROM \(table) AS t WHERE t.Z_PK = r.Z_PK)")
    if wrong.count + unused.count == 0 { return nil }
    let facts = [
      wrong.count > 0
        ? CountedText("row is missing or has", "rows are missing or have", " different bounds")
          .text(wrong.count) + " \(VerifiedStore.keys(wrong.examples))" : nil,
      unused.count > 0
        ? "\(unused.count) of its rows \(unused.count == 1 ? "is" : "are") not in the table"
          + " \(VerifiedStore.keys(unused.examples))" : nil,
    ]
    let bounds = columns.flatMap { [column($0, "_MIN"), column($0, "_MAX")] }
    let values = columns.flatMap { [SQLText.name($0), SQLText.name($0)] }
    return StoreProblem(
      .index, layout, count: wrong.count + unused.count,
      "the R-tree of the fetch index \(index) does not match the table: "
        + facts.compactMap(\.self).joined(separator: "; "),
      repairs: [
        "DELETE FROM \(name)",
        "INSERT INTO \(name) (Z_PK, \(bounds.joined(separator: ", "))) SELECT Z_PK,"
          + " \(values.joined(separator: ", ")) FROM \(table)",
      ])
  }
}
