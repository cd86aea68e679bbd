/// Strings as JSON has them.
package enum JSONText {
  /// A string in quotes, escaped where RFC 8259 demands it and where a terminal would obey it.
  package static func quoted(_ text: String) -> String {
    ConstantPrinter.quoted(text) { scalar in
      switch scalar {
      // Terminals obey C1 controls, DEL and the marks of direction too; escaped they are the same JSON.
      case "\0"..<" ", "\u{7F}"..<"\u{A0}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: return nil
      }
    }
  }
}
