import StoreEngine

/// Whether the next keys are free, and there are any.
struct KeyCounterCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    guard try store.hasTable("Z_PRIMARYKEY") else {
      return [
        StoreProblem(
          .keyCounter, count: 1,
          "the table of keys, Z_PRIMARYKEY, is not there: the store can only be read",
          preventsWriting: true)
      ]
    }
    let lost = try Self.nameColumns.subtracting(store.columns(of: "Z_PRIMARYKEY")).sorted()
    guard lost.isEmpty else {
      return [
        StoreProblem(
          .keyCounter, count: 1,
          "the column Z_PRIMARYKEY.\(lost[0]) is not there: the store can only be read",
          preventsWriting: true)
      ]
    }
    guard try Self.hasCounters(in: store) else {
      return [
        StoreProblem(
          .keyCounter, count: 1, "the column Z_PRIMARYKEY.Z_MAX is not there: no row can be added")
      ]
    }
    let unnumbered = Set(store.schema.lacks.filter { $0.part == .number }.map(\.entity.index))
    return try store.schema.model.entities.compactMap { layout in
      if unnumbered.contains(layout.index) {
        return Self.unnumbered(layout, in: store)
      }
      guard layout.superlayout == nil, store.schema.contains(layout) else { return nil }
      // A table without keys is listed with its columns.
      let table = try store.schema.table(layout)
      if store.schema.lacks.contains(where: { $0.part == .column("\(table).Z_PK") }) { return nil }
      return try Self.problem(of: table, number: try store.schema.number(layout), layout, in: store)
    }
  }

  private static func unnumbered(_ layout: EntityLayout, in store: VerifiedStore) -> StoreProblem {
    StoreProblem(
      .keyCounter, layout, count: 1, "Z_PRIMARYKEY has no row for it: the store can only be read",
      preventsWriting: !store.isModelInferred)
  }

  /// The columns that give the entities their numbers.
  private static let nameColumns: Set<String> = ["Z_NAME", "Z_ENT"]

  /// Whether the store counts keys at all.
  static func hasCounters(in store: VerifiedStore) throws -> Bool {
    try store.columns(of: "Z_PRIMARYKEY").isSuperset(of: nameColumns.union(["Z_MAX"]))
  }

  /// Whether `Z_MAX` of a number is behind the keys of a table, or at their end.
  ///
  /// - Parameter layout: the entity; nil for a table of the history.
  static func problem(
    of table: String, number: Int, _ layout: EntityLayout?, in store: VerifiedStore
  ) throws -> StoreProblem? {
    let highest = try store.connection.integer("SELECT MAX(Z_PK) FROM \(SQLText.name(table))") ?? 0
    let counter = try store.connection.integer(
      "SELECT IFNULL(Z_MAX, 0) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
    guard let counter else { return layout.map { unnumbered($0, in: store) } }
    // A save leaves the very last key alone, and a history half of them. Which of those below are free, and were
    // never a row's, is not known; so there is no right counter.
    let end = layout == nil ? Int64.max / 2 : Int64.max - 1
    let loss = layout == nil ? "nothing can be recorded" : "no row can be added"
    if highest >= end {
      return StoreProblem(
        .keyCounter, layout, count: 1,
        "a row of \(table) has the key \(highest), behind which there are none left: \(loss)")
    }
    if counter >= end {
      return StoreProblem(
        .keyCounter, layout, count: 1,
        "the keys of \(table) were given out up to \(counter) (Z_PRIMARYKEY.Z_MAX), and none are left:"
          + " \(loss)")
    }
    guard counter < highest else { return nil }
    return StoreProblem(
      .keyCounter, layout, count: 1,
      "the keys of \(table) were given out up to \(counter), and \(highest) is taken",
      repairs: ["UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest) WHERE Z_ENT = \(number)"])
  }
}
