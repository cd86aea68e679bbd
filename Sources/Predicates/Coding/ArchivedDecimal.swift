/// A decimal number in the form that archives use: sign, decimal exponent, and a mantissa of eight 16-bit words.
///
/// Foundation on Linux cannot archive an `NSDecimalNumber`.
final class ArchivedDecimal: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  // An unarchiver that lacks this class, as on Apple's platforms, creates the fallback instead.
  override class func classFallbacksForKeyedArchiver() -> [String] { ["NSDecimalNumber"] }

  let value: Decimal

  init(_ value: Decimal) { self.value = value }

  func encode(with coder: NSCoder) {
    let (bytes, length) = value.words
    coder.encode(value.exponent, forKey: "NS.exponent")
    coder.encode(length, forKey: "NS.length")
    coder.encode(value.sign == .minus, forKey: "NS.negative")
    coder.encode(true, forKey: "NS.compact")
    // The byte order; 1 is little-endian.
    coder.encode(1, forKey: "NS.mantissa.bo")
    bytes.withUnsafeBufferPointer {
      coder.encodeBytes($0.baseAddress, length: $0.count, forKey: "NS.mantissa")
    }
  }

  init?(coder: NSCoder) {
    let exponent = coder.decodeInteger(forKey: "NS.exponent")
    let bytes = coder.withDecodedUnsafeBytes(forKey: "NS.mantissa") { $0.map { Array($0) } }
    // A `Decimal` has room for an exponent of 8 bits.
    guard let bytes, bytes.count == 16, (-128...127).contains(exponent) else {
      Coding.fail(coder, "a decimal number is damaged")
      return nil
    }
    let mantissa = Decimal(words: bytes, order: coder.decodeInteger(forKey: "NS.mantissa.bo"))
    let isNegative = coder.decodeBool(forKey: "NS.negative")
    // A decimal has no negative zero: archives encode not-a-number this way.
    value =
      mantissa.isZero && isNegative
      ? .nan
      : Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
  }
}
