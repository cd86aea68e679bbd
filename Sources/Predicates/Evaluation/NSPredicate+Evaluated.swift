extension NSPredicate {
  /// Returns whether the predicate is true for an object.
  ///
  /// `evaluate(with:)` returns false for an evaluation that fails, and logs the reason. For predicates
  /// typed by a user, use this method.
  ///
  /// - Throws: An ``InvalidPredicateError`` for an unknown key, a variable without a value, values of a type that an
  ///   operator or a function does not accept, expressions that nest too deeply, or a MATCHES pattern that is invalid
  ///   or takes too long to match (``matchingTimeLimit``). Also the errors of the object's own properties, and of an
  ///   ``NSFetchRequestExpression``.
  ///
  /// Compared to Apple's Core Data: new. Apple's `evaluate(with:)` raises an exception.
  ///
  /// ```swift
  /// let predicate = try NSPredicate(validating: "age >= 18")
  /// print(try predicate.evaluated(with: person))  // true
  /// ```
  public func evaluated(with object: Any?) throws -> Bool {
    try evaluated(with: object, variables: nil, nilRule: .foundation)
  }

  /// Returns whether the predicate is true for an object, with values for the variables.
  ///
  /// - Throws: The same errors as ``evaluated(with:)``.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// ```swift
  /// let predicate = NSPredicate(format: "age >= $AGE")
  /// print(try predicate.evaluated(with: person, substitutionVariables: ["AGE": 50]))  // false
  /// ```
  public func evaluated(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) throws -> Bool {
    try evaluated(with: object, variables: bindings, nilRule: .foundation)
  }

  /// Returns whether the predicate is true. An evaluation that fails is logged and returns false.
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
  /// Returns the expression's value for an object. Numbers are `NSNumber` objects.
  ///
  /// The context contains the values of variables by name. Block expressions receive it too.
  ///
  /// - Throws: An ``InvalidPredicateError`` for an unknown key, a variable without a value, values of a type that a
  ///   function does not accept, or expressions that nest too deeply. Also the errors of the object's own properties,
  ///   of an ``NSFetchRequestExpression``, and of a predicate in the expression.
  ///
  /// Compared to Apple's Core Data: new. Apple's `expressionValue(with:context:)` raises an exception.
  ///
  /// ```swift
  /// let expression = try NSExpression(validating: "age + 1")
  /// print(try expression.evaluated(with: person, context: nil) as? Int ?? 0)  // 37
  /// ```
  public func evaluated(with object: Any?, context: NSMutableDictionary?) throws -> Any? {
    BridgedValue.bridged(try value(with: object, context: context))
  }
}
