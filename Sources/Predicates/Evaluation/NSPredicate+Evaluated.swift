extension NSPredicate {
  /// Returns whether the predicate holds for an object.
  ///
  /// `evaluate(with:)` takes what cannot be evaluated for false and logs the reason; use this
  /// method for predicates that a user typed.
  ///
  /// - Throws: an ``InvalidPredicateError`` for an unknown key, a variable without a value, values
  ///   that cannot be compared, or a pattern of MATCHES that is invalid or takes longer than
  ///   ``matchingTimeLimit``.
  ///
  /// Compared to Apple's Core Data: new. There, `evaluate(with:)` raises an exception.
  public func evaluated(with object: Any?) throws -> Bool {
    try evaluated(with: object, variables: nil, nilRule: .foundation)
  }

  /// Returns whether the predicate holds for an object, with values for the variables.
  ///
  /// - Throws: as ``evaluated(with:)``.
  ///
  /// Compared to Apple's Core Data: new.
  public func evaluated(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) throws -> Bool {
    try evaluated(with: object, variables: bindings, nilRule: .foundation)
  }

  /// Whether the predicate holds; what cannot be evaluated does not, and is logged.
  func holdsOrLogs(for object: Any?, variables: [String: Any]?) -> Bool {
    do {
      return try evaluated(with: object, variables: variables, nilRule: .foundation)
    } catch {
      EvaluationLog.record(error, of: description)
      return false
    }
  }
}

extension NSExpression {
  /// Returns the expression's value for an object, numbers as `NSNumber`.
  ///
  /// The context holds the values of variables by name, and is passed to block expressions.
  ///
  /// - Throws: an ``InvalidPredicateError`` for an unknown key, a variable without a value, or
  ///   values that a function does not take.
  ///
  /// Compared to Apple's Core Data: new. There, `expressionValue(with:context:)` raises an
  /// exception.
  public func evaluated(with object: Any?, context: NSMutableDictionary?) throws -> Any? {
    BridgedValue.bridged(try value(with: object, context: context))
  }
}
