import CoreData
import FixtureSupport

/// Runs a number of walks one after the other, and shortens the first one that fails.
struct GraphWalkRun {
  let kind: TestedStore
  let steps: Int
  let seed: UInt64
  var stepsOfWalk = 250
  /// The number of the first walk to run. Skipping the walks before it repeats a late failure sooner.
  var firstWalk = 0

  /// The result of a run.
  struct Summary {
    var steps = 0
    var walks = 0
    var seconds = 0.0
    /// Resident bytes after the first tenth and at the end.
    var memoryAtFirst = 0
    var memoryAtLast = 0
    /// A text about the failure, or nil if no walk failed.
    var report: String?

    /// Returns a readable line that `scripts/soak` parses.
    func line(_ kind: TestedStore, isLast: Bool = false) -> String {
      String(
        format:
          "graph: \(kind.rawValue)\(isLast ? ", in all" : ""): %d steps, %d walks, %.1f s, memory %.1f MB to %.1f MB",
        steps, walks, seconds, Double(memoryAtFirst) / 1e6, Double(memoryAtLast) / 1e6)
    }
  }

  private static let isTraced = ProcessInfo.processInfo.environment["OPENCOREDATA_TRACE"] != nil

  /// - Parameter reportProgress: The closure that is called after each tenth of the steps.
  func run(_ reportProgress: (Summary) -> Void = { _ in }) -> Summary {
    let start = ContinuousClock.now
    var generator = SeededGenerator(seed: seed)
    var summary = Summary()
    var next = steps / 10
    while summary.steps < steps, summary.report == nil {
      let walk = WalkStep.random(min(stepsOfWalk, steps - summary.steps), &generator)
      if Self.isTraced, summary.walks >= firstWalk {
        print("walk \(summary.walks) of seed \(seed)")
      }
      let variant = Int.random(in: 0..<8, using: &generator)
      if summary.walks >= firstWalk,
        let failure = Self.failure(of: walk, kind, variant, isTraced: Self.isTraced)
      {
        summary.report = report(walk, variant, failure, summary.walks)
      }
      summary.steps += walk.count
      summary.walks += 1
      summary.seconds = start.duration(to: .now) / .seconds(1)
      if summary.steps >= next {
        summary.memoryAtLast = ProcessMemory.resident
        if summary.memoryAtFirst == 0 { summary.memoryAtFirst = summary.memoryAtLast }
        reportProgress(summary)
        next += max(1, steps / 10)
      }
    }
    return summary
  }

  private struct Failure {
    let text: String
    let log: [String]
  }

  /// Runs steps in a new walk and returns its failure, or nil if there is none.
  private static func failure(
    of steps: [WalkStep], _ kind: TestedStore, _ variant: Int, isTraced: Bool = false
  ) -> Failure? {
    let leaks = LeakWatch()
    do {
      let walk = try GraphWalk(kind, variant: variant, leaks: leaks, isTraced: isTraced)
      let failure = walk.run(steps)
      let log = walk.log
      walk.end()
      if let failure { return Failure(text: failure, log: log) }
    } catch {
      return Failure(text: "the walk did not start: \(error)", log: [])
    }
    let remaining = leaks.remaining()
    return remaining.isEmpty ? nil : Failure(text: "still in memory: \(remaining)", log: [])
  }

  // MARK: Shortening

  /// Returns fewer steps that also fail: no single one of them can be left out. Removes smaller and smaller parts.
  private func shortest(_ steps: [WalkStep], _ variant: Int) -> [WalkStep] {
    var steps = steps
    var size = steps.count / 2
    while size >= 1 {
      var start = 0
      var isShorter = false
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if !fewer.isEmpty, Self.failure(of: fewer, kind, variant) != nil {
          steps = fewer
          isShorter = true
        } else {
          start += size
        }
      }
      if size == 1, !isShorter { break }
      size = size > 1 ? size / 2 : 1
    }
    return steps
  }

  private func report(
    _ steps: [WalkStep], _ variant: Int, _ failure: Failure, _ walk: Int
  ) -> String {
    let short = shortest(steps, variant)
    guard let found = Self.failure(of: short, kind, variant) else {
      // The failure depends on the timing of other queues.
      return """
        store: \(kind.rawValue), OPENCOREDATA_SEED=\(seed), walk \(walk), not reproduced
        \(failure.log.map { "  " + $0 }.joined(separator: "\n"))
        difference: \(failure.text)
        """
    }
    return """
      store: \(kind.rawValue), OPENCOREDATA_SEED=\(seed), walk \(walk), \(steps.count) steps
      first found: \(failure.text)
      shortest, \(short.count) steps:
      \(found.log.map { "  " + $0 }.joined(separator: "\n"))
      difference: \(found.text)
      """
  }
}
