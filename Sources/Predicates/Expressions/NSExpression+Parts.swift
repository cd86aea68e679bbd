extension NSExpression {
  /// The kind of the expression.
  ///
  /// ```swift
  /// let predicate = NSPredicate(format: "age >= 18") as? NSComparisonPredicate
  /// print(predicate?.leftExpression.expressionType == .keyPath)  // true
  /// ```
  public var expressionType: ExpressionType {
    switch node {
    case .constant: .constantValue
    case .evaluatedObject: .evaluatedObject
    case .variable: .variable
    case .keyPath: .keyPath
    case .function: .function
    case .set(.union, _, _): .unionSet
    case .set(.intersect, _, _): .intersectSet
    case .set(.minus, _, _): .minusSet
    case .subquery: .subquery
    case .aggregate: .aggregate
    case .anyKey: .anyKey
    case .block: .block
    case .conditional: .conditional
    case .custom(let type): type
    }
  }

  /// The value of a constant; nil for the null constant.
  ///
  /// A number is an `NSNumber`, which casts to every Swift type that can represent it: `as? Int`,
  /// `as? Double`, `as? Bool`. The numbers in a collection are converted too, so reading it takes time
  /// proportional to its length.
  ///
  /// ```swift
  /// let predicate = NSPredicate(format: "age >= 18") as? NSComparisonPredicate
  /// print(predicate?.rightExpression.constantValue as? Int ?? 0)  // 18
  /// ```
  public var constantValue: Any? {
    guard case .constant(let value) = node else { doesNotApply("constantValue") }
    return BridgedValue.bridged(value)
  }

  /// The key path with all its components. For a key path that begins at another expression
  /// (`$x.name`), the part after that expression.
  public var keyPath: String {
    if case .keyPath(let path) = node { return path }
    if let part = operandKeyPath { return part.keyPath }
    doesNotApply("keyPath")
  }

  /// The name of a function, with its colons: `"from:subtract:"`.
  ///
  /// ```swift
  /// print(NSExpression(format: "sum:(players.age)").function)  // sum:
  /// ```
  public var function: String {
    guard case .function(let name, _, _) = node else { doesNotApply("function") }
    return name
  }

  /// The name of a variable, or of a subquery's variable, without the dollar sign.
  ///
  /// ```swift
  /// print(NSExpression(format: "$AGE").variable)  // AGE
  /// ```
  public var variable: String {
    switch node {
    case .variable(let name), .subquery(_, let name, _): name
    default: doesNotApply("variable")
    }
  }

  /// The expression on which a function is called; the evaluated object for a key path.
  ///
  /// Compared to Apple's Core Data: Apple's operand of a predefined function is a constant that contains a private
  /// class. Here, the operand of such a function is the evaluated object, and has no meaning.
  public var operand: NSExpression {
    switch node {
    case .function(_, let operand, _): operand ?? .expressionForEvaluatedObject()
    case .keyPath: .expressionForEvaluatedObject()
    default: doesNotApply("operand")
    }
  }

  /// The arguments of a function or block.
  public var arguments: [NSExpression]? {
    switch node {
    case .function(_, _, let arguments), .block(_, let arguments): arguments
    default: doesNotApply("arguments")
    }
  }

  /// The expressions of a list as `[NSExpression]`, or the collection of a subquery as an
  /// `NSExpression`.
  public var collection: Any {
    switch node {
    case .aggregate(let elements): elements
    case .subquery(let collection, _, _): collection
    default: doesNotApply("collection")
    }
  }

  /// The predicate of a subquery or conditional.
  public var predicate: NSPredicate {
    switch node {
    case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
    default: doesNotApply("predicate")
    }
  }

  /// The left side of a set expression.
  public var left: NSExpression {
    guard case .set(_, let left, _) = node else { doesNotApply("left") }
    return left
  }

  /// The right side of a set expression.
  public var right: NSExpression {
    guard case .set(_, _, let right) = node else { doesNotApply("right") }
    return right
  }

  /// The expression that a conditional evaluates if its predicate is true.
  public var `true`: NSExpression {
    guard case .conditional(_, let expression, _) = node else { doesNotApply("true") }
    return expression
  }

  /// The expression that a conditional evaluates if its predicate is false.
  public var `false`: NSExpression {
    guard case .conditional(_, _, let expression) = node else { doesNotApply("false") }
    return expression
  }

  /// The code of a block expression.
  public var expressionBlock: Block {
    guard case .block(let block, _) = node else { doesNotApply("expressionBlock") }
    return block
  }

  private func doesNotApply(_ part: String) -> Never {
    stopProgram(
      "\(part) does not apply to the expression \(self) of type \(expressionType)")
  }
}

extension NSExpression {
  /// The name of a variable; nil for any other expression.
  var variableName: String? {
    if case .variable(let name) = node { name } else { nil }
  }
}
