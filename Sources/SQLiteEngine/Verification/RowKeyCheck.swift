import StoreEngine

/// Checks that each row has a valid key.
struct RowKeyCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.roots.compactMap { layout in
      try store.problem(
        .rowKey, layout, of: "Z_PK", "FROM \(try store.schema.source(layout)) WHERE Z_PK < 1",
        CountedText(
          "row has a key below 1, so it cannot be read",
          "rows have keys below 1, so they cannot be read"))
    }
  }
}
