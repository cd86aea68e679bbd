import Foundation

/// The rows of the table.
struct Report {
  let scale: Scale
  private var rows: [Row] = []

  init(scale: Scale) { self.scale = scale }

  /// A thing measured beside another one that does the same.
  struct Row: Codable {
    let title: String
    /// Nanoseconds for one item.
    let time: Double
    /// What it is held against, and its nanoseconds for one item.
    let baseline: String
    let baselineTime: Double
    /// At most this; nil where the row is for information.
    let bar: Double?

    var ratio: Double { time / baselineTime }
    var isMet: Bool? { bar.map { ratio <= $0 } }
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - times: seconds a round, by name.
  ///   - items: how many items a round has.
  mutating func add(
    _ title: String, _ name: String, against baseline: String, _ times: [String: Double],
    items: Int, bar: Double? = nil
  ) {
    let nanoseconds = { (name: String) in (times[name] ?? .nan) * 1e9 / Double(items) }
    rows.append(
      Row(
        title: title, time: nanoseconds(name), baseline: baseline,
        baselineTime: nanoseconds(baseline), bar: bar))
  }

  /// Adds a row of which the numbers are known.
  mutating func add(
    _ title: String, _ value: Double, against baseline: String, _ baselineValue: Double,
    bar: Double? = nil
  ) {
    rows.append(
      Row(title: title, time: value, baseline: baseline, baselineTime: baselineValue, bar: bar))
  }

  private static let titles = ["what", "ns each", "against", "ns each", "ratio", "bar", ""]

  private var cells: [[String]] {
    rows.map { row in
      [
        row.title, Self.number(row.time), row.baseline, Self.number(row.baselineTime),
        String(format: "%.3f", row.ratio), row.bar.map { "≤ \($0)" } ?? "",
        row.isMet.map { $0 ? "met" : "NOT MET" } ?? "",
      ]
    }
  }

  private static func number(_ value: Double) -> String {
    String(format: value < 100 ? "%.2f" : "%.0f", value)
  }

  /// The table for a terminal.
  var table: String {
    let lines = [Self.titles] + cells
    let widths = Self.titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      line.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        return [0, 2, 6].contains(column) ? text + space : space + text
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  /// Writes `results.json` and `RESULTS.md`: the machine, the table, and what `NOTES.md` says of it.
  func write(to folder: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(rows).write(to: folder.appendingPathComponent("results.json"))
    var text = "# Results\n\nWritten by `scripts/benchmark\(scale.isQuick ? " --quick" : "")`"
    text +=
      " (release, \(scale.rows) rows; what is measured and what it is held against run in turns,"
    text +=
      " the time is the processor's: the best of \(scale.rounds) rounds, with a store the median"
    text += " of \(scale.storeRounds)).\n\n\(Machine.description)\n\n"
    for line in [Self.titles, Self.titles.map { _ in "---" }] + cells {
      text += "| \(line.joined(separator: " | ")) |\n"
    }
    let notes = try String(
      contentsOf: folder.appendingPathComponent("NOTES.md"), encoding: .utf8)
    try Data("\(text)\n\(notes)".utf8).write(to: folder.appendingPathComponent("RESULTS.md"))
  }
}
