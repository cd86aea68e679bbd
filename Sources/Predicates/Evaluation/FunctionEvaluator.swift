import Foundation

/// Calls the predefined functions.
enum FunctionEvaluator {
  static func value(of name: String, arguments: [Any?], nilRule: NilRule) throws -> Any? {
    let function = try PredefinedFunction.check(name, argumentCount: arguments.count)
    if nilRule == .store, function.isNilForNil, arguments.contains(where: { Scalar($0).isNull }) {
      return nil
    }
    switch function {
    case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation:
      return try Statistics.value(of: function, arguments)
    case .add, .subtract, .multiply, .divide, .modulus, .raise:
      return try Arithmetic.apply(function, arguments[0], arguments[1])
    case .squareRoot, .logarithm, .naturalLogarithm, .exponential:
      return transcendental(function, try double(arguments[0], function))
    case .floor, .ceiling, .truncate, .absolute:
      return try rounded(function, arguments[0])
    case .uppercase: return try text(arguments[0], function)?.uppercased()
    case .lowercase: return try text(arguments[0], function)?.lowercased()
    case .canonical:
      return try text(arguments[0], function).map {
        Folding([.caseInsensitive, .diacriticInsensitive]).fold($0)
      }
    case .length: return try text(arguments[0], function)?.utf16.count
    case .random: return Int.random(in: 0...Int(Int32.max))
    case .randomBelow:
      let limit = try whole(arguments[0], function)
      guard limit > 0 else {
        throw InvalidPredicateError("\(name) needs a number above 0, not \(limit)")
      }
      return Int(Int64.random(in: 0..<limit))
    case .now: return Date()
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
      return Int(
        bits(function, try whole(arguments[0], function), try whole(arguments[1], function)))
    case .onesComplement: return Int(~(try whole(arguments[0], function)))
    case .noIndex: return arguments[0]
    case .elementAtIndex: return try IndexEvaluator.value(of: arguments[0], at: arguments[1])
    case .cast:
      guard case .text(let type) = Scalar(arguments[1]) else {
        throw InvalidPredicateError("CAST needs the name of a type, not \(describe(arguments[1]))")
      }
      return try ValueCast.value(arguments[0], to: type)
    case .distance:
      throw InvalidPredicateError("\(name) needs Apple's Core Location")
    }
  }

  private static func double(_ value: Any?, _ function: PredefinedFunction) throws -> Double {
    try Arithmetic.number(value, function.rawValue).doubleValue ?? .nan
  }

  /// A number as a whole one, its fraction cut off.
  private static func whole(_ value: Any?, _ function: PredefinedFunction) throws -> Int64 {
    let number = try Arithmetic.number(value, function.rawValue)
    if let whole = number.integerValue { return whole }
    if case .unsigned(let value) = number { return Int64(bitPattern: value) }
    guard let whole = number.doubleValue.flatMap({ Int64(exactly: $0.rounded(.towardZero)) })
    else {
      throw InvalidPredicateError(
        "\(function.rawValue) needs whole numbers, not \(describe(value))")
    }
    return whole
  }

  /// Text, nil for null.
  private static func text(_ value: Any?, _ function: PredefinedFunction) throws -> String? {
    let scalar = Scalar(value)
    if scalar.isNull { return nil }
    guard case .text(let text) = scalar else {
      throw InvalidPredicateError("\(function.rawValue) needs text, not \(describe(value))")
    }
    return text
  }

  private static func transcendental(_ function: PredefinedFunction, _ x: Double) -> Double {
    switch function {
    case .squareRoot: x.squareRoot()
    case .logarithm: log10(x)
    case .naturalLogarithm: log(x)
    default: exp(x)
    }
  }

  private static func rounded(_ function: PredefinedFunction, _ value: Any?) throws -> Any? {
    let number = try Arithmetic.number(value, function.rawValue)
    if let whole = number.integerValue {
      return function == .absolute && whole != .min ? Int(abs(whole)) : value
    }
    if function == .absolute, case .decimal(let decimal) = number { return abs(decimal) }
    let double = number.doubleValue ?? .nan
    switch function {
    case .floor: return double.rounded(.down)
    case .ceiling: return double.rounded(.up)
    case .truncate: return double.rounded(.towardZero)
    default: return abs(double)
    }
  }

  private static func bits(_ function: PredefinedFunction, _ a: Int64, _ b: Int64) -> Int64 {
    switch function {
    case .bitwiseAnd: a & b
    case .bitwiseOr: a | b
    case .bitwiseXor: a ^ b
    case .leftShift: a << b
    default: a >> b
    }
  }
}

extension PredefinedFunction {
  /// Whether SQL makes nil of the function when an argument is nil.
  fileprivate var isNilForNil: Bool {
    switch self {
    case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation,
      .random, .now, .noIndex:
      false
    default: true
    }
  }
}
