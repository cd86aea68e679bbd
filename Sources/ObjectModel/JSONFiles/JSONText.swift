/// Formats strings as JSON.
package enum JSONText {
  /// Returns a string in quotes, with the escape sequences that RFC 8259 requires, and further ones that make the
  /// string safe to print in a terminal.
  package static func quoted(_ text: String) -> String {
    ConstantPrinter.quoted(text) { scalar in
      switch scalar {
      // Besides the control characters that JSON requires to be escaped, terminals interpret DEL, C1 controls, and the
      // marks, embeddings, overrides and isolates of text direction. JSON allows an escape sequence for any character.
      case "\0"..<" ", "\u{7F}"..<"\u{A0}", "\u{61C}", "\u{200E}", "\u{200F}",
        "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: return nil
      }
    }
  }
}
