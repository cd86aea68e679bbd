import Foundation

/// Things that do the same, measured in turns, so that what else the machine does meets all alike.
struct Contest {
  private var entries: [(name: String, body: () throws -> Int)] = []
  /// The one contestant that runs, for a profiler to look at; nil: all.
  nonisolated(unsafe) static var alone: String?

  /// Adds a contestant; its result is checked against the others'.
  mutating func add(_ name: String, _ body: @escaping () throws -> Int) {
    entries.append((name, body))
  }

  /// Which of a contestant's times counts.
  enum Measure {
    /// The best of all rounds.
    case best
    /// The median of all rounds.
    case median
    /// The median of the times that contestants give as their results, in nanoseconds: they have
    /// something to prepare that does not count.
    case itsOwnTimeMedian
  }

  /// The time of each, in seconds of the processor.
  ///
  /// - Throws: what a contestant throws; `Disagreement` when two have other results.
  func run(rounds: Int, _ measure: Measure = .best) throws -> [String: Double] {
    var times: [String: [Double]] = [:]
    var expected: (name: String, result: Int)?
    for _ in 0..<rounds {
      for entry in entries where Self.alone.map({ entry.name == $0 }) ?? true {
        let start = Self.processorTime
        let result = try entry.body()
        let time = Self.processorTime - start
        if measure == .itsOwnTimeMedian {
          times[entry.name, default: []].append(Double(result) * 1e-9)
          continue
        }
        times[entry.name, default: []].append(time)
        if let expected, expected.result != result {
          throw Disagreement(
            description: "\(expected.name) gives \(expected.result), \(entry.name) \(result)")
        }
        expected = (entry.name, result)
      }
    }
    return times.mapValues { times in
      let sorted = times.sorted()
      return sorted[measure == .best ? 0 : sorted.count / 2]
    }
  }

  /// The nanoseconds of the processor that `body` takes.
  static func timed(_ body: () throws -> Void) rethrows -> Int {
    let start = processorTime
    try body()
    return Int((processorTime - start) * 1e9)
  }

  /// How long the processor has worked for this program, in seconds: other programs count less in
  /// it than in the time of the clock.
  static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  struct Disagreement: Error, CustomStringConvertible { let description: String }
}
