extension Lexer {
  /// Scans a decimal number, which may have a fraction and an exponent, or an integer with a prefix `0x`, `0o` or `0b`.
  mutating func scanNumber() throws(InvalidPredicateError) -> Token.Kind {
    let start = position
    let kind = scanRadixNumber() ?? scanDecimalNumber(from: start)
    guard let kind, !isNamePart(peek()) else {
      while isNamePart(peek()) { position += 1 }
      throw error(
        "\"\(spelling(from: start))\" is not a number, and a name cannot begin with a digit",
        at: start)
    }
    return kind
  }

  private mutating func scanRadixNumber() -> Token.Kind? {
    guard peek() == "0", let letter = peek(1) else { return nil }
    let radix: Int
    switch letter {
    case "x", "X": radix = 16
    case "o", "O": radix = 8
    case "b", "B": radix = 2
    default: return nil
    }
    var end = position + 2
    while end < text.count, text[end].isASCII, let digit = Character(text[end]).hexDigitValue,
      digit < radix
    {
      end += 1
    }
    let digits = String(String.UnicodeScalarView(text[(position + 2)..<end]))
    // With no digits or too many, the caller reports the whole word as an error.
    guard let value = UInt64(digits, radix: radix) else { return nil }
    position = end
    return Int64(exactly: value).map(Token.Kind.integer) ?? .unsigned(value)
  }

  private mutating func scanDecimalNumber(from start: Int) -> Token.Kind? {
    var isWhole = true
    while isDigit(peek()) { position += 1 }
    if peek() == ".", isDigit(peek(1)) {
      isWhole = false
      position += 1
      while isDigit(peek()) { position += 1 }
    }
    if peek() == "e" || peek() == "E" {
      let signed = peek(1) == "+" || peek(1) == "-"
      if isDigit(peek(signed ? 2 : 1)) {
        isWhole = false
        position += signed ? 2 : 1
        while isDigit(peek()) { position += 1 }
      }
    }
    let digits = String(String.UnicodeScalarView(text[start..<position]))
    if isWhole {
      if let value = Int64(digits) { return .integer(value) }
      if let value = UInt64(digits) { return .unsigned(value) }
    }
    return Double(digits).map(Token.Kind.double)
  }
}
