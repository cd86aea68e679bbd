/// The legend of a picture: a few lines below the diagram that explain the symbols in it.
struct SVGLegend {
  private static let lineHeight = 16.0
  private static let separator = "   ·   "

  private let lines: [String]

  /// Creates the legend of a diagram, in lines of at most the picture's width unless one explanation is wider.
  init(_ diagram: EntityDiagram, width: Double) {
    var lines: [String] = []
    for part in Self.parts(of: diagram) {
      guard let last = lines.last else {
        lines.append(part)
        continue
      }
      let longer = last + Self.separator + part
      if TextStyle.note.width(of: longer) <= width {
        lines[lines.count - 1] = longer
      } else {
        lines.append(part)
      }
    }
    self.lines = lines
  }

  private static func parts(of diagram: EntityDiagram) -> [String] {
    var parts: [String] = []
    let rows = diagram.cards.flatMap(\.rows)
    if rows.contains(where: { $0.kind == .attribute && $0.type.hasSuffix("?") }) {
      parts.append("Type? is optional")
    }
    if rows.contains(where: \.isKey) { parts.append("a key marks a constraint") }
    if !diagram.relations.isEmpty {
      parts.append("ring: none, bar: one, toes: many")
      if diagram.relations.contains(where: { $0.target.leadsTo == nil }) {
        parts.append("dot: no inverse")
      }
    }
    if rows.contains(where: { $0.kind == .relationship }) {
      parts.append("delete rule Nullify unless marked")
    }
    if !diagram.inheritances.isEmpty { parts.append("hollow arrow: inherits from") }
    return parts
  }

  /// The width of the longest line.
  var width: Double { lines.map { TextStyle.note.width(of: $0) }.max() ?? 0 }

  /// The height, including the space above.
  var height: Double { lines.isEmpty ? 0 : 12 + Double(lines.count) * Self.lineHeight }

  /// Returns the legend as SVG text elements below a point.
  func text(at point: Point) -> String {
    lines.enumerated().map { number, line in
      let y = point.y + 12 + Double(number) * Self.lineHeight
      return XMLText.element(line, class: "note", x: point.x, y: y)
    }.joined(separator: "\n")
  }
}
