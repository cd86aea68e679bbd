/// Archives store a decimal's mantissa and exponent. Foundation drops the trailing zeros of a mantissa, but
/// 0, 0.0 and 0.00 have different exponents and must stay different.
extension Decimal {
  /// Creates the number in a string, or not-a-number for `NaN`; nil for any other text. A zero keeps the number of
  /// decimals in the string.
  init?(scaled text: String) {
    if text == Self.noNumber {
      self = .nan
      return
    }
    // `Decimal(string:)` ignores whatever follows the number, so `Double` must accept the whole
    // text first.
    guard Double(text)?.isFinite == true,
      let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { return nil }
    self = number
  }

  /// The text of not-a-number, whose mantissa and exponent are those of zero.
  private static let noNumber = "NaN"

  /// The number as a string that parses to the same mantissa and exponent.
  var scaledText: String {
    if isNaN { return Self.noNumber }
    let sign = self < 0 ? "-" : ""
    // The description of the number itself would drop the decimals of a zero.
    let digits = "\(significand)"
    guard exponent < 0 else {
      return exponent == 0 ? "\(sign)\(digits)" : "\(sign)\(digits)e\(exponent)"
    }
    let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
    return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
  }

  /// Creates a number from an integer mantissa and a power of ten. A zero keeps a negative exponent, which is its
  /// number of decimals.
  init(mantissa: Decimal, exponent: Int, isNegative: Bool) {
    if mantissa.isZero, exponent < 0,
      let zero = Decimal(scaled: "0." + String(repeating: "0", count: -exponent))
    {
      self = zero
    } else {
      self.init(
        sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
    }
  }
}
