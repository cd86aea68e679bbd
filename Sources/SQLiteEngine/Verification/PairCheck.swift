import StoreEngine

/// Checks that the pairs of many-to-many relationships refer to existing rows, and that those of a relationship that is
/// its own inverse exist in both directions.
struct PairCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    var seen: Set<String> = []
    return try store.storedProperties.flatMap { property -> [StoreProblem] in
      // The inverse relationship has the same table.
      guard case .join(let join) = property.mapping, seen.insert(join.table).inserted,
        let destination = property.slot.relationship?.destination,
        store.schema.contains(destination)
      else { return [] }
      let table = SQLText.name(join.table)
      let (owner, member) = (SQLText.name(join.ownerColumn), SQLText.name(join.memberColumn))
      func isMissing(_ column: String, _ layout: EntityLayout) throws -> String {
        "NOT EXISTS (SELECT 1 FROM \(try store.schema.source(layout)) d"
          + " WHERE d.Z_PK = j.\(column) AND d.Z_ENT IN \(store.possibleNumbers(layout)))"
      }
      let condition =
        "\(try isMissing(owner, property.layout)) OR \(try isMissing(member, destination))"
      let text = "IFNULL(j.\(owner), 'NULL') || ' and ' || IFNULL(j.\(member), 'NULL')"
      let lost = try store.problem(
        .danglingPair, property.layout, property.slot, of: text,
        "FROM \(table) AS j WHERE \(condition)",
        CountedText("pair refers", "pairs refer", " to a missing row"),
        repairs: ["DELETE FROM \(table) AS j WHERE \(condition)"])
      guard join.isReflexive else { return [lost].compactMap(\.self) }
      let single =
        "NOT EXISTS (SELECT 1 FROM \(table) k WHERE k.\(owner) = j.\(member)"
        + " AND k.\(member) = j.\(owner)) AND NOT (\(condition))"
      let oneSided = try store.problem(
        .inverse, property.layout, property.slot, of: text, "FROM \(table) AS j WHERE \(single)",
        CountedText("pair exists", "pairs exist", " in one direction only"),
        repairs: [
          "INSERT INTO \(table) (\(owner), \(member)) SELECT j.\(member), j.\(owner)"
            + " FROM \(table) AS j WHERE \(single)"
        ])
      return [lost, oneSided].compactMap(\.self)
    }
  }
}
