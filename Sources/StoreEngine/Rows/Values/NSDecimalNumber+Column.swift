extension NSDecimalNumber {
  /// Whether a numeric column, which keeps whole numbers of 64 bits and doubles, would give another number back.
  package var isRoundedByColumn: Bool {
    let text = stringValue
    if Int64(text) != nil { return false }
    guard let double = Double(text) else { return true }
    return (Decimal(nearest: double) ?? .nan) != decimalValue
  }

  /// The decimal that a numeric column keeps as a double; not-a-number for a double beyond all decimals.
  package convenience init(column double: Double) {
    self.init(decimal: Decimal(nearest: double) ?? .nan)
  }

  /// The decimal that a column keeps, from the column's text: digits, or a double.
  package convenience init(column text: String) {
    let digits = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    self.init(decimal: digits ?? Double(text).flatMap { Decimal(nearest: $0) } ?? .nan)
  }
}
