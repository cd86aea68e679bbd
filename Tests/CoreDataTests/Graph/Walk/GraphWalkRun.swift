import FixtureSupport
import CoreData
import FixtureSupport

/// A number of walks, one after the other; the first that goes wrong is made short.
struct GraphWalkRun {
  let kind: TestedStore
  let steps: Int
  let seed: UInt64
  var stepsOfWalk = 250
  /// The walk to begin with, to see a mistake of a late one again.
  var firstWalk = 0

  /// What a run did.
  struct Summary {
    var steps = 0
    var walks = 0
    var seconds = 0.0
    /// Resident bytes after the first tenth and at the end.
    var memoryAtFirst = 0
    var memoryAtLast = 0
    /// What went wrong, for reading; nil when nothing did.
    var report: String?

    /// A line that a reader and `scripts/soak` understand.
    func line(_ kind: TestedStore, isLast: Bool = false) -> String {
      String(
        format:
          "graph: \(kind.rawValue)\(isLast ? ", in all" : ""): %d steps, %d walks, %.1f s, memory %.1f MB to %.1f MB",
        steps, walks, seconds, Double(memoryAtFirst) / 1e6, Double(memoryAtLast) / 1e6)
    }
  }

  private static let isTraced = ProcessInfo.processInfo.environment["OPENCOREDATA_TRACE"] != nil

  /// - Parameter tell: is told of the progress now and then.
  func run(_ tell: (Summary) -> Void = { _ in }) -> Summary {
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
        let fault = Self.fault(of: walk, kind, variant, isTraced: Self.isTraced)
      {
        summary.report = report(walk, variant, fault, summary.walks)
      }
      summary.steps += walk.count
      summary.walks += 1
      summary.seconds = start.duration(to: .now) / .seconds(1)
      if summary.steps >= next {
        summary.memoryAtLast = ProcessMemory.resident
        if summary.memoryAtFirst == 0 { summary.memoryAtFirst = summary.memoryAtLast }
        tell(summary)
        next += max(1, steps / 10)
      }
    }
    return summary
  }

  private struct Fault {
    let text: String
    let log: [String]
  }

  /// Takes steps from the beginning; nil when all goes well.
  private static func fault(
    of steps: [WalkStep], _ kind: TestedStore, _ variant: Int, isTraced: Bool = false
  ) -> Fault? {
    let leaks = LeakWatch()
    do {
      let walk = try GraphWalk(kind, variant: variant, leaks: leaks, isTraced: isTraced)
      let fault = walk.run(steps)
      let log = walk.log
      walk.end()
      if let fault { return Fault(text: fault, log: log) }
    } catch {
      return Fault(text: "no walk: \(error)", log: [])
    }
    let left = leaks.left()
    return left.isEmpty ? nil : Fault(text: "still in memory: \(left)", log: [])
  }

  // MARK: Making short

  /// The fewest steps that go wrong, found by leaving out ever smaller parts.
  private func shortest(_ steps: [WalkStep], _ variant: Int) -> [WalkStep] {
    var steps = steps
    var size = steps.count / 2
    while size >= 1 {
      var start = 0
      var isShorter = false
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if !fewer.isEmpty, Self.fault(of: fewer, kind, variant) != nil {
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
    _ steps: [WalkStep], _ variant: Int, _ fault: Fault, _ walk: Int
  ) -> String {
    let short = shortest(steps, variant)
    guard let found = Self.fault(of: short, kind, variant) else {
      // It depends on what other queues do meanwhile.
      return """
        store: \(kind.rawValue), OPENCOREDATA_SEED=\(seed), walk \(walk), not found again
        \(fault.log.map { "  " + $0 }.joined(separator: "\n"))
        difference: \(fault.text)
        """
    }
    return """
      store: \(kind.rawValue), OPENCOREDATA_SEED=\(seed), walk \(walk), \(steps.count) steps
      first found: \(fault.text)
      shortest, \(short.count) steps:
      \(found.log.map { "  " + $0 }.joined(separator: "\n"))
      difference: \(found.text)
      """
  }
}
