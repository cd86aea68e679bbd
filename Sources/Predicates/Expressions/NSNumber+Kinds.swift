extension NSNumber {
  /// Whether the number is a truth value.
  ///
  /// The `objCType` of an `Int8` is that of a truth value too, but Foundation has one object for
  /// each of the two truth values.
  package var isTruthValue: Bool {
    self === NSNumber(value: true) || self === NSNumber(value: false)
  }

  /// The number as a `Decimal`; nil for infinity, not-a-number, and what `Decimal` has no room for.
  ///
  /// `decimalValue` of Foundation ends the program at infinity, and loses digits of large whole
  /// numbers.
  package var exactDecimal: Decimal? {
    guard let decimal = scalar.decimalValue, !decimal.isNaN else { return nil }
    return decimal
  }
}
