/// HTML in which every text of a store is escaped: only this file makes markup of texts.
struct HTML: ExpressibleByStringInterpolation, CustomStringConvertible {
  let text: String

  private init(markup: String) { text = markup }

  init(stringLiteral value: String) { text = value }

  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  /// A text of the store's or a person's, as text and as the value of an attribute in quotes.
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
      // No parser takes them, and terminals and readers do strange things with them.
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

  /// What is put in is escaped, unless it is HTML.
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
