extension NSNumber {
  /// Whether the number is a boolean.
  ///
  /// The `objCType` of an `Int8` is that of a boolean too, but Foundation has exactly one object for
  /// each of the two booleans.
  package var isTruthValue: Bool {
    self === NSNumber(value: true) || self === NSNumber(value: false)
  }

  /// The number as a `Decimal`; nil for infinity, not-a-number, and numbers that `Decimal` cannot represent.
  ///
  /// Foundation's `decimalValue` stops the program for infinity, and loses digits of large integers.
  package var exactDecimal: Decimal? {
    guard let decimal = scalar.decimalValue, !decimal.isNaN else { return nil }
    return decimal
  }
}
