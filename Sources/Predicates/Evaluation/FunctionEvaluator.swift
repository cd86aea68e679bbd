/// Evaluates the predefined functions.
enum FunctionEvaluator {
  static func value(of name: String, arguments: [Any?], nilRule: NilRule) throws -> Any? {
    let function = try PredefinedFunction.check(name, argumentCount: arguments.count)
    // These functions only control how a store finds the value.
    if function == .noIndex || function == .indexedBy { return arguments[0] }
    if function.isScalar {
      let second = arguments.count > 1 ? Scalar(arguments[1]) : .null
      return try function.value(Scalar(arguments[0]), second, nilRule: nilRule).boxed
    }
    if function.isNilForNil, arguments.contains(where: { Scalar($0).isNull }) {
      return nil
    }
    switch function {
    case .random: return Int.random(in: 0...Int(Int32.max))
    case .randomBelow:
      return try PredefinedFunction.random(below: Scalar(arguments[0])).boxed
    case .now: return Date()
    case .elementAtIndex:
      return try IndexEvaluator.value(of: arguments[0], at: arguments[1])
    case .cast:
      guard case .text(let type) = Scalar(arguments[1]) else {
        throw InvalidPredicateError("CAST needs the name of a type, not \(describe(arguments[1]))")
      }
      return try ValueCast.value(Scalar(arguments[0]), to: type, nilRule: nilRule).boxed
    case .distance:
      throw InvalidPredicateError("\(name) needs Apple's Core Location")
    default:
      return try statistic(function, arguments, nilRule)
    }
  }

  /// Evaluates a statistical function over the elements of one collection, or over the arguments.
  ///
  /// `count:` includes the elements of an array that are nil.
  private static func statistic(
    _ function: PredefinedFunction, _ arguments: [Any?], _ nilRule: NilRule
  ) throws -> Any? {
    var statistic = Statistic(function, nilRule: nilRule)
    if arguments.count == 1, let collection = KeyValueCollection(arguments[0]) {
      for element in collection.elements {
        let value = Scalar(element)
        // Also add the nil elements of an array, because `count:` includes them.
        if !(value.isNull && collection.isUnordered) { try statistic.add(value) }
      }
    } else {
      for argument in arguments {
        let value = Scalar(argument)
        if !value.isNull { try statistic.add(value) }
      }
    }
    return try statistic.result().boxed
  }
}

extension PredefinedFunction {
  /// Returns the result of `randomn:`; null for null.
  ///
  /// - Throws: An ``InvalidPredicateError`` if the limit without its fraction is not a 64-bit integer above 0.
  package static func random(below limit: Scalar) throws -> Scalar {
    if limit.isNull { return .null }
    let limit = try Arithmetic.wholeNumber(limit, .randomBelow)
    guard limit > 0 else {
      throw InvalidPredicateError("randomn: needs a number above 0, not \(limit)")
    }
    return .integer(Int64.random(in: 0..<limit))
  }

  /// Whether a function that is not scalar returns nil if an argument is nil.
  fileprivate var isNilForNil: Bool {
    switch self {
    case .randomBelow, .elementAtIndex, .cast, .distance: true
    default: false
    }
  }
}
