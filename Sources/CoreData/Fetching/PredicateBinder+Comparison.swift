import Foundation
import ObjectModel
import Predicates

extension PredicateBinder {
  /// One comparison, its left side already bound.
  func compare(
    _ left: BoundExpression, _ comparison: NSComparisonPredicate, with right: NSExpression
  ) throws -> BoundPredicate {
    let options = comparison.options
    switch comparison.predicateOperatorType {
    case .equalTo: return try equality(left, comparison, right, negated: false)
    case .notEqualTo: return try equality(left, comparison, right, negated: true)
    case .lessThan: return try order(left, .less, comparison, right)
    case .lessThanOrEqualTo: return try order(left, .lessOrEqual, comparison, right)
    case .greaterThan: return try order(left, .greater, comparison, right)
    case .greaterThanOrEqualTo: return try order(left, .greaterOrEqual, comparison, right)
    case .between:
      let bounds = try constants(right, like: left, comparison)
      guard bounds.count == 2 else {
        throw CoreDataError.badRequest(
          "BETWEEN needs two bounds, here are \(bounds.count): \(comparison.predicateFormat)")
      }
      return .between(left, bounds[0], bounds[1])
    case .in:
      // A string on the right: whether the left one is part of it.
      if left.isText, case .single(let container) = try resolve(right), container.isText {
        return .matchValues(container, .contains, left, options)
      }
      return try among(left, comparison, right)
    case .contains, .beginsWith, .endsWith, .like, .matches:
      return try match(left, comparison, right)
    case .customSelector:
      throw CoreDataError.badRequest(
        "a custom selector cannot be fetched with: \(comparison.predicateFormat)")
    @unknown default:
      throw CoreDataError.badRequest("unknown operator in \(comparison.predicateFormat)")
    }
  }

  private func equality(
    _ left: BoundExpression, _ comparison: NSComparisonPredicate, _ right: NSExpression,
    negated: Bool
  ) throws -> BoundPredicate {
    let other = try operand(right, like: left, comparison)
    if case .constant(.null) = other {
      return negated ? .not(.isNull(left)) : .isNull(left)
    }
    if case .constant(.null) = left {
      return negated ? .not(.isNull(other)) : .isNull(other)
    }
    if !comparison.options.isEmpty, left.isText || other.isText {
      let match = try matching(left, .equalTo, other, comparison.options)
      return negated ? .not(match) : match
    }
    return .compare(left, negated ? .notEqual : .equal, other)
  }

  private func order(
    _ left: BoundExpression, _ type: BoundPredicate.Comparison,
    _ comparison: NSComparisonPredicate, _ right: NSExpression
  ) throws -> BoundPredicate {
    let other = try operand(right, like: left, comparison)
    for side in [left, other] {
      if case .constant(.null) = side {
        throw CoreDataError.badRequest("Invalid predicate: nil in \(comparison.predicateFormat)")
      }
      if case .property(let path) = side, path.destination != nil {
        throw CoreDataError.badRequest(
          "objects have no order: \(path.text) in \(comparison.predicateFormat)")
      }
    }
    if !comparison.options.isEmpty, left.isText || other.isText {
      return try matching(left, comparison.predicateOperatorType, other, comparison.options)
    }
    return .compare(left, type, other)
  }

  private func among(
    _ left: BoundExpression, _ comparison: NSComparisonPredicate, _ right: NSExpression
  ) throws -> BoundPredicate {
    let values = try constants(right, like: left, comparison)
    if !comparison.options.isEmpty, left.isText {
      return .or(try values.map { try matching(left, .equalTo, $0, comparison.options) })
    }
    var constants: [StoredValue] = []
    var others: [BoundPredicate] = []
    for value in values {
      switch value {
      case .constant(.null): others.append(.isNull(left))
      case .constant(let constant): constants.append(constant)
      default: others.append(.compare(left, .equal, value))
      }
    }
    let list = BoundPredicate.among(left, constants)
    return others.isEmpty ? list : .or([list] + others)
  }

  private func match(
    _ left: BoundExpression, _ comparison: NSComparisonPredicate, _ right: NSExpression
  ) throws -> BoundPredicate {
    let other = try operand(right, like: nil, comparison)
    for side in [left, other] where !side.isText {
      if case .constant(.null) = side {
        throw CoreDataError.badRequest("Invalid predicate: nil in \(comparison.predicateFormat)")
      }
      throw CoreDataError.badRequest(
        "\(comparison.predicateFormat): this operator compares strings, and \(side.kindOfValue)"
          + " is none")
    }
    return try matching(left, comparison.predicateOperatorType, other, comparison.options)
  }

  private func matching(
    _ left: BoundExpression, _ type: NSComparisonPredicate.Operator, _ right: BoundExpression,
    _ options: NSComparisonPredicate.Options
  ) throws -> BoundPredicate {
    if case .constant(let value) = right, let pattern = value.matchedText {
      do {
        return .match(left, try StringPattern(type, options: options, pattern: pattern))
      } catch {
        throw CoreDataError.make(NSCoreDataError, "\(error.localizedDescription)", cause: error)
      }
    }
    return .matchValues(left, type, right, options)
  }

  /// The right side of a comparison: a value of the row, or a constant in the left side's form.
  func operand(
    _ expression: NSExpression, like left: BoundExpression?, _ comparison: NSComparisonPredicate
  ) throws -> BoundExpression {
    if let constant = try constantValue(expression) {
      return .constant(try convert(constant.value, like: left, comparison.predicateFormat))
    }
    switch try resolve(expression) {
    case .single(let bound):
      return bound
    case .collection(let collection, _):
      throw CoreDataError.badRequest(
        "to-many key not allowed here: \(collection.owner.end.slots[collection.slot].name)"
          + " in \(comparison.predicateFormat)")
    }
  }

  /// The members of the right side of IN or BETWEEN.
  private func constants(
    _ expression: NSExpression, like left: BoundExpression, _ comparison: NSComparisonPredicate
  ) throws -> [BoundExpression] {
    if expression.expressionType == .aggregate,
      let members = expression.collection as? [NSExpression]
    {
      return try members.map { try operand($0, like: left, comparison) }
    }
    guard let constant = try constantValue(expression) else {
      throw CoreDataError.badRequest(
        "the right side must be a collection of values: \(comparison.predicateFormat)")
    }
    guard let values = ConstantConversion.members(of: constant.value) else {
      throw CoreDataError.badRequest(
        "Can't use in/contains operator with collection \(constant.value ?? "nil") (not a"
          + " collection): \(comparison.predicateFormat)")
    }
    return try values.map { value in
      if let expression = value as? NSExpression {
        return try operand(expression, like: left, comparison)
      }
      return .constant(try convert(value, like: left, comparison.predicateFormat))
    }
  }
}

extension BoundExpression {
  /// Whether the value is text.
  var isText: Bool {
    switch self {
    case .constant(.text), .constant(.uri): true
    case .property(let path):
      path.attribute?.storage == .string || path.attribute?.storage == .uri
    case .function(.uppercase, _), .function(.lowercase, _): true
    case .aggregate(let aggregate, _, let path):
      (aggregate == .min || aggregate == .max) && path.attribute?.storage == .string
    default: false
    }
  }

  /// What the expression is, for a message.
  var kindOfValue: String {
    switch self {
    case .property(let path): path.text
    case .constant(let value): "the constant \(value)"
    case .count: "a count"
    default: "a number"
    }
  }
}
