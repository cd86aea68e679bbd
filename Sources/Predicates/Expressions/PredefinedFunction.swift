/// The functions that every predicate can call by name; the raw value is the name.
package enum PredefinedFunction: String, CaseIterable, Sendable {
  case sum = "sum:"
  case count = "count:"
  case minimum = "min:"
  case maximum = "max:"
  case average = "average:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case raise = "raise:toPower:"
  case squareRoot = "sqrt:"
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case exponential = "exp:"
  case floor = "floor:"
  case ceiling = "ceiling:"
  case absolute = "abs:"
  case truncate = "trunc:"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case canonical = "canonical:"
  case length = "length:"
  case random = "random"
  case randomBelow = "randomn:"
  case now = "now"
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  case noIndex = "noindex:"
  case indexedBy = "indexed:by:"
  case elementAtIndex = "objectFrom:withIndex:"
  case cast = "castObject:toType:"
  case distance = "distanceToLocation:fromLocation:"

  /// The number of arguments. The functions of many values take one collection or, as in `max:(a, b)`, the values
  /// themselves.
  package var argumentCount: ClosedRange<Int> {
    switch self {
    case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation:
      1...Int.max
    case .random, .now: 0...0
    case .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr,
      .bitwiseXor, .leftShift, .rightShift, .elementAtIndex, .cast, .distance, .indexedBy:
      2...2
    default: 1...1
    }
  }

  /// Creates the function from its name in a predicate: with its colons or, if it has only one, without.
  package init?(spelling: String) {
    guard let function = Self(rawValue: spelling) ?? Self(rawValue: spelling + ":") else {
      return nil
    }
    self = function
  }

  /// Throws if a function is unknown or does not accept this number of arguments.
  @discardableResult
  package static func check(
    _ name: String, argumentCount: Int
  ) throws(InvalidPredicateError) -> PredefinedFunction {
    guard let function = PredefinedFunction(rawValue: name) else {
      throw InvalidPredicateError("\"\(name)\" is not a predefined function")
    }
    let counts = function.argumentCount
    guard counts.contains(argumentCount) else {
      let least = counts.upperBound == Int.max ? "at least " : ""
      let wanted = least + MessageText.counted(counts.lowerBound, "argument")
      throw InvalidPredicateError("\(name) takes \(wanted), not \(argumentCount)")
    }
    return function
  }
}
