/// Chooses new values for a numeric attribute that determines the order of rows.
///
/// Each value of the attribute corresponds to an integer, its ordinal. The ordinals have the same order as the values.
struct OrderNumbering {
  private enum Form {
    case integer
    case double
    case float
    /// Decimals are represented as doubles without their lowest bits, because rounding errors may change these bits.
    case decimal
  }

  private let form: Form
  /// The ordinals that the attribute's type and validation rules allow.
  let domain: ClosedRange<Int128>

  /// - Returns: Nil if the attribute is not a number.
  init?(_ slot: PropertySlot) {
    let range: ClosedRange<Int128>
    switch slot.storage {
    case .integer16: (form, range) = (.integer, Int128(Int16.min)...Int128(Int16.max))
    case .integer32: (form, range) = (.integer, Int128(Int32.min)...Int128(Int32.max))
    case .integer64: (form, range) = (.integer, Int128(Int64.min)...Int128(Int64.max))
    case .double:
      let most = Self.ordinal(Double.greatestFiniteMagnitude)
      (form, range) = (.double, -most...most)
    case .float:
      let most = Self.ordinal(Float.greatestFiniteMagnitude)
      (form, range) = (.float, -most...most)
    case .decimal:
      let most = Self.decimalOrdinal(1e100)
      (form, range) = (.decimal, -most...most)
    default: return nil
    }
    domain = Self.valid(range, slot.property, form)
  }

  /// Returns the part of a range that the model's minimum and maximum values allow.
  private static func valid(
    _ range: ClosedRange<Int128>, _ property: NSPropertyDescription, _ form: Form
  ) -> ClosedRange<Int128> {
    var (low, high) = (range.lowerBound, range.upperBound)
    for predicate in property.validationPredicates {
      guard let comparison = predicate as? NSComparisonPredicate,
        comparison.leftExpression.expressionType == .evaluatedObject,
        comparison.rightExpression.expressionType == .constantValue,
        let bound = comparison.rightExpression.constantValue as? NSNumber
      else { continue }
      switch comparison.predicateOperatorType {
      case .greaterThanOrEqualTo: low = max(low, ordinal(bound, form, roundedUp: true))
      case .lessThanOrEqualTo: high = min(high, ordinal(bound, form, roundedUp: false))
      default: break
      }
    }
    // Rules that allow no number at all, such as a minimum above the maximum, are ignored here.
    return low <= high ? low...high : range
  }

  private static func ordinal(_ bound: NSNumber, _ form: Form, roundedUp: Bool) -> Int128 {
    let value = bound.doubleValue
    switch form {
    case .integer:
      let rounded = value.rounded(roundedUp ? .up : .down)
      return Int128(exactly: rounded) ?? (value < 0 ? Int128(Int64.min) : Int128(Int64.max))
    case .double: return ordinal(value)
    case .decimal: return decimalOrdinal(value)
    case .float: return ordinal(bound.floatValue)
    }
  }

  private static func ordinal(_ value: Double) -> Int128 {
    // The bit patterns of positive floating-point numbers are in the same order as the numbers.
    let magnitude = Int128(value.magnitude.bitPattern)
    return value < 0 ? -magnitude : magnitude
  }

  private static let decimalBits = 8

  private static func decimalOrdinal(_ value: Double) -> Int128 {
    // Rounds to the nearest ordinal, because truncation could assign different ordinals to values that differ only in
    // the last bit.
    let magnitude = (Int128(value.magnitude.bitPattern) + (1 << (decimalBits - 1))) >> decimalBits
    return value < 0 ? -magnitude : magnitude
  }

  private static func ordinal(_ value: Float) -> Int128 {
    let magnitude = Int128(value.magnitude.bitPattern)
    return value < 0 ? -magnitude : magnitude
  }

  /// Returns the ordinal of a value; `none` if the value is missing or not a number.
  func number(_ value: StoredValue) -> FewestRenumberings.Number {
    switch (form, value) {
    case (.integer, .integer(let value)): .ordinal(Int128(value))
    case (.double, .double(let value)) where !value.isNaN: .ordinal(Self.ordinal(value))
    case (.float, .double(let value)) where !value.isNaN: .ordinal(Self.ordinal(Float(value)))
    case (.decimal, .decimal(let value)) where !value.doubleValue.isNaN:
      .ordinal(Self.decimalOrdinal(value.doubleValue))
    default: .none
    }
  }

  /// Returns ascending numbers between two ordinals: evenly spaced between two bounds, next to the only bound, or, if
  /// there is no bound, from 0 or the lowest allowed number.
  func values(_ count: Int, above low: Int128?, below high: Int128?) -> [NSNumber] {
    let bounds = (low ?? domain.lowerBound - 1, high ?? domain.upperBound + 1)
    if form == .integer {
      let ordinals: [Int128]
      switch (low, high) {
      case (nil, nil):
        let first = domain.contains(0) && domain.contains(Int128(count)) ? 0 : domain.lowerBound
        ordinals = (0..<count).map { first + Int128($0) }
      case (let low?, nil): ordinals = (0..<count).map { low + 1 + Int128($0) }
      case (nil, let high?): ordinals = (0..<count).map { high - Int128(count - $0) }
      case (let low?, let high?): ordinals = Self.spread(count, low, high)
      }
      return ordinals.map { NSNumber(value: Int64(clamping: $0)) }
    }
    // Prefers round numbers. If they do not fit, any numbers between the bounds are used.
    let values: [Double]
    switch (low.map(value), high.map(value)) {
    case (nil, nil):
      let first = domain.contains(0) ? 0 : value(domain.lowerBound).rounded(.up)
      values = (0..<count).map { first + Double($0) }
    case (let low?, nil): values = (0..<count).map { low.rounded(.down) + 1 + Double($0) }
    case (nil, let high?): values = (0..<count).map { high.rounded(.up) - Double(count - $0) }
    case (let low?, let high?):
      // Divides first, because the difference of two very large numbers is infinite.
      let step = (high / Double(count + 1)) - (low / Double(count + 1))
      values = (1...max(count, 1)).prefix(count).map { low + step * Double($0) }
    }
    var ordinals = values.map { value in
      switch form {
      case .float: Self.ordinal(Float(value))
      case .decimal: Self.decimalOrdinal(value)
      case .double, .integer: Self.ordinal(value)
      }
    }
    let all = [bounds.0] + ordinals + [bounds.1]
    if !zip(all, all.dropFirst()).allSatisfy({ $0 < $1 }) || !values.allSatisfy(\.isFinite) {
      ordinals =
        switch (low, high) {
        case (nil, nil), (_?, _?): Self.spread(count, bounds.0, bounds.1)
        // Use the ordinals next to the bound. Others may belong to magnitudes that a decimal cannot represent, such as
        // 1e-200.
        case (let low?, nil): (0..<count).map { low + 1 + Int128($0) }
        case (nil, let high?): (0..<count).map { high - Int128(count - $0) }
        }
    }
    return ordinals.map { number(value($0)) }
  }

  private static func spread(_ count: Int, _ low: Int128, _ high: Int128) -> [Int128] {
    (0..<count).map { low + (high - low) * Int128($0 + 1) / Int128(count + 1) }
  }

  /// Returns the floating-point number of an ordinal.
  private func value(_ ordinal: Int128) -> Double {
    let value: Double
    if form == .float {
      value = Double(Float(bitPattern: UInt32(clamping: ordinal.magnitude)))
    } else {
      let bits = form == .decimal ? ordinal.magnitude << Self.decimalBits : ordinal.magnitude
      value = Double(bitPattern: UInt64(clamping: bits))
    }
    return ordinal < 0 ? -value : value
  }

  private func number(_ value: Double) -> NSNumber {
    switch form {
    case .decimal: NSDecimalNumber(column: value)
    case .float: NSNumber(value: Float(value))
    case .integer, .double: NSNumber(value: value)
    }
  }
}
