import Foundation

/// Contestants that do the same work, measured in turns, so that other load on the machine affects all alike.
struct Contest {
  /// Does the work once; returns a sum or a number of rows, which must be equal for all contestants.
  typealias Body = (Lap) throws -> Int

  static let ours = "ours"
  /// The only contestant to run, for use under a profiler; nil runs all.
  static let alone = ProcessInfo.processInfo.environment["OPENCOREDATA_BENCHMARK_ALONE"]

  private var contestants: [(name: String, items: Int, body: Body)] = []
  private let comparison: Comparison

  /// Makes a contest of the contestants that a row lists.
  init(_ comparison: Comparison) throws {
    self.comparison = comparison
    try comparison.prepare(&self)
  }

  /// Adds this library's contestant.
  mutating func ours(items: Int? = nil, _ body: @escaping Body) { add(Self.ours, items, body) }

  /// Adds the floor, if the row has one.
  mutating func floor(items: Int? = nil, _ body: @escaping Body) {
    if let name = comparison.floor { add(name, items, body) }
  }

  /// Adds a peer, if the row lists it.
  mutating func peer(_ name: String, items: Int? = nil, _ body: @escaping Body) {
    if comparison.peers.contains(name) { add(name, items, body) }
  }

  private mutating func add(_ name: String, _ items: Int?, _ body: @escaping Body) {
    if let alone = Self.alone, alone != name { return }
    contestants.append((name, items ?? comparison.items, body))
  }

  /// Runs each contestant once.
  ///
  /// - Returns: The measurement of each contestant for one of its items, by name.
  /// - Throws: The error of a contestant; `Disagreement` if two results differ.
  func run() throws -> [String: Lap.Turn] {
    var turns: [String: Lap.Turn] = [:]
    var expected: (name: String, result: Int)?
    for contestant in contestants {
      let (whole, lap) = (Lap(comparison.clock), Lap(comparison.clock))
      let result = try whole.measured { try contestant.body(lap) }
      turns[contestant.name] = (lap.value == nil ? whole : lap).turn(of: contestant.items)
      if let expected, expected.result != result {
        throw Disagreement(
          description: "\(expected.name) returned \(expected.result), \(contestant.name) \(result)")
      }
      expected = (contestant.name, result)
    }
    return turns
  }

  struct Disagreement: Error, CustomStringConvertible { let description: String }
}
