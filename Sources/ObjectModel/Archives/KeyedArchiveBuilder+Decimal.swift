extension KeyedArchiveBuilder {
  /// Adds a decimal number: sign, decimal exponent, and a mantissa of eight 16-bit words. As in `Decimal` itself,
  /// not-a-number is a negative number without mantissa words.
  func add(_ number: Decimal) -> PropertyListValue {
    let significand = UInt128("\(number.significand)") ?? 0
    let bytes = Data((0..<16).map { UInt8(truncatingIfNeeded: significand >> (8 * $0)) })
    let words = (128 - significand.leadingZeroBitCount + 15) / 16
    return add(
      .decimal,
      [
        "NS.exponent": .integer(Int64(number.exponent)), "NS.length": .integer(Int64(words)),
        "NS.negative": .bool(number.sign == .minus), "NS.compact": .bool(false),
        // Byte order 1 is little-endian, whatever the machine.
        "NS.mantissa": .data(bytes), "NS.mantissa.bo": .integer(1),
      ])
  }
}
