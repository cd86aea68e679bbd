import StoreEngine

/// Finds parts of the file that run when it is read or written, and that Core Data does not create.
struct ForeignCodeCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    // Stores of Apple's Photos have triggers `ZT_…`.
    let names = try store.connection.texts(
      "SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END || ' ' || name"
        + " FROM sqlite_schema m WHERE type = 'view'"
        + " OR type = 'trigger' AND name NOT GLOB 'Z_DA_*' AND name NOT GLOB 'ZT_*'"
        + " AND name NOT GLOB 'Z_RT_*'"
        + " OR type = 'table' AND NOT \(TableCondition.isPlain)"
        + " AND NOT (\(TableCondition.isRTree) AND name GLOB 'Z_RT_*')"
        + " ORDER BY type, name")
    if names.isEmpty { return [] }
    return [
      StoreProblem(
        .foreignCode, count: names.count,
        "it contains parts that Core Data does not create: \(names.prefix(10).joined(separator: ", "))"
          + (names.count > 10 ? ", …" : ""))
    ]
  }
}
