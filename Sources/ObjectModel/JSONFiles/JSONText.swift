/// Formats strings as JSON.
package enum JSONText {
  /// Returns a string in quotes, with the escape sequences that RFC 8259 requires, and others for terminal safety.
  package static func quoted(_ text: String) -> String {
    ConstantPrinter.quoted(text) { scalar in
      switch scalar {
      // Terminals also interpret C1 controls, DEL and directional marks. Their escape sequences mean the same in JSON.
      case "\0"..<" ", "\u{7F}"..<"\u{A0}", "\u{61C}", "\u{200E}", "\u{200F}",
        "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: return nil
      }
    }
  }
}
