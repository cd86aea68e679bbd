extension Decimal {
  /// The decimal number with the digits that a double prints, rounded where there is no room for all of them.
  ///
  /// A store's column keeps a decimal as the nearest double, which for the greatest decimals lies above
  /// all decimals: that double is the greatest decimal again. Nil for a double beyond it, for infinity
  /// and for not-a-number.
  package init?(nearest double: Double) {
    guard double.isFinite else { return nil }
    if double.magnitude == Self.greatestAsDouble {
      self = double < 0 ? -Decimal.greatestFiniteMagnitude : .greatestFiniteMagnitude
      return
    }
    let parts = "\(double.magnitude)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    let exponent = parts.count > 1 ? Int(parts[1]) : 0
    guard let digits = UInt128(mantissa[0] + fraction), let exponent,
      let number = Decimal(digits: digits, power: exponent - fraction.count)
    else { return nil }
    self = double < 0 ? -number : number
  }

  /// The double that a column keeps of the greatest decimal.
  private static let greatestAsDouble = Double(Decimal.greatestFiniteMagnitude.description)

  /// A whole number times a power of ten, rounded to the digits that there is room for; nil where
  /// it is too large.
  private init?(digits: UInt128, power: Int) {
    var (digits, power) = (digits, power)
    if digits == 0 {
      self = 0
      return
    }
    while power < -128 {
      // All digits but the last drop out exactly; the last one rounds.
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
    // Foundation's reader takes no exponent above 127, but digits as far as the mantissa has room.
    let zeros = max(0, power - 127)
    guard zeros < 40 else { return nil }
    let text = "\(digits)\(String(repeating: "0", count: zeros))e\(power - zeros)"
    guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
      !number.isNaN
    else { return nil }
    self = number
  }

  /// The product of two decimals; nil where a decimal cannot hold it, or holds 0 of it alone.
  ///
  /// Foundation's multiplication ends the program at a product whose exponent is below the least.
  func product(with other: Decimal) -> Decimal? {
    if isNaN || other.isNaN { return nil }
    if self == 0 || other == 0 { return 0 }
    let exponent = self.exponent + other.exponent
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
