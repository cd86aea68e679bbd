extension Decimal {
  /// A whole number of 16-bit words, the lowest first.
  ///
  /// - Parameter order: the order of the bytes in a word: 2 for the higher first.
  package init(words bytes: [UInt8], order: Int?) {
    self.init(0)
    for word in stride(from: (bytes.count / 2 - 1) * 2, through: 0, by: -2) {
      let (low, high) =
        order == 2 ? (bytes[word + 1], bytes[word]) : (bytes[word], bytes[word + 1])
      self = self * 65536 + Decimal(Int(low) | Int(high) << 8)
    }
  }
}
