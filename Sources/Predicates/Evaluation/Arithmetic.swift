/// Performs arithmetic on numbers of any type.
///
/// Operations on integers result in integers: as in Apple's Core Data, a division truncates (`7 / 2` is 3). A result
/// that does not fit in 64 bits becomes a `Double`, and so does a power whose result has a fraction, such as `2 ** -1`.
/// Integers above `Int64.max` are converted to doubles first. If one operand is a `Decimal`, so is the result, provided
/// that a decimal can represent it. A power with a decimal operand is always a `Double`.
enum Arithmetic {
  static func apply(
    _ function: PredefinedFunction, _ left: Scalar, _ right: Scalar
  ) throws -> Scalar {
    switch (left, right) {
    case (.integer(let x), .integer(let y)):
      // After an overflow, the computation with doubles below provides the result.
      if let result = whole(function, x, y) { return .integer(result) }
    case (.double(let x), .double(let y)):
      return .double(try double(function, x, y))
    default:
      try checkNumber(left, function)
      try checkNumber(right, function)
      if left.isDecimal || right.isDecimal, let x = left.decimalValue, let y = right.decimalValue,
        let result = decimal(function, x, y), !result.isNaN
      {
        return .decimal(result)
      }
    }
    // The last resort: an integer overflowed, a decimal cannot hold the result, or the types
    // differ.
    return .double(try double(function, left.doubleValue ?? .nan, right.doubleValue ?? .nan))
  }

  private static func double(
    _ function: PredefinedFunction, _ x: Double, _ y: Double
  ) throws -> Double {
    switch function {
    case .add: x + y
    case .subtract: x - y
    case .multiply: x * y
    case .divide: x / y
    case .modulus: x.truncatingRemainder(dividingBy: y)
    case .raise: pow(x, y)
    default: throw InvalidPredicateError("\(function.rawValue) is not arithmetic")
    }
  }

  private static func whole(_ function: PredefinedFunction, _ x: Int64, _ y: Int64) -> Int64? {
    let (result, overflow): (Int64, Bool)
    switch function {
    case .add: (result, overflow) = x.addingReportingOverflow(y)
    case .subtract: (result, overflow) = x.subtractingReportingOverflow(y)
    case .multiply: (result, overflow) = x.multipliedReportingOverflow(by: y)
    // Division by zero reports an overflow here; the division of doubles then provides the result.
    case .divide: (result, overflow) = x.dividedReportingOverflow(by: y)
    case .modulus:
      // For `Int64.min`, this remainder would report an overflow.
      if y == -1 { return 0 }
      (result, overflow) = x.remainderReportingOverflow(dividingBy: y)
    case .raise: return power(x, y)
    default: return nil
    }
    return overflow ? nil : result
  }

  /// Computes a power by squaring. Returns nil if the result is not an integer or overflows.
  private static func power(_ x: Int64, _ exponent: Int64) -> Int64? {
    if exponent < 0 { return x == 1 ? 1 : x == -1 ? (exponent % 2 == 0 ? 1 : -1) : nil }
    var result: Int64 = 1
    var base = x
    var rest = exponent
    while rest > 0 {
      if rest & 1 == 1 {
        let (product, overflow) = result.multipliedReportingOverflow(by: base)
        if overflow { return nil }
        result = product
      }
      rest >>= 1
      // After the last step the square is not needed, and could overflow.
      if rest > 0 {
        let (square, overflow) = base.multipliedReportingOverflow(by: base)
        if overflow { return nil }
        base = square
      }
    }
    return result
  }

  private static func decimal(
    _ function: PredefinedFunction, _ x: Decimal, _ y: Decimal
  ) -> Decimal? {
    switch function {
    case .add: return x + y
    case .subtract: return x - y
    case .multiply: return x.product(with: y)
    // For nil, the division of doubles provides the result.
    case .divide: return y == 0 ? nil : x / y
    case .modulus:
      guard y != 0 else { return nil }
      let quotient = x / y
      // A decimal has 38 digits. A quotient with more has lost its last digits, so the result could exceed the divisor.
      guard !quotient.isNaN,
        quotient.magnitude < Decimal(sign: .plus, exponent: 38, significand: 1)
      else { return nil }
      return x - rounded(quotient, .truncate) * y
    default: return nil
    }
  }

  /// Rounds a decimal to an integer, as `floor:`, `ceiling:` and `trunc:` do.
  static func rounded(_ value: Decimal, _ function: PredefinedFunction) -> Decimal {
    let mode: NSDecimalNumber.RoundingMode =
      switch function {
      case .floor: .down
      case .ceiling: .up
      default: value < 0 ? .up : .down
      }
    var value = value
    var result = Decimal()
    NSDecimalRound(&result, &value, 0, mode)
    return result
  }

  /// Throws if a value is not a number.
  static func checkNumber(_ value: Scalar, _ function: PredefinedFunction) throws {
    guard value.isNumber else {
      throw InvalidPredicateError(
        "\(function.rawValue) needs numbers, not \(describe(value.boxed))")
    }
  }

  /// Truncates a number to an integer. An unsigned number above `Int64.max` keeps its bits.
  static func wholeNumber(_ value: Scalar, _ function: PredefinedFunction) throws -> Int64 {
    try checkNumber(value, function)
    if case .unsigned(let value) = value { return Int64(bitPattern: value) }
    if let whole = value.integerValue { return whole }
    guard let whole = value.doubleValue.flatMap({ Int64(exactly: $0.rounded(.towardZero)) }) else {
      throw InvalidPredicateError(
        "\(function.rawValue) needs whole numbers of 64 bits, not \(describe(value.boxed))")
    }
    return whole
  }
}
