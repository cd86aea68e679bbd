extension KeyedArchiveBuilder {
  /// Adds a decimal number: sign, decimal exponent, and a mantissa of eight 16-bit words. As in `Decimal` itself,
  /// not-a-number is a negative number without mantissa words.
  func add(_ number: Decimal) -> PropertyListValue {
    let (bytes, count) = number.words
    return add(
      .decimal,
      [
        "NS.exponent": .integer(Int64(number.exponent)), "NS.length": .integer(Int64(count)),
        "NS.negative": .bool(number.sign == .minus), "NS.compact": .bool(false),
        // Byte order 1 is little-endian, whatever the machine.
        "NS.mantissa": .data(Data(bytes)), "NS.mantissa.bo": .integer(1),
      ])
  }
}
