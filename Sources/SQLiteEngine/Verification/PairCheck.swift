import ObjectModel
import StoreEngine

/// Whether the pairs of many-to-many relationships lead to rows that are there.
struct PairCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    var seen: Set<String> = []
    return try store.places.flatMap { place -> [StoreProblem] in
      guard case .join(let join) = place.mapping, seen.insert(join.table).inserted,
        let destination = place.slot.relationship?.destination, store.schema.contains(destination)
      else { return [] }
      let table = SQLText.name(join.table)
      let (owner, member) = (SQLText.name(join.ownerColumn), SQLText.name(join.memberColumn))
      func isMissing(_ column: String, _ layout: EntityLayout) throws -> String {
        "NOT EXISTS (SELECT 1 FROM \(try store.schema.source(layout)) d"
          + " WHERE d.Z_PK = j.\(column) AND d.Z_ENT IN \(store.possibleNumbers(layout)))"
      }
      let condition =
        "\(try isMissing(owner, place.layout)) OR \(try isMissing(member, destination))"
      let text = "IFNULL(j.\(owner), 'NULL') || ' and ' || IFNULL(j.\(member), 'NULL')"
      var problems: [StoreProblem] = []
      let lost = try store.rows(text, "FROM \(table) AS j WHERE \(condition)")
      if lost.count > 0 {
        problems.append(
          StoreProblem(
            .danglingPair, place.layout, place.slot, count: lost.count,
            "\(lost.count) pairs lead to a row that is not there (keys \(lost.examples))",
            repairs: ["DELETE FROM \(table) AS j WHERE \(condition)"]))
      }
      guard join.isReflexive else { return problems }
      let single =
        "NOT EXISTS (SELECT 1 FROM \(table) k WHERE k.\(owner) = j.\(member)"
        + " AND k.\(member) = j.\(owner)) AND NOT (\(condition))"
      let oneSided = try store.rows(text, "FROM \(table) AS j WHERE \(single)")
      if oneSided.count > 0 {
        problems.append(
          StoreProblem(
            .inverse, place.layout, place.slot, count: oneSided.count,
            "\(oneSided.count) pairs are there in one direction only (keys \(oneSided.examples))",
            repairs: [
              "INSERT INTO \(table) (\(owner), \(member)) SELECT j.\(member), j.\(owner)"
                + " FROM \(table) AS j WHERE \(single)"
            ]))
      }
      return problems
    }
  }
}
