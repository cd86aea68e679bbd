import StoreEngine

/// Whether each row is of an entity that its table can have.
struct EntityNumberCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.roots.compactMap { layout in
      let table = try store.schema.source(layout)
      return try store.problem(
        .entityNumber, layout, of: "Z_PK",
        "FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN \(store.numbers(layout))",
        "rows are of an unknown entity")
    }
  }
}
