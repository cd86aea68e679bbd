/// HTML in which all text from the store is escaped, because only this file converts text to markup.
struct HTML: ExpressibleByStringInterpolation, CustomStringConvertible {
  let text: String

  private init(markup: String) { text = markup }

  init(stringLiteral value: String) { text = value }

  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  /// Escapes text for use as text and in quoted attribute values.
  init(escaping value: some StringProtocol) {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\t", "\n": text.unicodeScalars.append(scalar)
      // Parsers reject control characters, and terminals and screen readers may interpret them.
      case "\0"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{202a}"..."\u{202e}", "\u{2066}"..."\u{2069}":
        text += "\u{fffd}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    self.text = text
  }

  static func joined(_ parts: some Sequence<HTML>, separator: String = "") -> HTML {
    HTML(markup: parts.map(\.text).joined(separator: separator))
  }

  var description: String { text }

  /// Interpolated values are escaped, unless they are HTML.
  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity * 2)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ value: HTML) { text += value.text }
    mutating func appendInterpolation(_ value: String) { text += HTML(escaping: value).text }
    mutating func appendInterpolation(_ value: Int) { text += String(value) }
  }
}
