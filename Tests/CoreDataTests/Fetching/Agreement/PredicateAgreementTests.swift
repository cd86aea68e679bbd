import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// The store and the evaluation in memory must match the same rows, because live results and unsaved changes depend
/// on it.
@Suite("A predicate matches the same rows in SQL and in memory")
struct PredicateAgreementTests {
  private static let words = [
    "", "a", "A", "ab", "Abc", "é", "É", "e", "straße", "100%", "x_y", "z*",
  ]

  private func fill(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) throws {
    func maybe<T>(_ value: T) -> T? { Int.random(in: 0..<5, using: &random) == 0 ? nil : value }
    let tags = (0..<4).map { context.insert("Tag", ["label": Self.words[$0 + 1]]) }
    let teams = (0..<4).map { index in
      context.insert(
        "Team",
        [
          "name": maybe(Self.words[index + 3]),
          "founded": maybe(Date(timeIntervalSinceReferenceDate: Double(index) * 1000)),
        ])
    }
    for _ in 0..<60 {
      let player = context.insert(Bool.random(using: &random) ? "Player" : "Captain")
      player.setValue(maybe(Self.words.randomElement(using: &random) ?? ""), forKey: "name")
      player.setValue(maybe(Int.random(in: -3..<6, using: &random)), forKey: "age")
      player.setValue(maybe(Double.random(in: -2..<4, using: &random).rounded()), forKey: "score")
      player.setValue(maybe(Bool.random(using: &random)), forKey: "isActive")
      player.setValue(maybe(teams.randomElement(using: &random)) ?? nil, forKey: "team")
      let own = tags.filter { _ in Bool.random(using: &random) }
      player.setValue(NSSet(array: own), forKey: "tags")
    }
    try context.save()
  }

  private func text(_ random: inout SeededGenerator) -> String {
    "\"\(Self.words.randomElement(using: &random) ?? "")\""
  }

  private func number(_ random: inout SeededGenerator) -> String {
    ["-1", "0", "1", "2", "3", "1.5", "2.0"].randomElement(using: &random) ?? "0"
  }

  private func comparison(_ prefix: String, _ random: inout SeededGenerator) -> String {
    let order = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? "=="
    let options =
      ["", "", "[c]", "[d]", "[cd]", "[l]", "[cdl]"].randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return "\(prefix)age \(order) \(number(&random))"
    case 1: return "\(prefix)score \(order) \(number(&random))"
    case 2: return "\(prefix)age + 1 \(order) \(prefix)score * 2"
    case 3: return "\(prefix)name \(order)\(options) \(text(&random))"
    case 4:
      let operation =
        ["BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE"].randomElement(using: &random) ?? "LIKE"
      return "\(prefix)name \(operation)\(options) \(text(&random))"
    case 5: return "\(prefix)name MATCHES\(options) \"[aA].*\""
    case 6:
      return "\(prefix)age IN {\(number(&random)), \(number(&random))}"
    case 7: return "\(prefix)name IN\(options) {\(text(&random)), \(text(&random))}"
    case 8: return "\(prefix)age BETWEEN {\(number(&random)), \(number(&random))}"
    case 9:
      return ["\(prefix)name == nil", "\(prefix)age != nil", "\(prefix)team == nil"]
        .randomElement(using: &random) ?? ""
    case 10: return "\(prefix)isActive == \(Bool.random(using: &random) ? "YES" : "NO")"
    default: return "\(prefix)team.name \(order)\(options) \(text(&random))"
    }
  }

  private func predicate(_ depth: Int, _ random: inout SeededGenerator) -> String {
    if depth > 0 {
      let left = predicate(depth - 1, &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return "(\(left)) AND (\(predicate(depth - 1, &random)))"
      case 1: return "(\(left)) OR (\(predicate(depth - 1, &random)))"
      case 2: return "NOT (\(left))"
      default: return left
      }
    }
    let quantifier = ["ANY", "ALL", "NONE"].randomElement(using: &random) ?? "ANY"
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return "\(quantifier) tags.label == \(text(&random))"
    case 1: return "\(quantifier) tags.label BEGINSWITH[cd] \(text(&random))"
    case 2: return "\(quantifier) team.players.age > \(number(&random))"
    case 3: return "tags.@count > \(number(&random))"
    case 4: return "team.players.@count \(Bool.random(using: &random) ? "<" : ">=") 8"
    case 5: return "team.players.@max.age == age"
    case 6: return "team.players.@avg.score < \(number(&random))"
    case 7:
      return
        "SUBQUERY(team.players, $p, $p.age > \(number(&random)) AND $p.isActive == YES).@count > 2"
    case 8: return "SUBQUERY(tags, $t, ANY $t.players.age == 3).@count == 1"
    default: return comparison("", &random)
    }
  }

  @Test("for random predicates over random rows")
  func randomPredicates() throws {
    let stack = try SampleStack()
    var random = SeededGenerator("predicate agreement")
    try stack.context.performAndWait {
      try fill(stack.context, &random)
      let players = try stack.context.all("Player")
      #expect(players.count == 60)
      var nonTrivial = 0
      let count = WholeRun.steps(500, whole: 1500)
      for _ in 0..<count {
        let format = predicate(2, &random)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = try NSPredicate(validating: format)
        let plan = try FetchPlan(request, in: stack.coordinator.layouts)
        let memory = try players.filter { try plan.membership.matches($0) }
        let stored = try stack.context.fetch(request)
        if !memory.isEmpty && memory.count < players.count { nonTrivial += 1 }
        #expect(
          Set(stored) == Set(memory),
          "seed \(random.seed): \(format): \(stored.count) stored, \(memory.count) in memory")
        #expect(try stack.context.count(for: request) == memory.count)
      }
      #expect(nonTrivial > count / 3)
    }
  }

  @Test(
    "Sort descriptors order rows in SQL as in memory",
    arguments: [
      ["age"], ["-age", "name"], ["team.name", "-score"], ["name", "-isActive"], ["team", "age"],
    ])
  func order(_ keys: [String]) throws {
    let stack = try SampleStack()
    var random = SeededGenerator("order agreement")
    try stack.context.performAndWait {
      try fill(stack.context, &random)
      let stored = try stack.context.all("Player", sort: keys)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = keys.map {
        NSSortDescriptor(
          key: $0.replacingOccurrences(of: "-", with: ""), ascending: !$0.hasPrefix("-"))
      }
      let order = RowOrder(sorts: try FetchPlan(request, in: stack.coordinator.layouts).sorts)
      let memory = try stored.shuffled(using: &random)
        .map { ($0, try SortValues(of: $0, by: order.sorts)) }
        .sorted { order.compare($0.1, $1.1) < 0 }.map(\.0)
      #expect(stored == memory, "seed \(random.seed)")
    }
  }

  @Test(
    "String comparisons order rows in SQL as in memory, by bytes or by the user's locale",
    arguments: [
      "compare:", "caseInsensitiveCompare:", "localizedCompare:",
      "localizedCaseInsensitiveCompare:", "localizedStandardCompare:",
    ])
  func collations(_ selector: String) throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for word in ["b", "B", "a10", "a9", "A", "ä", "z", "", "é", "E"] {
        stack.context.insert("Player", ["name": word])
      }
      try stack.context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [
        NSSortDescriptor(key: "name", ascending: true, selector: Selector(selector))
      ]
      let order = RowOrder(sorts: try FetchPlan(request, in: stack.coordinator.layouts).sorts)
      let stored = try stack.context.fetch(request)
      let memory = try stored.reversed().map { ($0, try SortValues(of: $0, by: order.sorts)) }
        .sorted { order.compare($0.1, $1.1) < 0 }.map(\.0)
      #expect(stored == memory)
    }
  }
}
