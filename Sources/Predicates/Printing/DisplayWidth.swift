/// Computes how many terminal columns text occupies.
package enum DisplayWidth {
  /// Returns the number of columns of a text. The text must not contain control characters.
  package static func of(_ text: some StringProtocol) -> Int {
    // A fast path: most text is ASCII, and splitting text into characters is slow.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Returns the number of columns of one user-perceived character: 0, 1 or 2.
  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    // The first combining mark is U+0300, and the first wide character follows later.
    if first.value < 0x300, scalars.count == 1 { return 1 }
    if first.properties.isEmojiPresentation || isWide(first) { return 2 }
    // ❤ has one column, ❤️ (with the emoji variation selector) has two.
    if first.properties.isEmoji, scalars.contains("\u{FE0F}") { return 2 }
    // The two letters of a flag have two columns together.
    if (0x1F1E6...0x1F1FF).contains(first.value), scalars.count > 1 { return 2 }
    return isZeroWidth(first) ? 0 : 1
  }

  /// Returns the longest prefix of the text that fits, with an ellipsis if something was cut off.
  package static func cut(_ text: String, to width: Int) -> String {
    guard width > 0 else { return "" }
    guard of(text) > width else { return text }
    var result = ""
    var used = 0
    for character in text {
      let next = of(character)
      // The ellipsis needs one column.
      guard used + next <= width - 1 else { break }
      result.append(character)
      used += next
    }
    return result + "…"
  }

  private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  /// Returns whether a character is East Asian wide or full-width (Unicode 16, `EastAsianWidth.txt`: W and F), except
  /// for those that are wide because they are emoji.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x1100: false
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
      0x20000...0x2FFFD, 0x30000...0x3FFFD:
      true
    default: false
    }
  }
}
