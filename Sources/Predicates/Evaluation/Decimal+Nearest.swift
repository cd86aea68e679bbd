extension Decimal {
  /// Creates the decimal number with the digits that a double prints, rounded to the digits that a decimal can hold.
  ///
  /// A store's column keeps a decimal as the nearest double. For the greatest decimals, the nearest double is greater
  /// than any decimal; this initializer converts it to the greatest decimal. The result is nil for greater doubles, for
  /// infinity and for not-a-number.
  package init?(nearest double: Double) {
    guard double.isFinite else { return nil }
    if double.magnitude == Self.greatestAsDouble {
      self = double < 0 ? -Decimal.greatestFiniteMagnitude : .greatestFiniteMagnitude
      return
    }
    // Swift prints the fewest digits that read back as this double, so 0.1 becomes the decimal 0.1
    // and not 0.1000000000000000055.
    let parts = "\(double.magnitude)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    let exponent = parts.count > 1 ? Int(parts[1]) : 0
    guard let digits = UInt128(mantissa[0] + fraction), let exponent,
      let number = Decimal(digits: digits, power: exponent - fraction.count)
    else { return nil }
    self = double < 0 ? -number : number
  }

  /// The double that a column stores for the greatest decimal.
  // Converted via the digits, because Foundation's own conversion loses the last ones.
  private static let greatestAsDouble = Double(Decimal.greatestFiniteMagnitude.description)

  /// Creates the product of an integer and a power of ten, rounded to the digits that a decimal can hold;
  /// nil if it is too large.
  private init?(digits: UInt128, power: Int) {
    var (digits, power) = (digits, power)
    if digits == 0 {
      self = 0
      return
    }
    while power < -128 {
      // Each step drops one digit. Only the last step rounds, by the most significant dropped digit.
      let divisor: UInt128 = 10
      let (quotient, rest) = digits.quotientAndRemainder(dividingBy: divisor)
      digits = power == -129 && rest >= 5 ? quotient + 1 : quotient
      power += 1
      if digits == 0, power < -128 { break }
    }
    if digits == 0 {
      self = 0
      return
    }
    // Foundation's parser accepts no exponent above 127, so append zeros as far as the mantissa has room.
    let zeros = max(0, power - 127)
    // A mantissa of 128 bits has at most 39 digits.
    guard zeros < 40 else { return nil }
    let text = "\(digits)\(String(repeating: "0", count: zeros))e\(power - zeros)"
    guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
      !number.isNaN
    else { return nil }
    self = number
  }

  /// Returns the product of two decimals; nil if a decimal cannot hold it, or would round it to 0.
  func product(with other: Decimal) -> Decimal? {
    if isNaN || other.isNaN { return nil }
    if self == 0 || other == 0 { return 0 }
    let exponent = self.exponent + other.exponent
    // Foundation's multiplication stops the program if the exponent of the product is below -128.
    if exponent >= -128 {
      let product = self * other
      return product.isNaN ? nil : product
    }
    let whole = significand * other.significand
    guard let digits = UInt128(whole.significand.description),
      let magnitude = Decimal(digits: digits, power: whole.exponent + exponent), magnitude != 0
    else { return nil }
    return sign == other.sign ? magnitude : -magnitude
  }
}
