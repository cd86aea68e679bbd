extension NSDecimalNumber {
  /// Whether a numeric column would change the number. Such a column stores 64-bit integers and doubles.
  package var isRoundedByColumn: Bool {
    let text = stringValue
    if Int64(text) != nil { return false }
    guard let double = Double(text) else { return true }
    return (Decimal(nearest: double) ?? .nan) != decimalValue
  }

  /// Creates the decimal of a double in a numeric column; not-a-number if the double is out of range.
  package convenience init(column double: Double) {
    self.init(decimal: Decimal(nearest: double) ?? .nan)
  }

  /// Creates the decimal of a column's text, which contains digits or a double.
  package convenience init(column text: String) {
    // The separator in a column is a point, whatever the user's locale is.
    let digits = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    // Foundation does not read the digits of decimals above 1e127.
    self.init(decimal: digits ?? Double(text).flatMap { Decimal(nearest: $0) } ?? .nan)
  }
}

extension StoredValue {
  /// The value in the form of a cell that keeps all digits: a decimal that its column would round becomes digits in
  /// UTF-8 bytes, which no affinity converts.
  @usableFromInline package var exactCell: StoredValue {
    guard case .decimal(let number) = self, number.isRoundedByColumn else { return self }
    return .data(Data(number.stringValue.utf8))
  }
}
