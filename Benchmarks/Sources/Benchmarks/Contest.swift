/// Things that do the same, measured in turns, so that what else the machine does meets all alike.
struct Contest {
  private var entries: [(name: String, body: () throws -> Int)] = []

  /// Adds a contestant; its result is checked against the others'.
  mutating func add(_ name: String, _ body: @escaping () throws -> Int) {
    entries.append((name, body))
  }

  /// The best time of each, in seconds.
  ///
  /// - Throws: what a contestant throws; `Disagreement` when two have other results.
  func run(rounds: Int) throws -> [String: Double] {
    var best: [String: Double] = [:]
    var expected: (name: String, result: Int)?
    for _ in 0..<rounds {
      for entry in entries {
        var result = 0
        let time = try ContinuousClock().measure { result = try entry.body() }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        best[entry.name] = min(best[entry.name] ?? .infinity, seconds)
        if let expected, expected.result != result {
          throw Disagreement(
            description: "\(expected.name) gives \(expected.result), \(entry.name) \(result)")
        }
        expected = (entry.name, result)
      }
    }
    return best
  }

  struct Disagreement: Error, CustomStringConvertible { let description: String }
}
