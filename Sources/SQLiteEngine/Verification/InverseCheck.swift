import StoreEngine

/// Checks that the two sides of one-to-one relationships refer to each other.
///
/// Other relationships are stored on one side only, so their sides cannot differ.
struct InverseCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.storedProperties.compactMap { property in
      guard case .toOne(let column, let entityColumn, _) = property.mapping,
        let relationship = property.slot.relationship, let inverse = relationship.inverse,
        case .toOne(let backColumn, let backEntity, _) = store.schema.mapping(
          relationship.destination, inverse)
      else { return nil }
      let destination = relationship.destination
      let target = try store.schema.source(destination)
      let (key, back) = (SQLText.name(column), SQLText.name(backColumn))
      let own = "t.Z_ENT IN \(property.numbers)"
      return try store.problem(
        .inverse, property.layout, property.slot,
        "FROM \(property.table) AS t JOIN \(target) AS d ON d.Z_PK = t.\(key)"
          + " WHERE \(own) AND d.\(back) IS NOT t.Z_PK",
        CountedText(
          "row refers", "rows refer", " to a row of \(destination.name) that does not refer back"),
        repairs: [
          // If the destination's inverse is NULL, and only one row refers to the destination, the inverse is set.
          "UPDATE \(target) AS d SET \(back) = (SELECT t.Z_PK FROM \(property.table) t"
            + " WHERE t.\(key) = d.Z_PK AND \(own))"
            + (backEntity.map {
              ", \(SQLText.name($0)) = (SELECT t.Z_ENT FROM \(property.table) t"
                + " WHERE t.\(key) = d.Z_PK AND \(own))"
            } ?? "")
            + ", Z_OPT = IFNULL(Z_OPT, 0) + 1 WHERE d.\(back) IS NULL AND"
            + " (SELECT COUNT(*) FROM \(property.table) t WHERE t.\(key) = d.Z_PK AND \(own)) = 1"
        ]
          // If the destination and another row refer to each other, these two belong together, and this row's reference
          // is removed.
          + (property.slot.isOptional
            ? [
              "UPDATE \(property.table) AS t SET \(key) = NULL"
                + (entityColumn.map { ", \(SQLText.name($0)) = NULL" } ?? "")
                + ", Z_OPT = IFNULL(Z_OPT, 0) + 1 WHERE \(own) AND EXISTS (SELECT 1 FROM \(target) d"
                + " JOIN \(property.table) o ON o.Z_PK = d.\(back) WHERE d.Z_PK = t.\(key)"
                + " AND o.Z_PK <> t.Z_PK AND o.\(key) = d.Z_PK)"
            ] : []))
    }
  }
}
