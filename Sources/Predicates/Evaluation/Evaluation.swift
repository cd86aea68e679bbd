/// The values of variables while a predicate or expression is evaluated.
struct Evaluation {
  var variables: [String: Any]
  /// The caller's dictionary of values of variables, which block expressions receive too; nil if there is none.
  let context: NSMutableDictionary?
  let nilRule: NilRule

  init(
    variables: [String: Any]?, context: NSMutableDictionary? = nil, nilRule: NilRule = .foundation
  ) {
    self.variables = variables ?? [:]
    self.context = context
    self.nilRule = nilRule
  }

  func value(of name: String) throws -> Any? {
    // Looked up before the context, because the variable of a subquery hides one of the same name in
    // the caller's dictionary.
    if let value = variables[name] { return value }
    if let value = context?[name] { return value }
    throw InvalidPredicateError("the variable $\(name) has no value")
  }
}

extension NSPredicate {
  /// Returns whether the predicate is true for an object.
  ///
  /// - Throws: The errors that ``evaluated(with:)`` throws.
  package func evaluated(
    with object: Any?, variables: [String: Any]? = nil, nilRule: NilRule = .foundation
  ) throws -> Bool {
    try checkNesting()
    return try holds(for: object, in: Evaluation(variables: variables, nilRule: nilRule))
  }

  /// Returns the truth value of the predicate for an object; nil if it is unknown. See ``NilRule`` for
  /// the comparisons that are unknown.
  package func truth(
    with object: Any?, variables: [String: Any]? = nil, nilRule: NilRule
  ) throws -> Bool? {
    try checkNesting()
    return try truth(for: object, in: Evaluation(variables: variables, nilRule: nilRule))
  }

  func holds(for object: Any?, in evaluation: Evaluation) throws -> Bool {
    try truth(for: object, in: evaluation) == true
  }

  /// Returns the truth value of the predicate; nil if it is unknown, as the nil rule describes.
  func truth(for object: Any?, in evaluation: Evaluation) throws -> Bool? {
    if let compound = self as? Foundation.NSCompoundPredicate, height > LargeStack.safeHeight {
      return try CompoundEvaluator(evaluation: evaluation, object: object).truth(of: compound)
    }
    switch shape {
    case .constant(let value): return value
    case .comparison(let comparison):
      return try ComparisonEvaluator(comparison: comparison, evaluation: evaluation)
        .truth(for: object)
    case .compound(.and, let parts):
      return try truth(of: parts, decidedBy: false, for: object, in: evaluation)
    case .compound(.or, let parts):
      return try truth(of: parts, decidedBy: true, for: object, in: evaluation)
    case .compound(.not, let parts):
      return try parts.first?.truth(for: object, in: evaluation).map { !$0 }
    case .block, .custom:
      // Only the predicate itself can evaluate these, and its answer is never unknown.
      return evaluate(with: object, substitutionVariables: evaluation.variables)
    }
  }

  /// Evaluates AND and OR. The first part with the decisive truth value decides; otherwise an unknown part
  /// makes the result unknown.
  private func truth(
    of parts: [NSPredicate], decidedBy decisive: Bool, for object: Any?, in evaluation: Evaluation
  ) throws -> Bool? {
    var isUnknown = false
    for part in parts {
      switch try part.truth(for: object, in: evaluation) {
      case decisive: return decisive
      case nil: isUnknown = true
      default: continue
      }
    }
    return isUnknown ? nil : !decisive
  }
}

extension NSExpression {
  /// Returns the expression's value for an object.
  ///
  /// - Throws: The errors that ``evaluated(with:context:)`` throws.
  package func value(
    with object: Any?, variables: [String: Any]? = nil, nilRule: NilRule = .foundation
  ) throws -> Any? {
    try checkNesting()
    return try value(with: object, in: Evaluation(variables: variables, nilRule: nilRule))
  }

  func value(with object: Any?, context: NSMutableDictionary?) throws -> Any? {
    try checkNesting()
    return try value(with: object, in: Evaluation(variables: nil, context: context))
  }

  func value(with object: Any?, in evaluation: Evaluation) throws -> Any? {
    switch node {
    case .constant(let value): return value
    case .evaluatedObject: return object
    case .variable(let name): return try evaluation.value(of: name)
    case .keyPath(let path):
      return try KeyPathEvaluator.value(
        of: object, forKeyPath: path, rules: .predicate(evaluation.nilRule))
    case .function(let name, nil, let arguments):
      return try FunctionEvaluator.value(
        of: name, arguments: arguments.map { try $0.value(with: object, in: evaluation) },
        nilRule: evaluation.nilRule)
    case .function(let name, let operand?, let arguments):
      return try message(name, to: operand, arguments, object: object, evaluation)
    case .set(let operation, let left, let right):
      return try SetEvaluator.value(
        operation, try left.value(with: object, in: evaluation),
        try right.value(with: object, in: evaluation))
    case .subquery(let collection, let variable, let predicate):
      return try elements(
        of: try collection.value(with: object, in: evaluation), variable: variable,
        fulfilling: predicate, object: object, evaluation)
    case .aggregate(let elements):
      return try elements.map { element -> Any in
        try element.value(with: object, in: evaluation) ?? NSNull()
      }
    case .anyKey:
      throw InvalidPredicateError("ANYKEY is supported only in Apple's metadata queries")
    case .block(let block, let arguments):
      let values = try arguments.map { argument -> Any in
        // Blocks are written for Apple's platforms, where each number is an `NSNumber` that casts
        // to every Swift type that can represent it.
        BridgedValue.bridged(try argument.value(with: object, in: evaluation)) ?? NSNull()
      }
      return block(object, values, evaluation.context)
    case .conditional(let predicate, let first, let second):
      let holds = try predicate.holds(for: object, in: evaluation)
      return try (holds ? first : second).value(with: object, in: evaluation)
    case .custom:
      let context = evaluation.context ?? NSMutableDictionary()
      // A subclass receives the variables in this dictionary only. Restore the caller's dictionary afterwards, because
      // otherwise the variable of a SUBQUERY would still have a value outside of the SUBQUERY.
      let before = evaluation.variables.map { (name: $0.key, value: context[$0.key]) }
      for (name, value) in evaluation.variables { context[name] = value }
      defer { for (name, value) in before { context[name] = value } }
      // The method that programs override cannot throw; this one throws the errors of the fetch.
      if let fetch = self as? NSFetchRequestExpression {
        return try fetch.fetchedValue(with: object, context: context)
      }
      return expressionValue(with: object, context: context)
    }
  }

  private func message(
    _ name: String, to operand: NSExpression, _ arguments: [NSExpression], object: Any?,
    _ evaluation: Evaluation
  ) throws -> Any? {
    let receiver = try operand.value(with: object, in: evaluation)
    if name == NSExpression.keyPathFunction, arguments.count == 1 {
      if case .keyPath(let path) = arguments[0].node {
        return try KeyPathEvaluator.value(
          of: receiver, forKeyPath: path, rules: .predicate(evaluation.nilRule))
      }
      guard case .text(let path) = Scalar(try arguments[0].value(with: object, in: evaluation))
      else {
        throw InvalidPredicateError("the key in \(self) is not text")
      }
      return try KeyPathEvaluator.value(
        of: receiver, forKeyPath: path, rules: .predicate(evaluation.nilRule))
    }
    return try MessageEvaluator.value(
      of: name, to: receiver,
      arguments: arguments.map { try $0.value(with: object, in: evaluation) },
      nilRule: evaluation.nilRule)
  }

  private func elements(
    of collection: Any?, variable: String, fulfilling predicate: NSPredicate, object: Any?,
    _ evaluation: Evaluation
  ) throws -> Any? {
    // Return an empty list instead of nil, so that `SUBQUERY(…).@count == 0` is true for a nil
    // collection.
    guard !Scalar(collection).isNull else { return [Any]() }
    guard let elements = KeyValueCollection(collection)?.elements else {
      throw InvalidPredicateError("\(self) needs a collection, not \(describe(collection))")
    }
    // A copy: the variable hides one of the same name only within the subquery.
    var inner = evaluation
    return try elements.filter { element in
      inner.variables[variable] = element
      return try predicate.holds(for: object, in: inner)
    }
  }
}

/// Returns the text of a value and its type, for messages.
func describe(_ value: Any?) -> String {
  guard let value = flattenOptional(value) else { return "nil" }
  return "\(ConstantPrinter.text(of: value)) of type \(type(of: value))"
}
