import Foundation

/// Arithmetic on numbers of any type.
///
/// Whole numbers stay whole where the result is; a result too large for 64 bits becomes a
/// `Double`. A `Decimal` makes the result one.
enum Arithmetic {
  static func apply(_ function: PredefinedFunction, _ left: Any?, _ right: Any?) throws -> Any {
    let a = try number(left, function.rawValue)
    let b = try number(right, function.rawValue)
    if case .integer(let x) = a, case .integer(let y) = b, let result = whole(function, x, y) {
      return Int(result)
    }
    if isDecimal(a) || isDecimal(b), let x = a.decimalValue, let y = b.decimalValue,
      let result = decimal(function, x, y)
    {
      return result
    }
    let x = a.doubleValue ?? .nan
    let y = b.doubleValue ?? .nan
    switch function {
    case .add: return x + y
    case .subtract: return x - y
    case .multiply: return x * y
    case .divide: return x / y
    case .modulus: return x.truncatingRemainder(dividingBy: y)
    case .raise: return pow(x, y)
    default: throw InvalidPredicateError("\(function.rawValue) is not arithmetic")
    }
  }

  private static func whole(_ function: PredefinedFunction, _ x: Int64, _ y: Int64) -> Int64? {
    func exact(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
      result.overflow ? nil : result.partialValue
    }
    switch function {
    case .add: return exact(x.addingReportingOverflow(y))
    case .subtract: return exact(x.subtractingReportingOverflow(y))
    case .multiply: return exact(x.multipliedReportingOverflow(by: y))
    case .divide:
      // As NSNumber divides: 7 / 2 is 3.5, and 6 / 2 is 3.
      guard y != 0, !(x == .min && y == -1), x % y == 0 else { return nil }
      return x / y
    case .modulus:
      guard y != 0, !(x == .min && y == -1) else { return nil }
      return x % y
    case .raise:
      let power = pow(Double(x), Double(y))
      return y >= 0 && power.magnitude < 0x1p53 ? Int64(exactly: power) : nil
    default: return nil
    }
  }

  private static func decimal(
    _ function: PredefinedFunction, _ x: Decimal, _ y: Decimal
  ) -> Decimal? {
    switch function {
    case .add: x + y
    case .subtract: x - y
    case .multiply: x * y
    case .divide: y == 0 ? nil : x / y
    default: nil
    }
  }

  private static func isDecimal(_ scalar: Scalar) -> Bool {
    if case .decimal = scalar { return true }
    return false
  }

  /// A value that must be a number.
  static func number(_ value: Any?, _ function: String) throws -> Scalar {
    let scalar = Scalar(value)
    guard scalar.isNumber else {
      throw InvalidPredicateError("\(function) needs numbers, not \(describe(value))")
    }
    return scalar
  }

  /// The sum of numbers, 0 of none.
  static func sum(_ values: [Any], of function: String) throws -> Any {
    var sum: Any = 0
    for value in values { sum = try apply(.add, sum, value) }
    return sum
  }

  /// The sum of numbers divided by a count.
  static func average(_ values: [Any], count: Int) throws -> Any {
    let sum = try sum(values, of: "average")
    if case .decimal(let decimal) = Scalar(sum) { return decimal / Decimal(count) }
    return (Scalar(sum).doubleValue ?? .nan) / Double(count)
  }

  /// The first or last value in their order; nil of none.
  static func extreme(
    _ values: [Any], _ wanted: ComparisonResult, of function: String
  ) throws -> Any? {
    guard var best = values.first else { return nil }
    for value in values.dropFirst() {
      guard let order = ValueOrder.compare(Scalar(value), Scalar(best)) else {
        throw InvalidPredicateError(
          "\(function): \(describe(value)) and \(describe(best)) have no order")
      }
      if order == wanted { best = value }
    }
    return best
  }
}
