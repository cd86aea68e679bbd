import StoreEngine

/// Checks that the version of each row (`Z_OPT`) is a number that a save can compare. A save of a row with another
/// version finds a conflict each time.
struct RowVersionCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.roots.compactMap { layout in
      let rows = "\(try store.schema.source(layout)) AS t"
      let condition =
        "t.Z_OPT IS NOT NULL AND (typeof(t.Z_OPT) <> 'integer'"
        + " OR t.Z_OPT NOT BETWEEN \(Int32.min) AND \(Int32.max))"
      return try store.problem(
        .invalidValue, layout, of: "t.Z_PK", "FROM \(rows) WHERE \(condition)",
        CountedText(
          "row has a version (Z_OPT) that is not an integer of 32 bits, so it cannot be saved",
          "rows have versions (Z_OPT) that are not integers of 32 bits, so they cannot be saved"),
        repairs: ["UPDATE \(rows) SET Z_OPT = 1 WHERE \(condition)"])
    }
  }
}
