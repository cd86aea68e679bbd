import Foundation

/// The figure of RESULTS.md and the sentences below it: the main rows, compared with the floor and the peers.
struct Figure {
  private let results: [Outcome]

  init(_ comparisons: [Comparison], _ results: [Outcome]) {
    let names = Set(comparisons.filter(\.isInFigure).map(\.name))
    self.results = results.filter { names.contains($0.name) }
  }

  /// The figure as SVG, with a bar for each contestant. The bar of the slowest contestant in a row has the full length.
  var plot: String {
    let groups = results.map { result in
      let others = [(result.floorName, result.floor, "floor")].compactMap { name, time, style in
        name.flatMap { name in time.map { (name, $0, style) } }
      }
      return (
        result.name,
        [("OpenCoreData", result.ours, "ours")] + others
          + result.peers.sorted { $0.value < $1.value }.map { ($0.key, $0.value, "peer") }
      )
    }
    let height = groups.reduce(20.0) { $0 + 40 + Double($1.1.count) * 20 }
    var drawing = Drawing(width: 720, height: height)
    var y = 28.0
    for (name, bars) in groups {
      drawing.text(name, 16, y, style: "title")
      y += 10
      let slowest = bars.map(\.1).max() ?? 1
      for (contestant, time, style) in bars {
        drawing.text(
          contestant, 190, y + 12, style: "label end" + (style == "ours" ? " strong" : ""))
        let width = max(2, time / slowest * 420)
        drawing.bar(200, y, width: width, height: 15, style: style)
        drawing.text(
          Self.time(time), 208 + width, y + 12, style: style == "ours" ? "strong" : "label")
        y += 20
      }
      y += 30
    }
    return drawing.svg
  }

  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1_000: String(format: "%.0f ns", nanoseconds)
    case ..<1_000_000: String(format: "%.1f µs", nanoseconds / 1_000)
    default: String(format: "%.1f ms", nanoseconds / 1_000_000)
    }
  }

  /// The figure and the sentences as Markdown.
  var markdown: String {
    "![Bars of the main rows: ours, C, and the peers](figure.svg)\n\n\(sentences)"
  }

  /// The results in words, a line for each row.
  private var sentences: String {
    results.map { result in
      let floor = result.ratioToFloor.map {
        "\(Table.ratio($0)) times the floor (\(result.floorName ?? ""))"
      }
      let peer = result.ratioToPeer.map {
        "\(Table.ratio($0)) times the fastest peer (\(result.peerName ?? ""))"
      }
      return "- \(result.name): \(Self.time(result.ours)) each, "
        + [floor, peer].compactMap(\.self).joined(separator: " and ")
    }.joined(separator: "\n")
  }
}
