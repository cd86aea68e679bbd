import CoreData
import FixtureSupport
import Testing

/// A short run of `scripts/soak predicates`. The environment can set the steps and the seed.
@Suite("Random predicates of the whole language")
struct RandomAgreementTests {
  /// The total number of predicates that the cases try.
  private static let steps =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init) ?? 700
  private static let seed = SeededGenerator("random agreement").seed
  /// The number of cases for each arena, so that all processors are busy until the end.
  private static let parts = steps > 10_000 ? 4 : 1

  /// All arenas, or only those whose names contain the word in `OPENCOREDATA_SOAK_MODEL`.
  private static let arenas = AgreementArena.all.filter { arena in
    guard let word = ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_MODEL"], !word.isEmpty
    else { return true }
    return arena.testDescription.localizedCaseInsensitiveContains(word)
  }

  @Test(
    "match the same rows in SQL, bound to the model, and by key-value coding",
    arguments: Self.arenas, Array(0..<Self.parts))
  func agreement(_ arena: AgreementArena, _ part: Int) throws {
    let weights = Self.arenas.reduce(0) { $0 + $1.weight } * Self.parts
    let run = AgreementRun(
      arena: arena, steps: Self.steps * arena.weight / max(1, weights) + 1,
      seed: Self.seed &* 1_000_003 &+ UInt64(part) &* 7919)
    let summary = try run.run()
    print(summary.line(arena, part))
    // The test does not choose the rows of an existing store, so predicates may match none of them.
    if !AgreementRun.isOver, try arena.model() != nil {
      #expect(
        summary.distinguishing * 10 > summary.predicates,
        "too few predicates match some rows and not others")
    }
  }
}

extension AgreementRun.Summary {
  /// Returns the summary in the form that `scripts/soak` parses.
  fileprivate func line(_ arena: AgreementArena, _ part: Int) -> String {
    let refused = refusals.values.reduce(0, +)
    var line =
      "agreement: \(arena.testDescription)/\(part): \(predicates) predicates, \(distinguishing)"
      + " distinguish rows, \(pending) on unsaved changes, \(refused) refused, "
      + String(format: "%.1f s", seconds)
    if slowest.seconds > 2 {
      line += String(format: "\nagreement:   slowest, %.1f s: ", slowest.seconds) + slowest.format
    }
    for (reason, count) in refusals.sorted(by: { $0.value > $1.value }) {
      line += "\nagreement:   refused \(count): \(reason)"
    }
    return line
  }
}
