/// Whether the next keys are free.
struct KeyCounterCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    guard try store.hasTable("Z_PRIMARYKEY") else {
      return [
        StoreProblem(
          .keyCounter, count: 1,
          "the table of keys, Z_PRIMARYKEY, is not there: the store can only be read")
      ]
    }
    return try store.schema.model.entities.filter {
      $0.superlayout == nil && store.schema.contains($0)
    }
    .compactMap { layout in
      try Self.problem(
        of: try store.schema.table(layout), number: try store.schema.number(layout), layout,
        in: store)
    }
  }

  /// Whether `Z_MAX` of a number is behind the keys of a table.
  static func problem(
    of table: String, number: Int, _ layout: EntityLayout?, in store: VerifiedStore
  ) throws -> StoreProblem? {
    let highest = try store.connection.integer("SELECT MAX(Z_PK) FROM \(SQLText.name(table))") ?? 0
    let counter = try store.connection.integer(
      "SELECT IFNULL(Z_MAX, 0) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
    guard let counter else {
      if layout == nil { return nil }
      return StoreProblem(
        .keyCounter, layout, count: 1,
        "Z_PRIMARYKEY has no row for it: the store can only be read")
    }
    guard counter < highest else { return nil }
    return StoreProblem(
      .keyCounter, layout, count: 1,
      "the keys of \(table) were given out up to \(counter), and \(highest) is taken",
      repairs: ["UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest) WHERE Z_ENT = \(number)"])
  }
}
