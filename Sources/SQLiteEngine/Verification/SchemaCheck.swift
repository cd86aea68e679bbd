import StoreEngine

/// Checks that the tables and columns of the model exist, because nothing can be written without them.
struct SchemaCheck: StoreCheck {
  /// Returns the missing parts of the model, which `SchemaReader` omits from the schema of a store that is only read.
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    let missingParts = store.schema.missingParts.filter { part in
      // `KeyCounterCheck` reports missing rows of Z_PRIMARYKEY. An inferred model has no properties without columns,
      // but Z_PRIMARYKEY may contain an entity without a table.
      part.kind != .number && (!store.isModelInferred || part.slot == nil)
    }
    let groups = Dictionary(grouping: missingParts) { [$0.entity.index, $0.slot ?? -1] }
    return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, parts in
      let (entity, slot) = (parts[0].entity, parts[0].slot)
      let names = parts.map(\.description).joined(separator: ", the ")
      return StoreProblem(
        .schema, entity, slot.map { entity.slots[$0] }, count: parts.count,
        "the \(names) \(parts.count == 1 ? "is" : "are") missing: the store can only be read",
        preventsWriting: true)
    }
  }
}
