import Foundation

/// Things that do the same, measured in turns, so that what else the machine does meets all alike.
struct Contest {
  /// Does the work once; gives what has to be the same for all, a sum or a number of rows.
  typealias Body = (Lap) throws -> Int

  static let ours = "ours"
  /// The one contestant that runs, for a profiler to look at; nil: all.
  static let alone = ProcessInfo.processInfo.environment["OPENCOREDATA_BENCHMARK_ALONE"]

  private var contestants: [(name: String, items: Int, body: Body)] = []
  private let comparison: Comparison

  /// A contest of those that a row names.
  init(_ comparison: Comparison) throws {
    self.comparison = comparison
    try comparison.prepare(&self)
  }

  /// What is measured.
  mutating func ours(items: Int? = nil, _ body: @escaping Body) { add(Self.ours, items, body) }

  /// What it is held against.
  mutating func floor(items: Int? = nil, _ body: @escaping Body) {
    if let name = comparison.floor { add(name, items, body) }
  }

  /// Somebody else who does the same; not asked where the row does not name it.
  mutating func peer(_ name: String, items: Int? = nil, _ body: @escaping Body) {
    if comparison.peers.contains(name) { add(name, items, body) }
  }

  private mutating func add(_ name: String, _ items: Int?, _ body: @escaping Body) {
    if let alone = Self.alone, alone != name { return }
    contestants.append((name, items ?? comparison.items, body))
  }

  /// Each runs once.
  ///
  /// - Returns: what each took for one of its items, by name.
  /// - Throws: what a contestant throws; `Disagreement` when two have other results.
  func run() throws -> [String: Lap.Turn] {
    var turns: [String: Lap.Turn] = [:]
    var expected: (name: String, result: Int)?
    for contestant in contestants {
      let (whole, lap) = (Lap(comparison.clock), Lap(comparison.clock))
      let result = try whole.measured { try contestant.body(lap) }
      turns[contestant.name] = (lap.value == nil ? whole : lap).turn(of: contestant.items)
      if let expected, expected.result != result {
        throw Disagreement(
          description: "\(expected.name) gives \(expected.result), \(contestant.name) \(result)")
      }
      expected = (contestant.name, result)
    }
    return turns
  }

  struct Disagreement: Error, CustomStringConvertible { let description: String }
}
