import CoreData
import FixtureSupport
import Testing

/// What the soak runs for long runs here in short; the steps and the seed come from the
/// environment.
@Suite("Random predicates of the whole language")
struct RandomAgreementTests {
  /// How many predicates all cases try together.
  private static let steps =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init) ?? 3000
  private static let seed = SeededGenerator("random agreement").seed
  /// Cases of the same arena, so that all processors have something to do until the end.
  private static let parts = steps > 10_000 ? 4 : 1

  /// The arenas, or those whose names have a given word in them.
  private static let arenas = AgreementArena.all.filter { arena in
    guard let word = ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_MODEL"], !word.isEmpty
    else { return true }
    return arena.testDescription.localizedCaseInsensitiveContains(word)
  }

  @Test(
    "pick the same rows in SQL, bound to the model, and by key-value coding",
    arguments: Self.arenas, Array(0..<Self.parts))
  func agreement(_ arena: AgreementArena, _ part: Int) throws {
    let weights = Self.arenas.reduce(0) { $0 + $1.weight } * Self.parts
    let run = AgreementRun(
      arena: arena, steps: Self.steps * arena.weight / max(1, weights) + 1,
      seed: Self.seed &* 1_000_003 &+ UInt64(part) &* 7919)
    let summary = try run.run()
    print(summary.line(arena, part))
    // A store has the rows that it has.
    if !AgreementRun.isOver, try arena.model() != nil {
      #expect(summary.telling * 10 > summary.predicates, "too few predicates tell rows apart")
    }
  }
}

extension AgreementRun.Summary {
  /// One line a reader and `scripts/soak` understand.
  fileprivate func line(_ arena: AgreementArena, _ part: Int) -> String {
    let refused = refusals.values.reduce(0, +)
    var line =
      "agreement: \(arena.testDescription)/\(part): \(predicates) predicates, \(telling) tell rows"
      + " apart, \(pending) on unsaved changes, \(refused) refused, "
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
