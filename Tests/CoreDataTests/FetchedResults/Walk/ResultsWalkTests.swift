import FixtureSupport
import Foundation
import Testing

/// A short run of `scripts/soak results`. The environment can set the number of steps and the seed.
@Suite("Random walks over live results", .serialized)
struct ResultsWalkTests {
  private static let steps =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init) ?? 500
  /// The number of the first round. The environment can set it, to repeat a failure in a late round.
  private static let firstRound =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_ROUND"].flatMap(Int.init) ?? 0

  @Test("reports of random changes turn the former rows into those of a new fetch")
  func walks() throws {
    var random = SeededGenerator("results walk")
    var done = 0
    var refusals = 0
    var round = Self.firstRound
    for _ in 0..<round { _ = random.next() }
    while done < Self.steps {
      let walk = try ResultsWalk(round: round, SeededGenerator(seed: random.next()))
      for step in 0..<50 {
        if let problem = try walk.step() {
          Issue.record("seed \(random.seed), round \(round), step \(step): \(problem)")
          return
        }
        done += 1
      }
      refusals += walk.refusals
      round += 1
      if round % 200 == 0 { print("results: so far \(done) steps") }
    }
    print("results: in all: \(done) steps, \(refusals) saves refused")
    // Most saves must succeed, or the test covers little.
    #expect(refusals * 20 < done)
  }

  /// Repeats a walk that once failed.
  private func expectNoProblem(
    seed: UInt64, round: Int, isWide: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<round { _ = random.next() }
    let walk = try ResultsWalk(
      round: round, SeededGenerator(seed: random.next()), isWide: isWide)
    for _ in 0..<50 {
      let problem = try walk.step()
      #expect(problem == nil, sourceLocation: sourceLocation)
    }
  }

  /// The deletion of a team was undone, and rows that depend on it were not updated.
  @Test("rows that depend on an object are updated when its deletion is undone")
  func deletionUndone() throws {
    try expectNoProblem(seed: 20_261_123, round: 14_398, isWide: false)
  }

  /// Another context had moved a player to another team before a change to the player was undone. That team kept the
  /// player after undo, or did not have it after redo.
  @Test("a team that got a row by a merge loses it with undo, and has it again with redo")
  func undoneAfterMerge() throws {
    try expectNoProblem(seed: 20_261_124, round: 10_279, isWide: false)
  }

  /// A child's policy restored an object whose row was deleted, and undo kept the object without a row.
  @Test("undo removes an object that a child restored although its row was deleted")
  func restoredByChild() throws {
    try expectNoProblem(seed: 20_261_124, round: 16_243)
  }

  /// A child restored an object whose deletion had been merged, and a rollback kept it.
  @Test("a rollback does not restore an object that a child restored although its row was deleted")
  func rolledBackWithoutRow() throws {
    try expectNoProblem(seed: 20_261_126, round: 2_120)
  }
}
