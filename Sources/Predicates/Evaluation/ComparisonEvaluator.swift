import Foundation

/// Evaluates one comparison.
struct ComparisonEvaluator {
  private let comparison: NSComparisonPredicate
  private let evaluation: Evaluation

  init(_ comparison: NSComparisonPredicate, _ evaluation: Evaluation) {
    self.comparison = comparison
    self.evaluation = evaluation
  }

  func holds(for object: Any?) throws -> Bool {
    let left = try comparison.leftExpression.value(with: object, in: evaluation)
    let right = try comparison.rightExpression.value(with: object, in: evaluation)
    if let selector = comparison.customSelector {
      return try SelectorComparison.holds(selector, left, right)
    }
    switch comparison.comparisonPredicateModifier {
    case .direct: return try compare(left, right)
    case .all: return try elements(of: left).allSatisfy { try compare($0, right) }
    case .any: return try elements(of: left).contains { try compare($0, right) }
    }
  }

  /// The elements that ANY and ALL speak of; of a path through several collections all at its
  /// end, and of nil none.
  private func elements(of value: Any?) throws -> [Any] {
    if Scalar(value).isNull { return [] }
    guard let collection = KeyValueCollection(value) else {
      throw InvalidPredicateError(
        "the left side of ALL or ANY must be a collection, not \(describe(value)), in \(comparison)"
      )
    }
    return collection.flattened
  }

  private func compare(_ left: Any?, _ right: Any?) throws -> Bool {
    let options = comparison.options
    switch comparison.predicateOperatorType {
    case .equalTo: return try areEqual(left, right)
    case .notEqualTo: return try !areEqual(left, right)
    case .lessThan: return try order(left, right).map { $0 == .orderedAscending } ?? false
    case .lessThanOrEqualTo: return try order(left, right).map { $0 != .orderedDescending } ?? false
    case .greaterThan: return try order(left, right).map { $0 == .orderedDescending } ?? false
    case .greaterThanOrEqualTo:
      return try order(left, right).map { $0 != .orderedAscending } ?? false
    case .matches, .like, .beginsWith, .endsWith: return try matches(left, right)
    case .contains:
      if case .text = Scalar(left) { return try matches(left, right) }
      return try isElement(right, of: left, other: right, options)
    case .in:
      if case .text(let text) = Scalar(right) {
        guard case .text(let pattern) = Scalar(left) else {
          return try mismatch(left, right)
        }
        return try StringMatcher(.contains, options: options, pattern: pattern).matches(text)
      }
      return try isElement(left, of: right, other: left, options)
    case .between: return try isBetween(left, right)
    case .customSelector: return false
    }
  }

  private func areEqual(_ left: Any?, _ right: Any?) throws -> Bool {
    let left = Scalar(left)
    let right = Scalar(right)
    if !comparison.options.isEmpty, case .text(let text) = left, case .text(let pattern) = right {
      return try comparison.matcher.matcher(
        .equalTo, options: comparison.options, pattern: pattern
      ).matches(text)
    }
    return ValueEquality.areEqual(left, right)
  }

  /// The order of two values; nil where one of them is null, which has no order.
  private func order(_ left: Any?, _ right: Any?) throws -> ComparisonResult? {
    let a = Scalar(left)
    let b = Scalar(right)
    if a.isNull || b.isNull { return nil }
    if case .text(let text) = a, case .text(let other) = b {
      return StringMatcher.compare(text, other, options: comparison.options)
    }
    guard let result = ValueOrder.compare(a, b) else {
      throw InvalidPredicateError(
        "\(describe(left)) and \(describe(right)) have no order, in \(comparison)")
    }
    return result
  }

  private func matches(_ left: Any?, _ right: Any?) throws -> Bool {
    switch (Scalar(left), Scalar(right)) {
    case (.text(let text), .text(let pattern)):
      return try comparison.matcher.matcher(
        comparison.predicateOperatorType, options: comparison.options, pattern: pattern
      ).matches(text)
    default: return try mismatch(left, right)
    }
  }

  /// Nothing compares with null; anything else that is no text is a mistake.
  private func mismatch(_ left: Any?, _ right: Any?) throws -> Bool {
    if Scalar(left).isNull || Scalar(right).isNull { return false }
    let stranger = if case .text = Scalar(left) { right } else { left }
    throw InvalidPredicateError(
      "\(comparison.predicateOperatorType.spelling) compares text, not \(describe(stranger)), in \(comparison)"
    )
  }

  private func isElement(
    _ value: Any?, of collection: Any?, other: Any?, _ options: NSComparisonPredicate.Options
  ) throws -> Bool {
    if Scalar(collection).isNull { return false }
    guard
      let elements = KeyValueCollection(collection)?.elements
        ?? KeyValueCollection.dictionary(collection).map({ Array($0.values) })
    else {
      throw InvalidPredicateError(
        "Can't use in/contains operator with collection \(describe(collection)) (not a collection), in \(comparison)"
      )
    }
    let scalar = Scalar(value)
    if !options.isEmpty, case .text(let pattern) = scalar {
      let matcher = try StringMatcher(.equalTo, options: options, pattern: pattern)
      return elements.contains { element in
        if case .text(let text) = Scalar(element) { return matcher.matches(text) }
        return false
      }
    }
    return elements.contains { ValueEquality.areEqual(Scalar($0), scalar) }
  }

  private func isBetween(_ left: Any?, _ right: Any?) throws -> Bool {
    guard let bounds = KeyValueCollection(right)?.elements, bounds.count == 2 else {
      throw InvalidPredicateError(
        "BETWEEN needs a collection of two values on the right, not \(describe(right)), in \(comparison)"
      )
    }
    guard let low = try order(bounds[0], left), let high = try order(left, bounds[1]) else {
      return false
    }
    return low != .orderedDescending && high != .orderedDescending
  }
}
