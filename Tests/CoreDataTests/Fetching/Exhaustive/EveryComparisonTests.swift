import CoreData
import Predicates
import Testing

@testable import CoreData

/// Tests every operator with every type of value on both sides, including nil and wrong types. Evaluation in memory and
/// a fetch must return the same result or throw the same error, and must never trap.
@Suite("Every operator of the predicate language with every type of value")
struct EveryComparisonTests {
  @Test(
    "has the same result in memory and in a fetch", arguments: PredicateTables.operators,
    ExhaustiveRun.stores)
  func everyOperator(_ sign: String, _ store: TestedStore) throws {
    let formats =
      ExhaustiveRun.sample(PredicateTables.comparisons(sign), most: 60, "\(sign) \(store)")
      + ExhaustiveRun.sample(
        PredicateTables.textComparisons(sign), most: 20, "\(sign) of texts \(store)")
    try ExhaustiveRun.withWorld(in: store) { world in
      var differences: [String] = []
      var (tried, answers) = (0, 0)
      for format in formats {
        guard let predicate = try? NSPredicate(validating: format) else { continue }
        tried += 1
        let outcomes = PredicateOutcomes(predicate, world)
        if outcomes.hasResult { answers += 1 }
        if let difference = outcomes.difference { differences.append("\(format): \(difference)") }
      }
      #expect(answers > 0, "\(answers) of \(formats.count) have a result")
      #expect(tried > formats.count * 3 / 4, "\(tried) of \(formats.count) can be parsed")
      ExhaustiveRun.expectNone(differences, of: tried)
    }
  }
}
