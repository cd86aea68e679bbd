extension Lexer {
  /// Scans the string between two quotes of the same kind. Percent and dollar signs have no special meaning in it.
  mutating func scanString(quote: Unicode.Scalar) throws(InvalidPredicateError) -> String {
    let start = position
    position += 1
    var result = String.UnicodeScalarView()
    while let scalar = peek() {
      switch scalar {
      case quote:
        position += 1
        return String(result)
      case "\\":
        // After a backslash at the end of the text, the closing quote is missing.
        guard peek(1) != nil else { break }
        result.append(try scanEscape())
        continue
      default:
        result.append(scalar)
      }
      position += 1
    }
    throw error("the string that begins here has no closing quote", at: start)
  }

  /// Scans an escape sequence: `\n`, `\t`, `\r`, an octal number, `\xhh`, `\uhhhh` (two of them for a character
  /// beyond 16 bits) or `\Uhhhhhhhh`. Any other backslash stands for the character after it.
  mutating func scanEscape() throws(InvalidPredicateError) -> Unicode.Scalar {
    let start = position
    position += 1
    guard let scalar = peek() else { return "\\" }
    switch scalar {
    case "n": return escaped("\n")
    case "t": return escaped("\t")
    case "r": return escaped("\r")
    case "x": return try scanCode(skipping: 1, digits: 1...2, radix: 16, start) ?? escaped("x")
    case "u": return try scanCode(skipping: 1, digits: 4...4, radix: 16, start) ?? escaped("u")
    case "U": return try scanCode(skipping: 1, digits: 8...8, radix: 16, start) ?? escaped("U")
    case "0"..."7":
      return try scanCode(skipping: 0, digits: 1...3, radix: 8, start) ?? escaped(scalar)
    default: return escaped(scalar)
    }
  }

  private mutating func escaped(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    position += 1
    return scalar
  }

  private mutating func scanCode(
    skipping prefix: Int, digits: ClosedRange<Int>, radix: UInt32, _ start: Int
  ) throws(InvalidPredicateError) -> Unicode.Scalar? {
    guard var code = scanDigits(skipping: prefix, digits, radix) else { return nil }
    // Two escape sequences with a surrogate pair are one character.
    if digits == 4...4, 0xD800...0xDBFF ~= code, peek() == "\\", peek(1) == "u" {
      let place = position
      if let low = scanDigits(skipping: 2, digits, radix), 0xDC00...0xDFFF ~= low {
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      } else {
        position = place
      }
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw error("\"\(spelling(from: start))\" is not a character", at: start)
    }
    return scalar
  }

  private mutating func scanDigits(
    skipping prefix: Int, _ digits: ClosedRange<Int>, _ radix: UInt32
  ) -> UInt32? {
    var code: UInt32 = 0
    var count = 0
    while count < digits.upperBound, let scalar = peek(prefix + count), scalar.isASCII,
      let digit = Character(scalar).hexDigitValue, digit < radix
    {
      code = code * radix + UInt32(digit)
      count += 1
    }
    guard digits.contains(count) else { return nil }
    position += prefix + count
    return code
  }
}
