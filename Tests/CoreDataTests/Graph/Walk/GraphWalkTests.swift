import CoreData
import FixtureSupport
import Testing

/// A short run of `scripts/soak graph`. Environment variables can set the steps, the seed, the first walk and the kinds
/// of store.
@Suite("Random walks over the object graph", .serialized)
struct GraphWalkTests {
  private static let steps =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init) ?? 1300
  private static let firstWalk =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_ROUND"].flatMap(Int.init) ?? 0
  private static let seed = SeededGenerator("graph walk").seed

  /// The share of each kind of store in the steps, in tenths.
  private static let parts: [TestedStore: Int] = [
    .sqlite: 5, .memorySQLite: 2, .inMemory: 1, .binary: 1, .xml: 1,
  ]

  /// The tested kinds of store: all, or those whose name contains the word in the environment.
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
