/// Text in an XML document.
enum XMLText {
  /// The text with what XML gives a meaning written out; characters that no XML document may hold are
  /// replaced as ``VisibleText`` does.
  static func escaped(_ text: String) -> String {
    let text = VisibleText.of(text)
    guard text.utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return text }
    var result = ""
    // By scalars: a quotation mark may be one character with the marks that follow it.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension XMLText {
  /// A text of a picture, with the classes that say how it looks.
  static func element(_ text: String, class names: String, x: Double, y: Double) -> String {
    "<text class=\"\(names)\" x=\"\(NumberText.of(x))\" y=\"\(NumberText.of(y))\">"
      + "\(escaped(text))</text>"
  }
}

/// Numbers in a picture: at most two places after the point, always with a point.
enum NumberText {
  /// The number; 0 for one that is none.
  static func of(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e12 else { return "0" }
    let hundredths = Int((number * 100).rounded())
    let sign = hundredths < 0 ? "-" : ""
    let whole = abs(hundredths) / 100
    let rest = abs(hundredths) % 100
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0
      ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A place as `x,y`.
  static func of(_ point: Point) -> String { "\(of(point.x)),\(of(point.y))" }
}
