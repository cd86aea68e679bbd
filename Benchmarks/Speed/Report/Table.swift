import Foundation

/// The results as a table of text cells.
struct Table {
  static let titles = [
    "what", "ours", "against", "takes", "ratio", "spread", "best peer", "takes", "ratio", "spread",
    "bar", "",
  ]
  private static let leftAligned: Set = [0, 2, 6, 11]

  let cells: [[String]]

  init(_ results: [Outcome]) {
    cells = results.map { result in
      [
        result.name, Self.number(result.ours), result.floorName ?? "", Self.number(result.floor),
        Self.ratio(result.ratioToFloor), Self.spread(result.spread.ratioToFloor),
        result.peerName ?? "", Self.number(result.peer), Self.ratio(result.ratioToPeer),
        Self.spread(result.spread.ratioToPeer), Self.bars(result),
        result.met.map { $0 ? "met" : "NOT MET" } ?? "",
      ]
    }
  }

  /// The table for a terminal.
  var text: String {
    let lines = [Self.titles] + cells
    let widths = Self.titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      line.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        return Self.leftAligned.contains(column) ? text + space : space + text
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  /// The table as Markdown.
  var markdown: String { Self.markdown(Self.titles, cells) }

  static func markdown(_ titles: [String], _ cells: [[String]]) -> String {
    ([titles, titles.map { _ in "---" }] + cells)
      .map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  static func number(_ value: Double?) -> String {
    value.map { String(format: $0 < 100 ? "%.2f" : "%.0f", $0) } ?? ""
  }

  static func ratio(_ value: Double?) -> String {
    value.map { String(format: $0 < 0.1 ? "%.4f" : "%.2f", $0) } ?? ""
  }

  private static func spread(_ values: [Double]?) -> String {
    values.map { "\(ratio($0[0]))–\(ratio($0[1]))" } ?? ""
  }

  /// Returns the bars of a row. A bar for the ratio to the floor, or without a floor to the best peer, is only a
  /// number. Any other bar also shows the contestant that it compares with.
  private static func bars(_ result: Outcome) -> String {
    result.bars.map { bar in
      let isPlain = bar.against == (result.floorName ?? result.peerName)
      return "≤ \(bar.bar)" + (isPlain ? "" : " of \(bar.against) (\(ratio(bar.ratio)))")
    }.joined(separator: ", ")
  }
}
