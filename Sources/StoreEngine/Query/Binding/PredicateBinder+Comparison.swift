extension PredicateBinder {
  /// One side of a comparison: a constant, whose type depends on the other side, a value of the row, or a composite
  /// attribute.
  package enum Operand {
    case constant(Any?)
    case bound(BoundExpression)
    case composite(BoundComposite)

    /// The side itself, if string operators can match it: a string, or the string of a URI.
    package var text: Operand? {
      switch self {
      case .constant(let value): Scalar(value).matchedText == nil ? nil : self
      case .bound(let expression): expression.kind.isMatched ? self : nil
      case .composite: nil
      }
    }
  }

  /// Returns an expression as one side of a comparison.
  ///
  /// - Throws: `NSCoreDataError` if the expression has several values, or cannot be resolved.
  package func operand(_ expression: NSExpression) throws -> Operand {
    if let constant = try constantValue(expression) { return .constant(constant.value) }
    switch try resolve(expression) {
    case .single(let bound): return .bound(bound)
    case .composite(let composite): return .composite(composite)
    case .collection(let members, _):
      throw CoreDataError.badRequest(
        "to-many key not allowed here: \(members.collection.name) in \(expression)"
          + " (write ANY, ALL or NONE before it, or @count after it)")
    case .values:
      throw CoreDataError.badRequest(
        "\(expression) has many values (write ANY, ALL or NONE before it)")
    case .list:
      throw CoreDataError.badRequest("a list cannot be compared: \(expression)")
    }
  }

  /// Returns two sides as expressions. A constant is converted to the type of the other side, unless that is a
  /// constant, too.
  package func pair(
    _ left: Operand, _ right: Operand, _ comparison: NSComparisonPredicate
  ) throws -> (BoundExpression, BoundExpression) {
    func text() -> String { comparison.predicateFormat }
    switch (left, right) {
    case (.bound(let a), .bound(let b)): return (a, b)
    case (.bound(let a), .constant(let b)):
      return (a, try conversion.constant(b, like: a, text()))
    case (.constant(let a), .bound(let b)):
      return (try conversion.constant(a, like: b, text()), b)
    case (.constant(let a), .constant(let b)):
      return (try conversion.constant(a, text()), try conversion.constant(b, text()))
    case (.composite(let composite), _), (_, .composite(let composite)): throw composite.refusal
    }
  }

  /// Returns a comparison with a resolved left side.
  package func compare(_ left: Operand, _ comparison: NSComparisonPredicate) throws
    -> BoundPredicate
  {
    switch left {
    case .bound(.entityName(let path)):
      guard let constant = try constantValue(comparison.rightExpression) else { break }
      return try entityCondition(path, constant.value, comparison)
    case .bound(.entity(let path)):
      switch comparison.predicateOperatorType {
      case .equalTo, .notEqualTo, .in:
        guard let constant = try constantValue(comparison.rightExpression) else { break }
        return try entityCondition(path, constant.value, comparison)
      default:
        throw CoreDataError.badRequest(
          "an entity has no order and is not a string; compare entity.name: \(comparison.predicateFormat)"
        )
      }
    default: break
    }
    switch comparison.predicateOperatorType {
    case .equalTo, .notEqualTo:
      let right = try operand(comparison.rightExpression)
      if let truth = try compositeEquality(left, right, comparison) { return truth }
      let (a, b) = try pair(left, right, comparison)
      return try equality(a, b, comparison)
    case .lessThan: return try order(left, .less, comparison)
    case .lessThanOrEqualTo: return try order(left, .lessOrEqual, comparison)
    case .greaterThan: return try order(left, .greater, comparison)
    case .greaterThanOrEqualTo: return try order(left, .greaterOrEqual, comparison)
    case .between: return try between(left, comparison)
    case .in: return try membership(of: left, in: comparison.rightExpression, comparison)
    case .contains, .beginsWith, .endsWith, .like, .matches: return try match(left, comparison)
    case .customSelector:
      throw CoreDataError.badRequest(
        "a custom selector cannot be used in a fetch request: \(comparison.predicateFormat)")
    @unknown default:
      throw CoreDataError.badRequest("unknown operator in \(comparison.predicateFormat)")
    }
  }

  private func equality(
    _ left: BoundExpression, _ right: BoundExpression, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    let isNegated = comparison.predicateOperatorType == .notEqualTo
    if right.isNullConstant, comparison.rightExpression.isNullConstant {
      return isNegated ? .not(.isNull(left)) : .isNull(left)
    }
    // With ANY and ALL, a constant as the left side is an element of the list on the left of the comparison.
    if left.isNullConstant,
      comparison.leftExpression.isNullConstant || comparison.comparisonPredicateModifier != .direct
    {
      return isNegated ? .not(.isNull(right)) : .isNull(right)
    }
    // The constant result of a function may be NULL. Unlike a literal nil, it makes the comparison unknown.
    let isEqual: BoundPredicate =
      left.isNullConstant || right.isNullConstant
      ? .compare(left, .equal, right) : try self.isEqual(left, right, comparison)
    guard isNegated else { return isEqual }
    // This is equal to NOT (a = b), even for NULL, but it is shorter, and `EqualityLists`
    // recognizes it.
    if case .compare(let a, .equal, let b) = isEqual { return .compare(a, .notEqual, b) }
    return .not(isEqual)
  }

  /// Returns `==`, with the options of the comparison if both sides are strings.
  package func isEqual(
    _ left: BoundExpression, _ right: BoundExpression, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    try check(left, right, comparison)
    if !comparison.options.isEmpty, left.kind == .text, right.kind == .text {
      return try matching(left, .equalTo, right, comparison.options)
    }
    return .compare(left, .equal, right)
  }

  private func order(
    _ left: Operand, _ type: BoundPredicate.Comparison, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    let (a, b) = try pair(left, try operand(comparison.rightExpression), comparison)
    try checkOrder(a, b, comparison)
    if !comparison.options.isEmpty, a.kind == .text, b.kind == .text {
      return try matching(a, comparison.predicateOperatorType, b, comparison.options)
    }
    return .compare(a, type, b)
  }

  private func between(
    _ left: Operand, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    let isUnordered = try constantValue(comparison.rightExpression).map {
      KeyValueCollection($0.value)?.isUnordered ?? true
    }
    // A set has no order, so neither of its values is the lower bound.
    guard isUnordered != true, let bounds = try elements(comparison.rightExpression),
      bounds.count == 2
    else {
      throw CoreDataError.badRequest(
        "BETWEEN requires a list of two bounds: \(comparison.predicateFormat)")
    }
    // A constant on the left gets the type of a bound, and constant bounds get the type of the left side.
    var value = left
    if case .constant(let constant) = left,
      case .bound(let bound)? = bounds.first(where: { if case .bound = $0 { true } else { false } })
    {
      value = .bound(try conversion.constant(constant, like: bound, comparison.predicateFormat))
    }
    let (a, low) = try pair(value, bounds[0], comparison)
    let (_, high) = try pair(value, bounds[1], comparison)
    for bound in [low, high] { try checkOrder(a, bound, comparison, allowsNull: true) }
    if !comparison.options.isEmpty, a.kind == .text {
      return .and([
        try matching(a, .greaterThanOrEqualTo, low, comparison.options),
        try matching(a, .lessThanOrEqualTo, high, comparison.options),
      ])
    }
    return .between(a, low, high)
  }

  /// Returns the members of a list literal or of a constant collection; nil for another expression.
  package func elements(_ expression: NSExpression) throws -> [Operand]? {
    if let constant = try constantValue(expression) {
      return ConstantConversion.members(of: constant.value)?.map { .constant($0) }
    }
    guard case .aggregate(let elements) = expression.node else { return nil }
    return try elements.map(operand)
  }

  // MARK: Strings

  package func match(_ left: Operand, _ comparison: NSComparisonPredicate) throws -> BoundPredicate
  {
    let a = try matched(left, comparison)
    let b = try matched(try operand(comparison.rightExpression), comparison)
    for side in [a, b] where side.isNullConstant {
      throw CoreDataError.badRequest("Invalid predicate: nil in \(comparison.predicateFormat)")
    }
    return try matching(a, comparison.predicateOperatorType, b, comparison.options)
  }

  /// Returns a side that a string operator matches, without conversion: a number is not a string, whatever the other
  /// side is.
  package func matched(
    _ side: Operand, _ comparison: NSComparisonPredicate
  ) throws -> BoundExpression {
    let bound: BoundExpression =
      switch side {
      case .bound(let bound): bound
      case .constant(let value):
        try conversion.constant(value, comparison.predicateFormat)
      case .composite(let composite): throw composite.refusal
      }
    var isText = bound.kind.isMatched || bound.isNullConstant
    // An entity constant is stored as its name, but it is not a string.
    if case .constant(let value) = side, value is NSEntityDescription { isText = false }
    guard isText else {
      throw CoreDataError.badRequest(
        "\(comparison.predicateFormat): this operator compares strings, and \(bound.subject)"
          + " is not a string")
    }
    return bound
  }

  package func matching(
    _ left: BoundExpression, _ type: NSComparisonPredicate.Operator, _ right: BoundExpression,
    _ options: NSComparisonPredicate.Options
  ) throws -> BoundPredicate {
    if case .constant(let value, _) = right, let pattern = value.matchedText {
      do {
        return .match(left, try StringPattern(type, options: options, pattern: pattern))
      } catch {
        throw CoreDataError.make(NSCoreDataError, "\(error.localizedDescription)", cause: error)
      }
    }
    return .matchValues(left, type, right, options)
  }

  // MARK: Checks

  /// Throws an error if the types of two sides cannot be compared.
  package func check(
    _ left: BoundExpression, _ right: BoundExpression, _ comparison: NSComparisonPredicate
  ) throws {
    if left.isEntity && right.isEntityOrName || right.isEntity && left.isEntityOrName { return }
    for side in [left, right] where side.kind == .opaque {
      throw CoreDataError.badRequest(
        "\(side.subject) is stored in a form that a store cannot interpret; it can only be compared with nil:"
          + " \(comparison.predicateFormat)")
    }
    guard left.kind.isComparable(to: right.kind) else {
      throw CoreDataError.badRequest(
        "\(left.subject) cannot be compared with \(right.subject) in \(comparison.predicateFormat)")
    }
  }

  private func checkOrder(
    _ left: BoundExpression, _ right: BoundExpression, _ comparison: NSComparisonPredicate,
    allowsNull: Bool = false
  ) throws {
    for side in [left, right] {
      if side.isNullConstant, !allowsNull {
        throw CoreDataError.badRequest("Invalid predicate: nil in \(comparison.predicateFormat)")
      }
      if side.isEntity {
        throw CoreDataError.badRequest(
          "an entity has no order; compare entity.name: \(comparison.predicateFormat)")
      }
      if case .object = side.kind {
        throw CoreDataError.badRequest(
          "objects have no order: \(side.subject) in \(comparison.predicateFormat)")
      }
    }
    try check(left, right, comparison)
  }
}

extension BoundExpression {
  /// Whether the expression can be an entity: the entity of a row, the name of one as a constant, or nil.
  fileprivate var isEntityOrName: Bool { isEntity || isNullConstant || isConstant && kind == .text }
}
