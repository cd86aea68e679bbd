import Foundation

/// Things that do the same, measured in turns, so that what else the machine does meets all alike.
struct Contest {
  private var entries: [(name: String, body: () throws -> Int)] = []

  /// Adds a contestant; its result is checked against the others'.
  mutating func add(_ name: String, _ body: @escaping () throws -> Int) {
    entries.append((name, body))
  }

  /// The best time of each, in seconds of the processor.
  ///
  /// - Throws: what a contestant throws; `Disagreement` when two have other results.
  func run(rounds: Int) throws -> [String: Double] {
    var best: [String: Double] = [:]
    var expected: (name: String, result: Int)?
    for _ in 0..<rounds {
      for entry in entries {
        let start = Self.processorTime
        let result = try entry.body()
        best[entry.name] = min(best[entry.name] ?? .infinity, Self.processorTime - start)
        if let expected, expected.result != result {
          throw Disagreement(
            description: "\(expected.name) gives \(expected.result), \(entry.name) \(result)")
        }
        expected = (entry.name, result)
      }
    }
    return best
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
