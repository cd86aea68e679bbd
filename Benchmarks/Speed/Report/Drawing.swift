import Foundation

/// An SVG drawing for light and dark backgrounds.
struct Drawing {
  let width: Double
  let height: Double
  private var elements: [String] = []

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  mutating func text(_ text: String, _ x: Double, _ y: Double, style: String) {
    let plain = text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
    elements.append(
      "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" class=\"\(style)\">\(plain)</text>")
  }

  mutating func line(_ points: [(Double, Double)], style: String) {
    let path = points.map { "\(Self.number($0.0)),\(Self.number($0.1))" }.joined(separator: " ")
    elements.append("<polyline points=\"\(path)\" class=\"\(style)\"/>")
  }

  mutating func bar(_ x: Double, _ y: Double, width: Double, height: Double, style: String) {
    elements.append(
      "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\""
        + " height=\"\(Self.number(height))\" rx=\"2\" class=\"bar \(style)\"/>")
  }

  mutating func dot(_ x: Double, _ y: Double, style: String) {
    elements.append(
      "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"3.5\" class=\"bar \(style)\"/>"
    )
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  var svg: String {
    let size = "\(Int(width)) \(Int(height))"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" font-family="system-ui, sans-serif" font-size="12">
      <style>
      :root { --ink: #1f2328; --pale: #59636e; --grid: #d1d9e0; --insert: #0969da; --fetch: #bc4c00; --peer: #8c959f; --paper: #ffffff; }
      @media (prefers-color-scheme: dark) {
        :root { --ink: #f0f6fc; --pale: #9198a1; --grid: #3d444d; --insert: #4493f8; --fetch: #f0883e; --peer: #656c76; --paper: #0d1117; }
      }
      .paper { fill: var(--paper); }
      text { fill: var(--pale); } text.title { fill: var(--ink); font-size: 14px; font-weight: 600; }
      text.strong { fill: var(--ink); } .end { text-anchor: end; } .middle { text-anchor: middle; }
      polyline { fill: none; } .grid { stroke: var(--grid); } .curve { stroke-width: 2; }
      .curve.insert { stroke: var(--insert); } .curve.fetch { stroke: var(--fetch); }
      .curve.floor { stroke-dasharray: 5 4; stroke-width: 1.5; }
      text.name.insert { fill: var(--insert); } text.name.fetch { fill: var(--fetch); }
      .bar.insert, .bar.ours { fill: var(--insert); } .bar.fetch { fill: var(--fetch); }
      .bar.floor { fill: var(--grid); } .bar.peer { fill: var(--peer); }
      </style>
      <rect class="paper" width="\(Int(width))" height="\(Int(height))"/>
      \(elements.joined(separator: "\n"))
      </svg>

      """
  }
}
