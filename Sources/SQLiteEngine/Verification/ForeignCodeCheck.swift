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
    let names =
      try tables(on: store.connection) + indexesAndDefaultValues(on: store.connection) + others
    if names.isEmpty { return [] }
    return [
      StoreProblem(
        .foreignCode, count: names.count,
        "it contains parts that Core Data does not create: \(names.prefix(10).joined(separator: ", "))"
          + (names.count > 10 ? ", …" : ""))
    ]
  }

  private func tables(on connection: SQLiteConnection) throws -> [String] {
    let trees = try SpecialTable.all(on: connection).filter { $0.isRTree && !$0.isIndexTree }
    // A view is listed with the other views.
    let foreign = try ForeignTable.all(on: connection).filter { !$0.isView }
    return trees.map { "virtual table \($0.name)" } + foreign.map(\.part)
  }

  private func indexesAndDefaultValues(on connection: SQLiteConnection) throws -> [String] {
    try SchemaCode.all(on: connection)
      // Apple's Core Data names fetch indexes `Z_<entity>_<index>`, and may write other SQL than this library.
      .filter { $0.kind != .trigger && !($0.kind == .index && $0.name.hasPrefix("Z_")) }
      .map { "\($0.kind.rawValue) \($0.name)" }
  }
}
