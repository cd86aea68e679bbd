import StoreEngine

/// Checks that the next keys are unused, and that there are keys left.
struct KeyCounterCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    guard try store.hasTable("Z_PRIMARYKEY") else {
      return [
        StoreProblem(
          .keyCounter, count: 1,
          "the table of keys, Z_PRIMARYKEY, is missing: the store can only be read",
          preventsWriting: true)
      ]
    }
    let lost = try Self.nameColumns.subtracting(store.columns(of: "Z_PRIMARYKEY")).sorted()
    guard lost.isEmpty else {
      return [
        StoreProblem(
          .keyCounter, count: 1,
          "the column Z_PRIMARYKEY.\(lost[0]) is missing: the store can only be read",
          preventsWriting: true)
      ]
    }
    guard try Self.hasCounters(in: store) else {
      return [
        StoreProblem(
          .keyCounter, count: 1, "the column Z_PRIMARYKEY.Z_MAX is missing: no row can be added")
      ]
    }
    let unnumbered = Set(
      store.schema.missingParts.filter { $0.kind == .number }.map(\.entity.index))
    return try store.schema.model.entities.compactMap { layout in
      if unnumbered.contains(layout.index) {
        return Self.unnumbered(layout, in: store)
      }
      guard layout.superlayout == nil, store.schema.contains(layout) else { return nil }
      // `SchemaCheck` reports a table without the column of keys.
      let table = try store.schema.table(layout)
      if store.schema.missingParts.contains(where: { $0.kind == .column("\(table).Z_PK") }) {
        return nil
      }
      return try Self.problem(of: table, number: try store.schema.number(layout), layout, in: store)
    }
  }

  private static func unnumbered(_ layout: EntityLayout, in store: VerifiedStore) -> StoreProblem {
    StoreProblem(
      .keyCounter, layout, count: 1, "Z_PRIMARYKEY has no row for it: the store can only be read",
      preventsWriting: !store.isModelInferred)
  }

  /// The columns with the names and numbers of entities.
  private static let nameColumns: Set<String> = ["Z_NAME", "Z_ENT"]

  /// Returns whether the store records the highest key of each table (`Z_MAX`).
  static func hasCounters(in store: VerifiedStore) throws -> Bool {
    try store.columns(of: "Z_PRIMARYKEY").isSuperset(of: nameColumns.union(["Z_MAX"]))
  }

  /// Returns a problem if the `Z_MAX` of an entity number is less than the highest key of a table, if no keys are left,
  /// or if `Z_PRIMARYKEY` has no row for an entity; otherwise nil.
  ///
  /// - Parameter layout: The entity; nil for a table of the history.
  static func problem(
    of table: String, number: Int, _ layout: EntityLayout?, in store: VerifiedStore
  ) throws -> StoreProblem? {
    let highest = try store.connection.integer("SELECT MAX(Z_PK) FROM \(SQLText.name(table))") ?? 0
    let counter = try store.connection.integer(
      "SELECT IFNULL(Z_MAX, 0) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
    guard let counter else { return layout.map { unnumbered($0, in: store) } }
    // The largest integer is not used as a key, and the history uses only the lower half of the integers. A counter
    // at the end cannot be repaired, because nothing records which lower keys no row has ever used.
    let end = layout == nil ? Int64.max / 2 : Int64.max - 1
    let loss = layout == nil ? "nothing can be recorded" : "no row can be added"
    if highest >= end {
      return StoreProblem(
        .keyCounter, layout, count: 1,
        "a row of \(table) has the key \(highest), after which no keys are left: \(loss)")
    }
    if counter >= end {
      return StoreProblem(
        .keyCounter, layout, count: 1,
        "the keys of \(table) were allocated up to \(counter) (Z_PRIMARYKEY.Z_MAX), and none are left:"
          + " \(loss)")
    }
    guard counter < highest else { return nil }
    return StoreProblem(
      .keyCounter, layout, count: 1,
      "the keys of \(table) were allocated up to \(counter), but \(highest) is in use",
      repairs: ["UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest) WHERE Z_ENT = \(number)"])
  }
}
