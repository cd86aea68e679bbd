import Foundation

/// The instructions of each operation, as a multiple of its floor: the instructions of the same work in C.
struct Ratios {
  private var instructions: [(name: String, ours: Int, floor: Int)] = []

  /// The factor by which a ratio may grow.
  private static let tolerance = 1.1

  /// Reads Callgrind's counts.
  ///
  /// - Parameters:
  ///   - labels: The file with the labels that the operations printed: a line for each dump, in order.
  ///   - dumps: The path of the dumps without their numbers.
  init(labels: URL, dumps: String) throws {
    let lines = try String(contentsOf: labels, encoding: .utf8).split(separator: "\n")
    var floors: [String: Int] = [:]
    for (place, line) in lines.enumerated() {
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw GateError("'\(line)' is not a label") }
      let count = try Self.instructions(in: "\(dumps).\(place + 1)")
      if parts[0] == "floor" { floors[parts[1]] = count }
      guard parts[0] == "ours" else { continue }
      guard let floor = floors[parts[1]], floor > 0 else {
        throw GateError("'\(parts[1])' has no floor")
      }
      instructions.append((parts[1], count, floor))
    }
    if instructions.isEmpty { throw GateError("Callgrind counted no operation") }
  }

  private static func instructions(in path: String) throws -> Int {
    let dump = try String(contentsOfFile: path, encoding: .utf8)
    for line in dump.split(separator: "\n").reversed() {
      for beginning in ["totals: ", "summary: "] where line.hasPrefix(beginning) {
        if let count = Int(line.dropFirst(beginning.count)) { return count }
      }
    }
    throw GateError("\(path) has no line of totals")
  }

  /// Writes the ratios, sorted by name.
  func write(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let ratios = instructions.map {
      ($0.name, (Double($0.ours) / Double($0.floor) * 1000).rounded() / 1000)
    }
    try (encoder.encode(Dictionary(ratios) { $1 }) + Data("\n".utf8)).write(to: url)
    for (name, ratio) in ratios { print(Self.line(name, ratio, nil)) }
  }

  /// Prints the ratios beside the stored ones. Returns whether both lists have the same operations, and none exceeds
  /// its stored ratio by more than the tolerance.
  func hold(against url: URL) throws -> Bool {
    let stored = try JSONDecoder().decode([String: Double].self, from: Data(contentsOf: url))
    var isGood = true
    for (name, ours, floor) in instructions {
      let ratio = Double(ours) / Double(floor)
      let known = stored[name]
      let verdict: String
      switch known {
      case nil: verdict = "  new: store it with --update"
      case let known? where ratio > known * Self.tolerance: verdict = "  WORSE"
      case let known? where ratio * Self.tolerance < known:
        verdict = "  better: store it with --update"
      default: verdict = ""
      }
      if known.map({ ratio > $0 * Self.tolerance }) ?? true { isGood = false }
      print(Self.line(name, ratio, known) + verdict)
    }
    let missing = Set(stored.keys).subtracting(instructions.map(\.name))
    for name in missing.sorted() { print("\(name): stored, but not counted") }
    return isGood && missing.isEmpty
  }

  private static func line(_ name: String, _ ratio: Double, _ known: Double?) -> String {
    let title = name.padding(toLength: 60, withPad: " ", startingAt: 0)
    let now = String(format: "%8.3f", ratio)
    return title + now + (known.map { String(format: " (stored: %.3f)", $0) } ?? "")
  }
}
