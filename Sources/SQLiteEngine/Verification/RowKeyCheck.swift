import StoreEngine

/// Whether each row has a key that a row can have.
struct RowKeyCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.schema.model.entities.filter { $0.superlayout == nil && store.schema.contains($0) }
      .compactMap { layout in
        let table = try store.schema.source(layout)
        let found = try store.rows("Z_PK", "FROM \(table) WHERE Z_PK < 1")
        if found.count == 0 { return nil }
        return StoreProblem(
          .rowKey, layout, count: found.count,
          "\(found.count) rows have keys below 1, which no row can be read with"
            + " (keys \(found.examples))")
      }
  }
}
