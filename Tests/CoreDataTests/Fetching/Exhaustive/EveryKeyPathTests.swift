import CoreData
import Predicates
import Testing

@testable import CoreData

/// Key paths of every kind, made of valid and invalid keys.
@Suite("Every kind of key path")
struct EveryKeyPathTests {
  private static let steps = [
    "next", "some", "list", "SELF", "self", "text", "double", "money", "date", "objectID", "entity",
    "@count", "@max", "@sum", "@unionOfObjects", "name", "length",
  ]
  private static let others = [
    "@avg", "@min", "@distinctUnionOfObjects", "@unionOfArrays", "@distinctUnionOfSets", "@nosuch",
    "@", "", "nosuch", "hasChanges",
  ]

  private static func paths(_ steps: [String]) -> [String] {
    let pairs = steps.flatMap { one in steps.map { "\(one).\($0)" } }
    return steps + pairs + pairs.flatMap { pair in steps.map { "\(pair).\($0)" } }
  }

  private static func paths(most: Int, _ name: String) -> [String] {
    ExhaustiveRun.sample(paths(steps), most: most, name)
      + ExhaustiveRun.sample(paths(steps + others), most: most, "strange \(name)")
      + ["next.next.next.text", "some.some.text", "list.next.@count", "....", ".next", "next."]
  }

  @Test(
    "has the same result in memory and in a fetch, or is an error", arguments: ExhaustiveRun.stores)
  func paths(_ store: TestedStore) throws {
    let paths = Self.paths(most: 400, "paths \(store)")
    try ExhaustiveRun.withWorld(in: store) { world in
      var differences: [String] = []
      var answers = 0
      for path in paths {
        let expression = NSExpression(forKeyPath: path)
        let plain = world.objects.map { object in
          Outcome { try expression.evaluated(with: object, context: nil) }
        }
        guard let bound = try? PredicateBinder(world.layout).single(expression) else { continue }
        answers += 1
        let evaluator = ValueEvaluator(bound)
        for (row, object) in world.objects.enumerated() {
          let compiled = Outcome { bound.kind.scalar(try evaluator.value(of: object)).boxed }
          // `@avg` includes all members in memory, and only members with a value in a store: Apple's
          // "Collection Operators", and avg() of SQL.
          // In a fetch, a to-many relationship of a nil to-one relationship is empty: "Differences from
          // Apple's Core Data".
          if path.contains("@count"), case .value(nil) = plain[row],
            case .value(0 as Int) = compiled
          {
            continue
          }
          if path.contains("@avg"), !compiled.isFailure, !plain[row].isFailure { continue }
          var plain = plain
          // A store knows only the name of an entity.
          if case .value(let entity as NSEntityDescription) = plain[row] {
            plain[row] = .value(entity.name)
          }
          if !plain[row].agrees(with: compiled) {
            differences.append("\(path): row \(row) plain \(plain[row]), compiled \(compiled)")
            break
          }
        }
      }
      #expect(answers > 15)
      ExhaustiveRun.expectNone(differences, of: paths.count)
    }
  }

  @Test("can be compared, or is refused", arguments: ExhaustiveRun.stores)
  func comparisons(_ store: TestedStore) throws {
    let paths = Self.paths(most: 60, "compared paths \(store)")
    try ExhaustiveRun.withWorld(in: store) { world in
      var differences: [String] = []
      for path in paths {
        for (format, modifier) in [
          ("%K == nil", ""), ("%K > 0", "ANY "), ("%K == 'x'", "ALL "), ("%K != nil", ""),
          ("SUBQUERY(%K, $s, $s.whole > 0).@count > 0", ""), ("%K.@count > 0", ""),
          ("nil IN %K", ""), ("%K[0] == nil", ""), ("TERNARY(%K == nil, 1, 0) == 1", ""),
        ] {
          guard
            let predicate = try? NSPredicate(validating: modifier + format, arguments: [path])
          else { continue }
          let outcomes = PredicateOutcomes(predicate, world)
          if path.contains("@avg"), outcomes.hasResult { continue }
          if let difference = outcomes.difference {
            differences.append("\(predicate): \(difference)")
          }
        }
      }
      ExhaustiveRun.expectNone(differences, of: paths.count)
    }
  }
}
