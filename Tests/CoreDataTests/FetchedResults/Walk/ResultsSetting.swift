import CoreData
import FixtureSupport

/// A random request for live results of the sample's players.
struct ResultsSetting: CustomStringConvertible {
  /// The sort keys, with a minus for descending and a tilde for case-insensitive order.
  let sorts: [String]
  let section: String?
  let predicate: String?
  let limit: Int
  let offset: Int
  let batch: Int

  init(_ random: inout SeededGenerator) {
    let section =
      ["age", "name", "team.name", "team", nil, nil].randomElement(using: &random) ?? nil
    var keys = ["age", "name", "number", "isActive", "team.name", "team"].shuffled(using: &random)
    if let section {
      keys.removeAll { $0 == section }
      keys.insert(section, at: 0)
    }
    sorts = keys.prefix(Int.random(in: 1...4, using: &random)).map {
      // A case-insensitive order would separate the rows of a section.
      let isFolded =
        $0.hasSuffix("name") && $0 != section && Int.random(in: 0..<3, using: &random) == 0
      return (Bool.random(using: &random) ? "" : "-") + (isFolded ? "~" : "") + $0
    }
    self.section = section
    predicate =
      [
        nil, nil, "isActive == YES", "age < 4", "team.name != \"B\"", "ANY tags.label == \"x\"",
        "team == nil OR team.name IN {\"A\", \"C\"}", "name != nil AND NOT isActive == YES",
      ].randomElement(using: &random) ?? nil
    let isWindow = Int.random(in: 0..<3, using: &random) == 0
    limit = isWindow ? [0, 1, 3, 6].randomElement(using: &random) ?? 0 : 0
    offset = isWindow ? [0, 0, 2, 5].randomElement(using: &random) ?? 0 : 0
    batch = [0, 0, 3].randomElement(using: &random) ?? 0
  }

  var description: String {
    "sort \(sorts), section \(section ?? "none"), where \(predicate ?? "all"), limit \(limit),"
      + " offset \(offset), batch \(batch)"
  }

  /// - Parameter isWhole: Whether to omit the limit, the offset and the batch size.
  func apply(to request: NSFetchRequest<NSManagedObject>, isWhole: Bool = false) {
    request.predicate = predicate.map { NSPredicate(format: $0) }
    request.sortDescriptors = sorts.map { sort in
      let key = String(sort.drop { "-~".contains($0) })
      return sort.contains("~")
        ? NSSortDescriptor(
          key: key, ascending: !sort.hasPrefix("-"), selector: Selector("caseInsensitiveCompare:"))
        : NSSortDescriptor(key: key, ascending: !sort.hasPrefix("-"))
    }
    if isWhole { return }
    request.fetchLimit = limit
    request.fetchOffset = offset
    request.fetchBatchSize = batch
  }

  /// Returns the rows of a fetch. The test itself applies the limit and splits the rows into sections.
  func expected(
    in context: NSManagedObjectContext
  ) throws -> [(name: String, rows: [NSManagedObject])] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    apply(to: request, isWhole: true)
    var rows = Array(try context.fetch(request).dropFirst(offset))
    if limit > 0 { rows = Array(rows.prefix(limit)) }
    return SectionsByHand.of(rows, section)
  }
}
