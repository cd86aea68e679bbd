/// Converts Swift's `#Predicate` to the predicate language.
///
/// The result has the forms that Apple's Foundation produces; the tests contain their printed texts. A part that cannot
/// be expressed in the predicate language, but depends on no variable, is replaced with its value. `KeyPathNames`
/// provides the names of key paths; `KeyPathProbe` of the module `CoreData` finds those of managed objects.
struct PredicateConverter {
  /// The expressions for the variables of the enclosing closures.
  private var variables: [PredicateExpressions.VariableID: NSExpression] = [:]
  private var subqueries = 0

  /// Returns the converted predicate. Its only variable becomes the evaluated object.
  static func predicate<Input>(_ predicate: Predicate<Input>) throws -> NSPredicate {
    var converter = PredicateConverter()
    converter.variables[predicate.variable.key] = .expressionForEvaluatedObject()
    return try converter.predicate(predicate.expression)
  }

  /// Converts a part to a value.
  mutating func expression(_ part: some PredicateExpression) throws -> NSExpression {
    try converted(part).expression
  }

  /// Converts a part to a condition.
  mutating func predicate(_ part: some PredicateExpression) throws -> NSPredicate {
    try converted(part).predicate
  }

  /// Converts a part to its natural form, a value or a condition. A part that cannot be converted becomes a constant if
  /// it depends on no variable.
  mutating func converted<Part: PredicateExpression>(
    _ part: Part
  ) throws -> ConvertedExpression {
    do {
      guard let convertible = part as? any ConvertibleExpression else {
        throw refusal(of: "\(Part.self)")
      }
      return try convertible.converted(by: &self)
    } catch {
      // Only a part that cannot be converted is evaluated. Apple's Foundation also converts parts without variables
      // where it can, instead of evaluating them.
      guard let constant = constant(part) else { throw error }
      return .value(constant)
    }
  }

  /// Returns the value of a part that depends on no variable, if predicates support its type.
  func constant(_ part: some PredicateExpression) -> NSExpression? {
    // Without bindings, evaluation throws if it reaches a variable.
    guard let value = try? part.evaluate(PredicateBindings()) else { return nil }
    return ConvertedConstant.expression(value)
  }

  /// Returns the expression that is bound to a variable.
  func value(of variable: PredicateExpressions.VariableID) throws -> NSExpression {
    guard let expression = variables[variable] else {
      throw refusal(of: "a variable of another predicate")
    }
    return expression
  }

  /// Binds a variable to an expression, permanently: no two closures share a variable.
  mutating func bind(_ variable: PredicateExpressions.VariableID, to expression: NSExpression) {
    variables[variable] = expression
  }

  /// Returns a subquery for the elements of a sequence that meet a condition.
  mutating func subquery<Element>(
    of sequence: some PredicateExpression, _ variable: PredicateExpressions.Variable<Element>,
    where test: some PredicateExpression, isNegated: Bool = false
  ) throws -> NSExpression {
    let collection = try expression(sequence)
    // A subquery inside another one needs a variable with a different name.
    subqueries += 1
    let name = "_local_\(subqueries)"
    bind(variable.key, to: NSExpression(forVariable: name))
    let condition = try predicate(test)
    return NSExpression(
      forSubquery: collection, usingIteratorVariable: name,
      predicate: isNegated
        ? NSCompoundPredicate(notPredicateWithSubpredicate: condition) : condition)
  }

  /// Returns an error that identifies the part that cannot be converted.
  func refusal(of part: String) -> InvalidPredicateError {
    InvalidPredicateError("#Predicate cannot be converted: NSPredicate has no form for \(part)")
  }

  /// Returns the printed form of a part, for error messages.
  ///
  /// - Throws: An error if the part itself cannot be converted. Report that error, because it is more specific.
  mutating func words(_ part: some PredicateExpression) throws -> String {
    try expression(part).description
  }
}

extension NSExpression {
  /// Creates a call to a predefined function without checking its name or arguments.
  static func calling(_ function: PredefinedFunction, _ arguments: NSExpression...) -> NSExpression
  {
    NSExpression(node: .function(name: function.rawValue, operand: nil, arguments: arguments))
  }
}

extension NSPredicate {
  /// Creates a direct comparison of two values.
  static func comparing(
    _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
    options: NSComparisonPredicate.Options = []
  ) -> NSPredicate {
    NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: .direct, type: type,
      options: options)
  }
}
