import StoreEngine

/// Whether each row is of an entity that its table can have.
struct EntityNumberCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.schema.model.entities.filter { $0.superlayout == nil && store.schema.contains($0) }
      .compactMap { layout in
        let table = try store.schema.source(layout)
        let found = try store.rows(
          "Z_PK",
          "FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN \(store.numbers(layout))")
        if found.count == 0 { return nil }
        return StoreProblem(
          .entityNumber, layout, count: found.count,
          "\(found.count) rows are of an unknown entity (keys \(found.examples))")
      }
  }
}
