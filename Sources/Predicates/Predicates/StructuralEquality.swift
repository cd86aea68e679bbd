/// Compares the structure of predicates and expressions.
enum StructuralEquality {
  static func areEqual(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
    // The comparison goes no deeper than the shallower tree.
    LargeStack.run(height: min(left.height, right.height)) { haveSameParts(left, right) }
  }

  static func areEqual(_ left: NSExpression, _ right: NSExpression) -> Bool {
    LargeStack.run(height: min(left.height, right.height)) { haveSameParts(left, right) }
  }

  private static func haveSameParts(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
    if left === right { return true }
    switch (left.shape, right.shape) {
    case (.constant(let a), .constant(let b)): return a == b
    case (.comparison(let a), .comparison(let b)):
      return a.predicateOperatorType == b.predicateOperatorType && a.options == b.options
        && a.comparisonPredicateModifier == b.comparisonPredicateModifier
        && a.customSelector == b.customSelector
        && haveSameParts(a.leftExpression, b.leftExpression)
        && haveSameParts(a.rightExpression, b.rightExpression)
    case (.compound(let a, let parts), .compound(let b, let otherParts)):
      return a == b && parts.count == otherParts.count
        && zip(parts, otherParts).allSatisfy { haveSameParts($0, $1) }
    case (.custom, .custom): return left.isEqual(right)
    default: return false
    }
  }

  /// The deepest level that contributes to the hash.
  private static let deepestHashed = 16

  static func hash(of predicate: NSPredicate) -> Int {
    var hasher = Hasher()
    hash(predicate, into: &hasher)
    return hasher.finalize()
  }

  static func hash(_ predicate: NSPredicate, into hasher: inout Hasher, level: Int = 0) {
    // Without the deeper levels, equal predicates still have equal hashes, and the recursion stays shallow.
    if level > deepestHashed { return }
    switch predicate.shape {
    case .constant(let value): hasher.combine(value)
    case .comparison(let comparison):
      hasher.combine(comparison.predicateOperatorType)
      hasher.combine(comparison.options)
      hash(comparison.leftExpression, into: &hasher, level: level + 1)
      hash(comparison.rightExpression, into: &hasher, level: level + 1)
    case .compound(let type, let parts):
      hasher.combine(type)
      for part in parts { hash(part, into: &hasher, level: level + 1) }
    case .block, .custom: hasher.combine(ObjectIdentifier(type(of: predicate)))
    }
  }

  private static func haveSameParts(_ left: NSExpression, _ right: NSExpression) -> Bool {
    if left === right { return true }
    switch (left.node, right.node) {
    case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
    case (.variable(let a), .variable(let b)), (.keyPath(let a), .keyPath(let b)): return a == b
    case (
      .function(let name, let operand, let arguments),
      .function(let otherName, let otherOperand, let otherArguments)
    ):
      return name == otherName && haveSameParts(operand, otherOperand)
        && haveSameParts(arguments, otherArguments)
    case (.set(let a, let left, let right), .set(let b, let otherLeft, let otherRight)):
      return a == b && haveSameParts(left, otherLeft) && haveSameParts(right, otherRight)
    case (
      .subquery(let collection, let variable, let predicate),
      .subquery(let otherCollection, let otherVariable, let otherPredicate)
    ):
      return variable == otherVariable && haveSameParts(collection, otherCollection)
        && haveSameParts(predicate, otherPredicate)
    case (
      .conditional(let predicate, let first, let second),
      .conditional(let otherPredicate, let otherFirst, let otherSecond)
    ):
      return haveSameParts(predicate, otherPredicate) && haveSameParts(first, otherFirst)
        && haveSameParts(second, otherSecond)
    case (.aggregate(let a), .aggregate(let b)): return haveSameParts(a, b)
    case (.constant(let a), .constant(let b)): return ValueEquality.areIdentical(a, b)
    // A constant array prints as a list of constants, which parses as an aggregate.
    case (.aggregate(let elements), .constant(let value)),
      (.constant(let value), .aggregate(let elements)):
      guard let constants = constants(elements) else { return false }
      return ValueEquality.areIdentical(value, constants)
    case (.custom, .custom): return left.isEqual(right)
    default: return false
    }
  }

  private static func haveSameParts(_ left: NSExpression?, _ right: NSExpression?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return haveSameParts(left, right)
  }

  private static func haveSameParts(_ left: [NSExpression], _ right: [NSExpression]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { haveSameParts($0, $1) }
  }

  /// Returns the values of a list that contains only constants; nil for any other list.
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

  static func hash(_ expression: NSExpression, into hasher: inout Hasher, level: Int = 0) {
    if level > deepestHashed { return }
    switch expression.node {
    // The hash of a predicate must not change when an object in it is saved.
    case .constant(is any IdentityComparable): hasher.combine("object")
    case .constant(let value?) where NSExpression.isExpression(value):
      if let inner = value as? NSExpression { hash(inner, into: &hasher, level: level + 1) }
    case .constant(let value?) where type(of: value) is NSPredicate.Type:
      if let inner = value as? NSPredicate { hash(inner, into: &hasher, level: level + 1) }
    case .constant(let value): ValueEquality.hash(value, into: &hasher)
    case .evaluatedObject: hasher.combine("SELF")
    case .variable(let name), .keyPath(let name): hasher.combine(name)
    case .function(let name, let operand, let arguments):
      hasher.combine(name)
      if let operand { hash(operand, into: &hasher, level: level + 1) }
      for argument in arguments { hash(argument, into: &hasher, level: level + 1) }
    case .set(let operation, let left, let right):
      hasher.combine(operation)
      hash(left, into: &hasher, level: level + 1)
      hash(right, into: &hasher, level: level + 1)
    case .subquery(let collection, let variable, let predicate):
      hash(collection, into: &hasher, level: level + 1)
      hasher.combine(variable)
      hash(predicate, into: &hasher, level: level + 1)
    case .conditional(let predicate, let first, let second):
      hash(predicate, into: &hasher, level: level + 1)
      hash(first, into: &hasher, level: level + 1)
      hash(second, into: &hasher, level: level + 1)
    case .aggregate(let elements):
      // A constant array may equal this list, so both have the same hash.
      ValueEquality.hashCollection(count: elements.count, into: &hasher)
    case .anyKey, .block, .custom: hasher.combine(expression.expressionType)
    }
  }
}
