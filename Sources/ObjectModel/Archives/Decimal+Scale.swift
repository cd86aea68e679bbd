/// Archives keep a decimal's mantissa and exponent. Foundation leaves out a mantissa's last zeros, but
/// 0, 0.0 and 0.00 have different exponents, and stay different.
extension Decimal {
  /// The number that a text says; a zero with as many digits behind the point as the text has.
  init?(scaled text: String) {
    guard Double(text) != nil,
      let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { return nil }
    self = number
  }

  /// The number as text that gives the same mantissa and exponent again.
  var scaledText: String {
    let sign = self < 0 ? "-" : ""
    let digits = "\(significand)"
    guard exponent < 0 else {
      return exponent == 0 ? "\(sign)\(digits)" : "\(sign)\(digits)e\(exponent)"
    }
    let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
    return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
  }

  /// A number of a whole mantissa and a power of ten; a mantissa of zero keeps its power.
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
