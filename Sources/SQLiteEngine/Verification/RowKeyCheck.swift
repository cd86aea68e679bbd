import StoreEngine

/// Whether each row has a key that a row can have.
struct RowKeyCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.roots.compactMap { layout in
      try store.problem(
        .rowKey, layout, of: "Z_PK", "FROM \(try store.schema.source(layout)) WHERE Z_PK < 1",
        "rows have keys below 1, which no row can be read with")
    }
  }
}
