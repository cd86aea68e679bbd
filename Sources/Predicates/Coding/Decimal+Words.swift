extension Decimal {
  /// The digits without sign and exponent as eight 16-bit words, the lowest first and each with its lower byte first,
  /// and the number of words up to the highest one that is not zero. All words of not-a-number are zero.
  package var words: (bytes: [UInt8], count: Int) {
    // Not computed by division, because `Decimal` rounds quotients to 38 digits and a significand may have 39.
    let digits = UInt128("\(significand)") ?? 0
    let bytes = (0..<16).map { UInt8(truncatingIfNeeded: digits >> (8 * $0)) }
    return (bytes, (128 - digits.leadingZeroBitCount + 15) / 16)
  }

  /// Creates a whole number from 16-bit words, the lowest first.
  ///
  /// - Parameter order: The byte order within a word; 2 means the higher byte first.
  package init(words bytes: [UInt8], order: Int?) {
    self.init(0)
    // Go from the highest word down, because each step multiplies the words before it.
    for word in stride(from: (bytes.count / 2 - 1) * 2, through: 0, by: -2) {
      let (low, high) =
        order == 2 ? (bytes[word + 1], bytes[word]) : (bytes[word], bytes[word + 1])
      self = self * 65536 + Decimal(Int(low) | Int(high) << 8)
    }
  }
}
