import StoreEngine

/// Checks that each row has the number of an entity of its table.
struct EntityNumberCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.roots.compactMap { layout in
      let table = try store.schema.source(layout)
      return try store.problem(
        .entityNumber, layout, of: "Z_PK",
        "FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN \(store.numbers(layout))",
        CountedText("row has", "rows have", " an unknown entity"))
    }
  }
}
