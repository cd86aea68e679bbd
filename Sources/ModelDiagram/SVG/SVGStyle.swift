/// The colors and fonts of the picture, as a style sheet.
///
/// Every color is defined twice, for light and dark backgrounds. Custom properties would be
/// shorter, but some SVG renderers (librsvg, Inkscape) do not support them.
enum SVGStyle {
  /// The fonts of common systems. `GlyphWidths` has the widths of Liberation Sans, and of DejaVu Sans, which is the
  /// generic `sans-serif` of many Linux systems.
  static let fonts = """
    -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', \
    'Noto Sans', 'Liberation Sans', Arial, sans-serif
    """

  /// The colors of a hierarchy's headings and edges.
  private struct Tint {
    var light: String
    var lightEdge: String
    var dark: String
    var darkEdge: String
  }

  /// The first tint is for entities without relatives.
  private static let tints = [
    Tint(light: "#e6ecf5", lightEdge: "#b4c3d9", dark: "#29344a", darkEdge: "#4a5d7d"),
    Tint(light: "#ddf3e3", lightEdge: "#8ccda1", dark: "#1c4530", darkEdge: "#3d8a5f"),
    Tint(light: "#fdecd2", lightEdge: "#ecbf78", dark: "#533a14", darkEdge: "#a6782f"),
    Tint(light: "#efe3fb", lightEdge: "#c4a2ea", dark: "#3f2b5c", darkEdge: "#7f5bb5"),
    Tint(light: "#fde2e6", lightEdge: "#f0a3b0", dark: "#5a2530", darkEdge: "#b04f63"),
    Tint(light: "#d8f2f2", lightEdge: "#84c9cb", dark: "#17464a", darkEdge: "#3a8c92"),
    Tint(light: "#f4f0c9", lightEdge: "#d3c66a", dark: "#48430f", darkEdge: "#948a2c"),
    Tint(light: "#cde2fd", lightEdge: "#77aef0", dark: "#173d6b", darkEdge: "#3f74b3"),
  ]

  /// Returns the CSS class of a card's tint.
  static func tintClass(ofFamily family: Int?) -> String {
    guard let family else { return "tint0" }
    return "tint\(1 + family % (tints.count - 1))"
  }

  /// Returns the color of a heading on a light background.
  static func headingColor(ofFamily family: Int?) -> String {
    tints[family.map { 1 + $0 % (tints.count - 1) } ?? 0].light
  }

  /// The CSS class of the picture. The style rules use it, so that they do not affect the rest of a page.
  static let pictureClass = "model-diagram"

  /// The style sheet.
  static var sheet: String {
    rules.split(separator: "\n").map { line in
      // A media rule contains rules with selectors, but has none itself.
      guard let brace = line.firstIndex(of: "{"), !line.hasPrefix("@") else { return String(line) }
      let selectors = line[..<brace].split(separator: ",").map {
        ".\(pictureClass) \($0.trimmingPrefix(while: \.isWhitespace))"
      }
      return selectors.joined(separator: ", ") + line[brace...]
    }.joined(separator: "\n") + "\n"
  }

  private static var rules: String {
    """
    text { font-family: \(fonts); }
    .title { font-size: 17px; font-weight: 600; }
    .heading { font-size: 13px; font-weight: 600; }
    .abstract { font-style: italic; }
    .caption { font-size: 10px; }
    .row text { font-size: 12px; }
    .row .mark { font-size: 9px; }
    .note { font-size: 11px; }
    .end { text-anchor: end; }
    .mid { text-anchor: middle; }
    .line path { fill: none; stroke-width: 1.4; stroke-linecap: round; stroke-linejoin: round; }
    .line:hover path { stroke-width: 2.4; }
    .card { stroke-width: 1; }
    .key { fill: none; stroke-width: 1.3; stroke-linecap: round; }

    """ + colors(isDark: false) + "@media (prefers-color-scheme: dark) {\n"
      + colors(isDark: true) + "}\n"
  }

  private static func colors(isDark: Bool) -> String {
    func color(_ light: String, _ dark: String) -> String { isDark ? dark : light }
    let ground = color("#fbfcfd", "#15191f")
    let soft = color("#5d6b7b", "#9aa8b8")
    var lines = """
      .ground { fill: \(ground); }
      .card { fill: \(color("#ffffff", "#1e242c")); stroke: \(color("#cdd5df", "#3a4450")); }
      .rule { stroke: \(color("#e6ebf1", "#2c343e")); }
      .title, .heading, .name { fill: \(color("#1c2733", "#e4e9ef")); }
      .caption, .type, .note { fill: \(soft); }
      .relation path { stroke: \(color("#54708f", "#7fa3c9")); }
      .relation .open { fill: \(ground); }
      .inheritance path { stroke: \(color("#8a7440", "#c5a962")); }
      .inheritance .open { fill: \(ground); }
      .pill { fill: \(color("#eef1f5", "#2d3540")); }
      .mark { fill: \(soft); }
      .danger .pill { fill: \(color("#fde7e4", "#4d2421")); }
      .danger .mark { fill: \(color("#a3321f", "#f2a196")); }
      .guarded .pill { fill: \(color("#fdf0d5", "#473712")); }
      .guarded .mark { fill: \(color("#82590a", "#ecc56f")); }
      .order .pill { fill: \(color("#e2eefb", "#1e3652")); }
      .order .mark { fill: \(color("#22588f", "#93c0f0")); }
      .key { stroke: \(color("#b07d12", "#e0b24a")); }

      """
    for (number, tint) in tints.enumerated() {
      lines += ".tint\(number) .head { fill: \(color(tint.light, tint.dark)); }\n"
      lines += ".tint\(number) .card { stroke: \(color(tint.lightEdge, tint.darkEdge)); }\n"
    }
    return lines
  }
}
