/// Formats text for an XML document.
enum XMLText {
  /// Returns a string with XML's special characters escaped. ``VisibleText`` replaces the characters
  /// that XML does not allow.
  static func escaped(_ text: String) -> String {
    let text = VisibleText.of(text)
    guard text.utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return text }
    var result = ""
    // Works on scalars, because a quotation mark and following combining marks form one character.
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
  /// Returns a text element with CSS classes.
  static func element(_ text: String, class names: String, x: Double, y: Double) -> String {
    "<text class=\"\(names)\" x=\"\(NumberText.of(x))\" y=\"\(NumberText.of(y))\">"
      + "\(escaped(text))</text>"
  }
}

/// Formats numbers for a picture, with at most two decimals, and a decimal point in every locale.
enum NumberText {
  /// Returns the text of a number; "0" for a number that is not finite or is too large.
  static func of(_ number: Double) -> String {
    // `Int` would trap on a number that it cannot represent.
    guard number.isFinite, abs(number) < 1e12 else { return "0" }
    let hundredths = Int((number * 100).rounded())
    let sign = hundredths < 0 ? "-" : ""
    let whole = abs(hundredths) / 100
    let rest = abs(hundredths) % 100
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0
      ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Returns a position as `x,y`.
  static func of(_ point: Point) -> String { "\(of(point.x)),\(of(point.y))" }
}
