import StoreEngine

/// Checks that the store's table of entities contains the hierarchy of the model. Apple's Core Data uses this table,
/// and so does a reader without the model.
struct ParentEntityCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    // Without these two columns, there is nothing to compare. `KeyCounterCheck` reports that they are missing.
    let columns = try store.columns(of: "Z_PRIMARYKEY")
    guard columns.isSuperset(of: ["Z_NAME", "Z_ENT"]) else { return [] }
    guard columns.contains("Z_SUPER") else {
      return [
        StoreProblem(
          .parentEntity, count: 1,
          "the column Z_PRIMARYKEY.Z_SUPER, with the parent of each entity, is missing")
      ]
    }
    var parents: [Int64: Int64] = [:]
    try store.connection.run("SELECT Z_ENT, IFNULL(Z_SUPER, 0) FROM Z_PRIMARYKEY") {
      parents[$0.integer(0)] = $0.integer(1)
    }
    return store.schema.model.entities.compactMap { layout in
      guard let number = store.schema.numbers[layout.index].map({ Int64($0) }),
        let present = parents[number]
      else { return nil }
      let parent = layout.superlayout
      let right = parent.flatMap { store.schema.numbers[$0.index] }.map { Int64($0) } ?? 0
      if present == right { return nil }
      let expected = parent.map { "\(right), of \($0.name)" } ?? "0, as it has no parent"
      return StoreProblem(
        .parentEntity, layout, count: 1,
        "its parent in the store (Z_PRIMARYKEY.Z_SUPER) is \(present), and should be \(expected)",
        // A model that was inferred from the table agrees with it.
        repairs: store.isModelInferred
          ? [] : ["UPDATE Z_PRIMARYKEY SET Z_SUPER = \(right) WHERE Z_ENT = \(number)"])
    }
  }
}
