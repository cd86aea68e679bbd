/// Makes text displayable in a picture: one line, without characters that affect their surroundings.
enum VisibleText {
  /// Returns a string as a picture shows it. ASCII control characters become their Unicode pictures. Other control
  /// characters, line separators, characters that change the direction of text, and the last two code points of each
  /// plane, which are noncharacters, become `�`.
  static func of(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { replacement(for: $0) != nil }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(replacement(for: scalar) ?? scalar) }
    return String(result)
  }

  private static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value)
    case 0x7F: "\u{2421}"
    case 0x80..<0xA0, 0x2028, 0x2029, 0xFFFE, 0xFFFF: "\u{FFFD}"
    // Embeddings, overrides and isolates of the bidirectional algorithm, and its marks.
    case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
    default: scalar.value & 0xFFFE == 0xFFFE ? "\u{FFFD}" : nil
    }
  }
}
