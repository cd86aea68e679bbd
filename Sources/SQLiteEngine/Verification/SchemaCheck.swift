import StoreEngine

/// Whether the tables and columns are there that the model needs: without them nothing can be written.
struct SchemaCheck: StoreCheck {
  /// Lists what a lenient reading leaves out.
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    let lacks = store.schema.lacks.filter { lack in
      // Missing rows of Z_PRIMARYKEY are listed with the keys. A model that was made from the tables has no more
      // properties than they; only Z_PRIMARYKEY may name an entity that has no table.
      lack.part != .number && (!store.isModelInferred || lack.slot == nil)
    }
    let groups = Dictionary(grouping: lacks) { [$0.entity.index, $0.slot ?? -1] }
    return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, lacks in
      let (entity, slot) = (lacks[0].entity, lacks[0].slot)
      let names = lacks.map(\.description).joined(separator: ", the ")
      return StoreProblem(
        .schema, entity, slot.map { entity.slots[$0] }, count: lacks.count,
        "the \(names) \(lacks.count == 1 ? "is" : "are") not there: the store can only be read",
        preventsWriting: true)
    }
  }
}
