import FixtureSupport
import Foundation
import Testing

/// What `scripts/soak results` runs for long runs here in short; the steps and the seed come from the
/// environment.
@Suite("Random walks over live results", .serialized)
struct ResultsWalkTests {
  private static let steps =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init) ?? 2500
  /// The round to begin with, to see a mistake of a late one again.
  private static let firstRound =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_ROUND"].flatMap(Int.init) ?? 0

  @Test("reports of whatever happens to a context lead to what a new fetch gives")
  func walks() throws {
    var random = SeededGenerator("results walk")
    var done = 0
    var refusals = 0
    var round = Self.firstRound
    for _ in 0..<round { _ = random.next() }
    while done < Self.steps {
      let walk = try ResultsWalk(round: round, SeededGenerator(seed: random.next()))
      for step in 0..<50 {
        if let fault = try walk.step() {
          Issue.record("seed \(random.seed), round \(round), step \(step): \(fault)")
          return
        }
        done += 1
      }
      refusals += walk.refusals
      round += 1
      if round % 200 == 0 { print("results: so far \(done) steps") }
    }
    print("results: in all: \(done) steps, \(refusals) saves refused")
    // Most saves are made, else little is tested.
    #expect(refusals * 20 < done)
  }

  /// Walks again what was found to go wrong.
  private func expectNoFault(
    seed: UInt64, round: Int, isWide: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<round { _ = random.next() }
    let walk = try ResultsWalk(
      round: round, SeededGenerator(seed: random.next()), isWide: isWide)
    for _ in 0..<50 {
      let fault = try walk.step()
      #expect(fault == nil, sourceLocation: sourceLocation)
    }
  }

  /// Rows saw a team again whose deletion was undone, and were not looked at.
  @Test("rows that lead to an object see that its deletion was taken back")
  func deletionTakenBack() throws {
    try expectNoFault(seed: 20_261_123, round: 14_398, isWide: false)
  }

  /// What is taken back had been given to another team by somebody else meanwhile, which went on having it, or had it
  /// no more when all of it was done again.
  @Test("a team that got a row by a merge lets go of it, and has it again, with undo and redo")
  func undoneAfterMerge() throws {
    try expectNoFault(seed: 20_261_124, round: 10_279, isWide: false)
  }

  /// A child's policy brought back an object whose row is gone, and undo left it without a row.
  @Test("an object without a row that a child brought back goes with undo")
  func broughtBackByChild() throws {
    try expectNoFault(seed: 20_261_124, round: 16_243)
  }

  /// A child brought back an object whose deletion had been merged, and rollback left it there.
  @Test("an object without a row does not come back with a rollback")
  func rolledBackWithoutRow() throws {
    try expectNoFault(seed: 20_261_126, round: 2_120)
  }
}
