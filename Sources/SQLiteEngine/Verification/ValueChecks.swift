import StoreEngine

/// Checks that rows satisfy the uniqueness constraints.
struct UniquenessCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.schema.model.entities.filter(store.schema.contains).flatMap { layout in
      let own = layout.constraints.filter { layout.superlayout?.constraints.contains($0) != true }
      return try own.compactMap { slots -> StoreProblem? in
        let columns = slots.compactMap { store.schema.mapping(layout, $0).column }
          .map(SQLText.name)
        guard columns.count == slots.count else { return nil }
        let names = slots.map { layout.slots[$0].name }.joined(separator: ", ")
        // There is no repair, because it is unknown which row has the wrong value.
        return try store.problem(
          .uniqueness, layout, slots.count == 1 ? layout.slots[slots[0]] : nil,
          of: "k || ' and ' || l",
          "FROM (SELECT MIN(Z_PK) AS k, MAX(Z_PK) AS l"
            + " FROM \(try store.schema.source(layout))"
            + " WHERE Z_ENT IN \(store.numbers(layout)) AND "
            + columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            + " GROUP BY \(columns.joined(separator: ", ")) HAVING COUNT(*) > 1)",
          CountedText(
            "value of \(names) is", "values of \(names) are", " repeated, but must be unique"))
      }
    }
  }
}

/// Checks that required values exist.
struct MissingValueCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.storedProperties.compactMap { property in
      guard !property.slot.isOptional, let column = property.mapping.column else { return nil }
      return try store.problem(
        .missingValue, property.layout, property.slot, of: "Z_PK",
        "FROM \(property.table) WHERE Z_ENT IN \(property.numbers) AND \(SQLText.name(column)) IS NULL",
        CountedText("row lacks", "rows lack", " this value, which the model requires"))
    }
  }
}
