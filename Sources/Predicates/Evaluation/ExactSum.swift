/// A sum of numbers of any type that does not depend on their order.
///
/// Integers are added exactly. Doubles and decimals are collected and added in ascending order.
struct ExactSum {
  private(set) var count = 0
  // No possible count of 64-bit integers overflows this type.
  private var whole: Int128 = 0
  private var doubles: [Double] = []
  private var decimals: [Decimal] = []

  mutating func add(_ value: Scalar) {
    count += 1
    switch value {
    case .integer(let value): whole += Int128(value)
    case .unsigned(let value): whole += Int128(value)
    case .double(let value): doubles.append(value)
    case .decimal(let value): decimals.append(value)
    default: count -= 1
    }
  }

  /// The sum; 0 if there are no numbers. Integers whose sum does not fit in 64 bits produce a
  /// double.
  var total: Scalar {
    if let decimal = decimalTotal { return .decimal(decimal) }
    if doubles.isEmpty, decimals.isEmpty {
      return Int64(exactly: whole).map(Scalar.integer) ?? .double(Double(whole))
    }
    return .double(doubleTotal)
  }

  /// The sum divided by the count; null if there are no numbers.
  var average: Scalar {
    if count == 0 { return .null }
    if let decimal = decimalTotal { return .decimal(decimal / Decimal(count)) }
    return .double(doubleTotal / Double(count))
  }

  private var doubleTotal: Double {
    if doubles.isEmpty, decimals.isEmpty { return Double(whole) }
    // Sorted before adding, because rounding depends on the order.
    let parts = doubles + decimals.map { Scalar.decimal($0).doubleValue ?? .nan }
    return (whole == 0 ? parts : parts + [Double(whole)]).sorted().reduce(0, +)
  }

  /// The sum as a decimal; nil if no number is a decimal, or a decimal cannot hold the sum or a
  /// part of it.
  private var decimalTotal: Decimal? {
    guard !decimals.isEmpty, let whole = Decimal(string: String(describing: whole)) else {
      return nil
    }
    let converted = doubles.compactMap { Scalar.double($0).decimalValue }
    // A double that is infinite or beyond the range of decimals has no decimal value.
    guard converted.count == doubles.count else { return nil }
    var parts = decimals + converted
    if whole != 0 { parts.append(whole) }
    let total = parts.sorted().reduce(0, +)
    return total.isNaN ? nil : total
  }
}
