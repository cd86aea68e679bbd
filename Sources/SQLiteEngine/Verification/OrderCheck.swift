import StoreEngine

/// Checks that the members of ordered relationships have unique positions.
///
/// A repair assigns new positions in the order of the existing positions; members with the same position are ordered by
/// their keys. Members without a position become the last ones, as if they had just been added. Before the repair, a
/// fetch returns them first.
struct OrderCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.storedProperties.compactMap { property in
      guard property.slot.relationship?.isOrdered == true,
        let destination = property.slot.relationship?.destination
      else { return nil }
      switch property.mapping {
      case .children(let column, let orderColumn?, _):
        return try problem(
          property, store, table: try store.schema.table(destination), key: "Z_PK", owner: column,
          order: orderColumn)
      case .join(let join):
        guard let orderColumn = join.memberOrderColumn else { return nil }
        return try problem(
          property, store, table: join.table, key: "rowid", owner: join.ownerColumn,
          order: orderColumn, member: join.memberColumn)
      default: return nil
      }
    }
  }

  private func problem(
    _ property: VerifiedStore.StoredProperty, _ store: VerifiedStore, table: String, key: String,
    owner: String, order: String, member: String? = nil
  ) throws -> StoreProblem? {
    let table = SQLText.name(table)
    let (owner, order) = (SQLText.name(owner), SQLText.name(order))
    // COUNT(DISTINCT …) ignores NULL, so the owners of members without a position are found, too.
    let owners =
      "SELECT \(owner) AS o FROM \(table) WHERE \(owner) IS NOT NULL GROUP BY \(owner)"
      + " HAVING COUNT(DISTINCT \(order)) < COUNT(*)"
    let last = member.map(SQLText.name) ?? key
    return try store.problem(
      .order, property.layout, property.slot, of: "o", "FROM (\(owners))",
      CountedText("row has", "rows have", " members without a unique position"),
      repairs: [
        "UPDATE \(table) SET \(order) = \(OrderNumbers.first) + \(OrderNumbers.step) * n.place"
          + " FROM (SELECT \(key) AS k, ROW_NUMBER() OVER (PARTITION BY \(owner)"
          + " ORDER BY \(order) IS NULL, \(order), \(last)) - 1 AS place FROM \(table)"
          + " WHERE \(owner) IN (\(owners))) AS n WHERE \(table).\(key) = n.k"
      ])
  }
}
