extension Scalar {
  var isDecimal: Bool {
    if case .decimal = self { true } else { false }
  }

  /// Whether the value is the number 0 of any type.
  var isZero: Bool {
    switch self {
    case .integer(let value): value == 0
    case .double(let value): value == 0
    case .decimal(let value): value == 0
    default: false
    }
  }

  /// Whether the value is a double or decimal that is not a number, or a date whose interval is not a number.
  package var isNotANumber: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .decimal(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}

extension Scalar {
  /// The value as a store's column keeps it: a decimal becomes an integer if it is a 64-bit integer, otherwise the
  /// nearest double. Other values are unchanged.
  package var kept: Scalar {
    guard case .decimal(let decimal) = self else { return self }
    let digits = decimal.description
    return Int64(digits).map(Scalar.integer) ?? .double(Double(digits) ?? .nan)
  }

  /// The value rounded to the digits that a store's column keeps, if it is a decimal.
  var keptDigits: Scalar {
    guard case .decimal = self, case .double(let double) = kept else { return self }
    return Scalar.double(double).decimalValue.map(Scalar.decimal) ?? .double(double)
  }

  /// The value as a Swift value, an integer as an `Int`; nil for null.
  package var boxed: Any? {
    switch self {
    case .null: nil
    case .integer(let value): Int(value)
    case .unsigned(let value): value
    case .double(let value): value
    case .decimal(let value): value
    case .text(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .other(let value): value
    }
  }
}
