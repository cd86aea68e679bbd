import Foundation

/// Whether predicates and expressions have the same structure.
enum StructuralEquality {
  /// Compounds are walked with a list, not by recursion: code may nest them to any depth.
  static func areEqual(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
    if left === right { return true }
    var open: [(NSPredicate, NSPredicate)] = [(left, right)]
    while let (left, right) = open.popLast() {
      if left === right { continue }
      switch (left.shape, right.shape) {
      case (.constant(let a), .constant(let b)):
        guard a == b else { return false }
      case (.comparison(let a), .comparison(let b)):
        guard areEqual(a, b) else { return false }
      case (.compound(let a, let parts), .compound(let b, let otherParts)):
        guard a == b, parts.count == otherParts.count else { return false }
        open += zip(parts, otherParts)
      case (.custom, .custom):
        guard left.isEqual(right) else { return false }
      default: return false
      }
    }
    return true
  }

  private static func areEqual(_ a: NSComparisonPredicate, _ b: NSComparisonPredicate) -> Bool {
    a.predicateOperatorType == b.predicateOperatorType && a.options == b.options
      && a.comparisonPredicateModifier == b.comparisonPredicateModifier
      && a.customSelector == b.customSelector
      && areEqual(a.leftExpression, b.leftExpression)
      && areEqual(a.rightExpression, b.rightExpression)
  }

  static func hash(of predicate: NSPredicate) -> Int {
    var hasher = Hasher()
    hash(predicate, into: &hasher)
    return hasher.finalize()
  }

  static func hash(_ predicate: NSPredicate, into hasher: inout Hasher) {
    var open = [predicate]
    while let predicate = open.popLast() {
      switch predicate.shape {
      case .constant(let value): hasher.combine(value)
      case .comparison(let comparison):
        hasher.combine(comparison.predicateOperatorType)
        hasher.combine(comparison.options)
        hash(comparison.leftExpression, into: &hasher)
        hash(comparison.rightExpression, into: &hasher)
      case .compound(let type, let parts):
        hasher.combine(type)
        open += parts
      case .block, .custom: hasher.combine(ObjectIdentifier(Swift.type(of: predicate)))
      }
    }
  }

  static func areEqual(_ left: NSExpression, _ right: NSExpression) -> Bool {
    if left === right { return true }
    switch (left.node, right.node) {
    case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
    case (.variable(let a), .variable(let b)), (.keyPath(let a), .keyPath(let b)): return a == b
    case (
      .function(let name, let operand, let arguments),
      .function(let otherName, let otherOperand, let otherArguments)
    ):
      return name == otherName && areEqual(operand, otherOperand)
        && areEqual(arguments, otherArguments)
    case (.set(let a, let left, let right), .set(let b, let otherLeft, let otherRight)):
      return a == b && areEqual(left, otherLeft) && areEqual(right, otherRight)
    case (
      .subquery(let collection, let variable, let predicate),
      .subquery(let otherCollection, let otherVariable, let otherPredicate)
    ):
      return variable == otherVariable && areEqual(collection, otherCollection)
        && areEqual(predicate, otherPredicate)
    case (
      .conditional(let predicate, let first, let second),
      .conditional(let otherPredicate, let otherFirst, let otherSecond)
    ):
      return areEqual(predicate, otherPredicate) && areEqual(first, otherFirst)
        && areEqual(second, otherSecond)
    case (.aggregate(let a), .aggregate(let b)): return areEqual(a, b)
    case (.constant(let a), .constant(let b)): return ValueEquality.areIdentical(a, b)
    // A list of constants is what a constant array prints as.
    case (.aggregate(let elements), .constant(let value)),
      (.constant(let value), .aggregate(let elements)):
      guard let constants = constants(elements) else { return false }
      return ValueEquality.areIdentical(value, constants)
    case (.custom, .custom): return left.isEqual(right)
    default: return false
    }
  }

  private static func areEqual(_ left: NSExpression?, _ right: NSExpression?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return areEqual(left, right)
  }

  private static func areEqual(_ left: [NSExpression], _ right: [NSExpression]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
  }

  /// The values of a list that has nothing but constants.
  private static func constants(_ elements: [NSExpression]) -> [Any?]? {
    var values: [Any?] = []
    for element in elements {
      switch element.node {
      case .constant(let value): values.append(value)
      case .aggregate(let inner):
        guard let values_ = constants(inner) else { return nil }
        values.append(values_)
      default: return nil
      }
    }
    return values
  }

  static func hash(_ expression: NSExpression, into hasher: inout Hasher) {
    switch expression.node {
    case .constant(let value): ValueEquality.hash(value, into: &hasher)
    case .evaluatedObject: hasher.combine("SELF")
    case .variable(let name), .keyPath(let name): hasher.combine(name)
    case .function(let name, let operand, let arguments):
      hasher.combine(name)
      if let operand { hash(operand, into: &hasher) }
      for argument in arguments { hash(argument, into: &hasher) }
    case .set(let operation, let left, let right):
      hasher.combine(operation)
      hash(left, into: &hasher)
      hash(right, into: &hasher)
    case .subquery(let collection, let variable, let predicate):
      hash(collection, into: &hasher)
      hasher.combine(variable)
      hash(predicate, into: &hasher)
    case .conditional(let predicate, let first, let second):
      hash(predicate, into: &hasher)
      hash(first, into: &hasher)
      hash(second, into: &hasher)
    case .aggregate(let elements):
      ValueEquality.hashCollection(count: elements.count, into: &hasher)
    case .anyKey, .block, .custom: hasher.combine(expression.expressionType)
    }
  }
}
