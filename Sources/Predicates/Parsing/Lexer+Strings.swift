import Foundation

extension Lexer {
  /// The text between two quotes of the same kind. A percent or dollar sign in it is only that.
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
        guard peek(1) != nil else { break }
        result.append(scanEscape())
        continue
      default:
        result.append(scalar)
      }
      position += 1
    }
    throw error("the quote that begins here does not end", at: start)
  }

  /// The character that a backslash and what follows stand for: `\n`, `\t`, `\r`, an octal
  /// number, `\xhh`, `\uhhhh`, `\Uhhhhhhhh`, else the character behind the backslash.
  mutating func scanEscape() -> Unicode.Scalar {
    position += 1
    guard let scalar = peek() else { return "\\" }
    switch scalar {
    case "n": return escaped("\n")
    case "t": return escaped("\t")
    case "r": return escaped("\r")
    case "x": return scanCode(skipping: 1, digits: 1...2, radix: 16) ?? escaped("x")
    case "u": return scanCode(skipping: 1, digits: 4...4, radix: 16) ?? escaped("u")
    case "U": return scanCode(skipping: 1, digits: 8...8, radix: 16) ?? escaped("U")
    case "0"..."7": return scanCode(skipping: 0, digits: 1...3, radix: 8) ?? escaped(scalar)
    default: return escaped(scalar)
    }
  }

  private mutating func escaped(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    position += 1
    return scalar
  }

  private mutating func scanCode(
    skipping prefix: Int, digits: ClosedRange<Int>, radix: UInt32
  ) -> Unicode.Scalar? {
    var code: UInt32 = 0
    var count = 0
    while count < digits.upperBound, let scalar = peek(prefix + count), scalar.isASCII,
      let digit = Character(scalar).hexDigitValue, digit < radix
    {
      code = code * radix + UInt32(digit)
      count += 1
    }
    guard digits.contains(count), let scalar = Unicode.Scalar(code) else { return nil }
    position += prefix + count
    return scalar
  }
}
