import CoreData
import FixtureSupport
import Testing

/// What `scripts/soak graph` runs for long runs here in short; the steps and the seed come from the
/// environment.
@Suite("Random walks over the object graph", .serialized)
struct GraphWalkTests {
  private static let steps =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init) ?? 4000
  private static let firstWalk =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_ROUND"].flatMap(Int.init) ?? 0
  private static let seed = SeededGenerator("graph walk").seed

  /// The kinds of store and their parts of the steps, in tenths.
  private static let parts: [TestedStore: Int] = [
    .sqlite: 5, .memorySQLite: 2, .inMemory: 1, .binary: 1, .xml: 1,
  ]

  /// The kinds of store, or those that have a given word in their names.
  private static let kinds = TestedStore.allCases.filter { kind in
    guard let word = ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_MODEL"], !word.isEmpty
    else { return true }
    return kind.rawValue.localizedCaseInsensitiveContains(word)
  }

  @Test(
    "contexts, their children, fetches and files agree with naive graphs after every step",
    arguments: Self.kinds)
  func walks(_ kind: TestedStore) throws {
    let run = GraphWalkRun(
      kind: kind, steps: max(1, Self.steps * (Self.parts[kind] ?? 1) / 10), seed: Self.seed,
      firstWalk: Self.firstWalk)
    let summary = run.run { if Self.steps > 10_000 { print($0.line(kind)) } }
    print(summary.line(kind, isLast: true))
    if let report = summary.report { Issue.record("\(report)") }
    if summary.steps >= 20_000 {
      #expect(summary.memoryAtLast < summary.memoryAtFirst * 5 / 4 + 8_000_000, "memory grows")
    }
  }
}
