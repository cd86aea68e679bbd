/// Evaluates one comparison.
///
/// The truth value nil means unknown: under the store's nil rule for a comparison with nil, under Foundation's rule for
/// a comparison with a function that returned nil, and under both rules for a comparison of numbers or dates with
/// not-a-number.
struct ComparisonEvaluator {
  let comparison: NSComparisonPredicate
  let evaluation: Evaluation

  /// The result of a comparison with nil, except for `==` and `!=`.
  var truthOfNil: Bool? { evaluation.nilRule == .store ? nil : false }

  func truth(for object: Any?) throws -> Bool? {
    let left = try comparison.leftExpression.value(with: object, in: evaluation)
    let right =
      // The prepared list replaces the value of the right side, which would be read again for each
      // object.
      try constantList ?? comparison.rightExpression.value(with: object, in: evaluation)
    if let selector = comparison.customSelector {
      return try SelectorComparison.holds(selector, left, right)
    }
    switch comparison.comparisonPredicateModifier {
    case .direct:
      // Apple's Core Data raises an exception here, so the rule of the store applies; see
      // `NilRule.foundation`.
      if evaluation.nilRule == .foundation, isFunctionWithoutResult(left, right) {
        return try withStoreNilRule.compare(left, right)
      }
      return try compare(left, right)
    case .all:
      return try elements(of: left).allSatisfy { element, isConstant in
        try compare(element, right, isElementConstant: isConstant) == true
      }
    case .any:
      return try elements(of: left).contains { element, isConstant in
        try compare(element, right, isElementConstant: isConstant) == true
      }
    }
  }

  /// Returns whether a side, or a bound of BETWEEN, is a function without a result for these values.
  private func isFunctionWithoutResult(_ left: Any?, _ right: Any?) -> Bool {
    let expression = comparison.rightExpression
    if comparison.leftExpression.hasNoResult(left) || expression.hasNoResult(right) { return true }
    guard comparison.predicateOperatorType == .between,
      case .aggregate(let bounds) = expression.node,
      let values = right as? [Any], values.count == bounds.count
    else { return false }
    return zip(bounds, values).contains { $0.hasNoResult($1) }
  }

  /// The same comparison under the store's nil rule.
  private var withStoreNilRule: ComparisonEvaluator {
    ComparisonEvaluator(
      comparison: comparison,
      evaluation: Evaluation(
        variables: evaluation.variables, context: evaluation.context, nilRule: .store))
  }

  /// Returns the elements that ANY and ALL examine, and for each whether the predicate contains it as a constant.
  /// A path across several collections yields all objects at its end; nil yields none.
  private func elements(of value: Any?) throws -> [(value: Any, isConstant: Bool)] {
    if Scalar(value).isNull { return [] }
    guard let collection = KeyValueCollection(value) else {
      throw InvalidPredicateError(
        "the left side of ALL or ANY must be a collection, not \(describe(value)), in \(comparison)"
      )
    }
    // A list may mix constants with key paths, and under the store's rule only a constant nil is
    // known to be nil.
    if case .aggregate(let parts) = comparison.leftExpression.node,
      parts.count == collection.elements.count
    {
      return zip(parts, collection.elements).flatMap { part, element in
        let inner = KeyValueCollection(element)?.flattened ?? [element]
        return inner.map { ($0, part.isConstantValue) }
      }
    }
    let isConstant = comparison.leftExpression.isConstantValue
    return collection.flattened.map { ($0, isConstant) }
  }

  /// Returns a value to compare: under the store's nil rule, the value that a column would store.
  func scalar(_ value: Any?) -> Scalar {
    let scalar = Scalar(value)
    guard evaluation.nilRule == .store else { return scalar }
    // SQLite stores not-a-number as NULL.
    return scalar.isNotANumber ? .null : scalar.kept
  }

  private func compare(
    _ left: Any?, _ right: Any?, isElementConstant: Bool = false
  ) throws -> Bool? {
    switch comparison.predicateOperatorType {
    case .equalTo: try areEqual(left, right, isElementConstant)
    case .notEqualTo: try areEqual(left, right, isElementConstant).map { !$0 }
    case .lessThan: try ordered(left, right) { $0 == .orderedAscending }
    case .lessThanOrEqualTo: try ordered(left, right) { $0 != .orderedDescending }
    case .greaterThan: try ordered(left, right) { $0 == .orderedDescending }
    case .greaterThanOrEqualTo: try ordered(left, right) { $0 != .orderedAscending }
    case .matches, .like, .beginsWith, .endsWith: try matches(left, right)
    case .contains: try contains(left, right)
    case .in: try isIn(left, right)
    case .between: try isBetween(left, right)
    case .customSelector: false
    }
  }

  private func areEqual(
    _ left: Any?, _ right: Any?, _ isElementConstant: Bool
  ) throws -> Bool? {
    let a = scalar(left)
    let b = scalar(right)
    if evaluation.nilRule == .store, a.isNull || b.isNull,
      !comparison.leftExpression.isNullConstant, !comparison.rightExpression.isNullConstant,
      !(isElementConstant && a.isNull)
    {
      return nil
    }
    // All that is known about not-a-number is that it is not nil.
    if a.isNotANumber || b.isNotANumber, !comparison.leftExpression.isNullConstant,
      !comparison.rightExpression.isNullConstant
    {
      return nil
    }
    if !comparison.options.isEmpty, case .text(let text) = a, case .text(let pattern) = b {
      return try comparison.matcher.matcher(
        .equalTo, options: comparison.options, pattern: pattern
      ).matches(text)
    }
    return ValueEquality.areEqual(a, b)
  }

  private func ordered(
    _ left: Any?, _ right: Any?, _ condition: (ComparisonResult) -> Bool
  ) throws -> Bool? {
    let a = scalar(left)
    let b = scalar(right)
    // Check for not-a-number before nil, because a comparison with not-a-number is unknown under
    // both rules, and a comparison with nil only under the store's.
    if a.isNotANumber || b.isNotANumber { return nil }
    if a.isNull || b.isNull { return truthOfNil }
    return condition(try order(a, b, of: left, right))
  }

  /// Returns the order of two values that are not null.
  private func order(
    _ a: Scalar, _ b: Scalar, of left: Any?, _ right: Any?
  ) throws -> ComparisonResult {
    if case .text(let text) = a, case .text(let other) = b {
      return StringMatcher.compare(text, other, options: comparison.options)
    }
    guard let result = ValueOrder.compare(a, b) else {
      throw InvalidPredicateError(
        "\(describe(left)) and \(describe(right)) have no order, in \(comparison)")
    }
    return result
  }

  /// Evaluates LIKE, MATCHES, BEGINSWITH, ENDSWITH, and CONTAINS with text on the left. The result for null is
  /// `truthOfNil`; any other value that is neither text nor a URL is an error, whatever the other side is.
  func matches(_ left: Any?, _ right: Any?) throws -> Bool? {
    let (a, b) = (Scalar(left), Scalar(right))
    let (text, pattern) = (a.matchedText, b.matchedText)
    if let text, let pattern {
      return try comparison.matcher.matcher(
        comparison.predicateOperatorType, options: comparison.options, pattern: pattern
      ).matches(text)
    }
    if text == nil, !a.isNull { throw noText(left) }
    if pattern == nil, !b.isNull { throw noText(right) }
    return truthOfNil
  }

  func noText(_ value: Any?) -> InvalidPredicateError {
    InvalidPredicateError(
      "\(comparison.predicateOperatorType.spelling) compares text, not \(describe(value)), in \(comparison)"
    )
  }

  private func isBetween(_ left: Any?, _ right: Any?) throws -> Bool? {
    // A set has no order, so its lower bound is undefined.
    guard let list = KeyValueCollection(right), !list.isUnordered, list.elements.count == 2 else {
      throw InvalidPredicateError(
        "BETWEEN needs a collection of two values on the right, not \(describe(right)), in \(comparison)"
      )
    }
    let bounds = list.elements
    let isAbove = try ordered(bounds[0], left) { $0 != .orderedDescending }
    let isBelow = try ordered(left, bounds[1]) { $0 != .orderedDescending }
    // As in SQL, the result is false if one bound is not met, even if the comparison with the other is unknown.
    if isAbove == false || isBelow == false { return false }
    return isAbove == nil || isBelow == nil ? nil : true
  }
}

extension NSExpression {
  /// Returns whether the expression is a function, other than a key path that begins at another expression, and its
  /// value is null.
  fileprivate func hasNoResult(_ value: Any?) -> Bool {
    guard case .function(let name, let operand, _) = node, Scalar(value).isNull else {
      return false
    }
    return operand == nil || name != Self.keyPathFunction
  }

  /// Whether the expression is a constant.
  fileprivate var isConstantValue: Bool {
    if case .constant = node { true } else { false }
  }

  /// Whether the expression is the constant nil or `NSNull`.
  package var isNullConstant: Bool {
    if case .constant(let value) = node { Scalar(value).isNull } else { false }
  }
}
