extension Decimal {
  /// Creates a whole number from 16-bit words, the lowest first.
  ///
  /// - Parameter order: The byte order within a word; 2 means the higher byte first.
  package init(words bytes: [UInt8], order: Int?) {
    self.init(0)
    // From the highest word down, because each step multiplies the words before it.
    for word in stride(from: (bytes.count / 2 - 1) * 2, through: 0, by: -2) {
      let (low, high) =
        order == 2 ? (bytes[word + 1], bytes[word]) : (bytes[word], bytes[word + 1])
      self = self * 65536 + Decimal(Int(low) | Int(high) << 8)
    }
  }
}
