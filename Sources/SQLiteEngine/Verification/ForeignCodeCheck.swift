import StoreEngine

/// Finds parts of the file that run when it is read or written, and that Core Data does not create.
struct ForeignCodeCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    // Stores of Apple's Photos have triggers `ZT_…`.
    let others = try store.connection.texts(
      "SELECT type || ' ' || name FROM sqlite_schema WHERE type = 'view'"
        + " OR type = 'trigger' AND name NOT GLOB 'Z_DA_*' AND name NOT GLOB 'ZT_*'"
        + " AND name NOT GLOB 'Z_RT_*'"
        + " ORDER BY type, name")
    let tables = try SpecialTable.all(on: store.connection).filter { !$0.isIndexTree }
    let names = tables.map { "virtual table \($0.name)" } + others
    if names.isEmpty { return [] }
    return [
      StoreProblem(
        .foreignCode, count: names.count,
        "it contains parts that Core Data does not create: \(names.prefix(10).joined(separator: ", "))"
          + (names.count > 10 ? ", …" : ""))
    ]
  }
}
