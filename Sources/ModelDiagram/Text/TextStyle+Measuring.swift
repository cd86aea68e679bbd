extension TextStyle {
  /// Returns an estimate of the width of a string in points, which may be too large but not too small.
  func width(of text: some StringProtocol) -> Double {
    Double(text.reduce(0) { $0 + width(of: $1) }) * size / 1000
  }

  /// Returns the text if it fits the width; otherwise the longest prefix that fits together with an ellipsis, and the
  /// ellipsis.
  func cut(_ text: String, to width: Double) -> String {
    let limit = Int(width * 1000 / size)
    let ellipsis = self.width(of: "…" as Character)
    var used = 0
    var end: String.Index?
    for place in text.indices {
      let next = self.width(of: text[place])
      // A cut must leave room for the ellipsis, but only a later character shows whether a cut is
      // needed.
      if end == nil, used + next + ellipsis > limit { end = place }
      used += next
      if used > limit { return text[..<(end ?? place)] + "…" }
    }
    return text
  }

  /// Returns the width of a character in thousandths of the font size.
  private func width(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.value >= 0x20, scalar.value < 0x7F {
      let widths = isBold ? GlyphWidths.bold : GlyphWidths.regular
      return widths[Int(scalar.value) - 0x20]
    }
    if scalar == "…" { return 1000 }
    if character.isWide { return GlyphWidths.wide }
    return isBold ? GlyphWidths.otherLetter.bold : GlyphWidths.otherLetter.regular
  }
}

extension Character {
  /// Whether fonts draw the character about as wide as it is high: East Asian letters, emoji, and
  /// characters outside the Basic Multilingual Plane, for which a viewer may show a box.
  var isWide: Bool {
    guard let first = unicodeScalars.first else { return false }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFFEF, 0x10000...:
      return true
    // Emoji, symbols such as pictures of control characters, and characters of more than two scalars.
    default:
      return first.properties.isEmojiPresentation || first.value >= 0x2190 && first.value < 0x2E80
        || unicodeScalars.count > 2
    }
  }
}
