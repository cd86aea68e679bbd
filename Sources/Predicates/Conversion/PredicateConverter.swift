/// Walks Swift's `#Predicate` and says the same in the predicate language.
///
/// The forms are those that Apple's Foundation gives; the tests hold their printed texts. A part that has no form but
/// depends on no variable is computed. The names of key paths come from `KeyPathNames`; those of managed objects are
/// found by `KeyPathProbe` of the module `CoreData`.
struct PredicateConverter {
  /// What stands for the variables of closures around this place.
  private var variables: [PredicateExpressions.VariableID: NSExpression] = [:]
  private var subqueries = 0

  /// The predicate whose one variable is the object under evaluation.
  static func predicate<Input>(_ predicate: Predicate<Input>) throws -> NSPredicate {
    var converter = PredicateConverter()
    converter.variables[predicate.variable.key] = .expressionForEvaluatedObject()
    return try converter.predicate(predicate.expression)
  }

  /// A part as a value.
  mutating func expression(_ part: some PredicateExpression) throws -> NSExpression {
    try converted(part).expression
  }

  /// A part as a condition.
  mutating func predicate(_ part: some PredicateExpression) throws -> NSPredicate {
    try converted(part).predicate
  }

  /// A part as what it naturally is. One that cannot be said, but depends on no variable, becomes
  /// the constant that it is.
  mutating func converted<Part: PredicateExpression>(
    _ part: Part
  ) throws -> ConvertedExpression {
    do {
      guard let convertible = part as? any ConvertibleExpression else {
        throw refusal(of: "\(Part.self)")
      }
      return try convertible.converted(by: &self)
    } catch {
      guard let constant = constant(part) else { throw error }
      return .value(constant)
    }
  }

  /// The value of a part that depends on no variable and has a value that predicates know.
  func constant(_ part: some PredicateExpression) -> NSExpression? {
    // Evaluation without values for the variables fails where one is asked for.
    guard let value = try? part.evaluate(PredicateBindings()) else { return nil }
    return ConvertedConstant.expression(value)
  }

  /// What stands for a variable.
  func value(of variable: PredicateExpressions.VariableID) throws -> NSExpression {
    guard let expression = variables[variable] else {
      throw refusal(of: "a variable of another predicate")
    }
    return expression
  }

  /// Lets an expression stand for a variable from here on; no two closures share one.
  mutating func bind(_ variable: PredicateExpressions.VariableID, to expression: NSExpression) {
    variables[variable] = expression
  }

  /// The elements of a sequence for which a condition holds.
  mutating func subquery<Element>(
    of sequence: some PredicateExpression, _ variable: PredicateExpressions.Variable<Element>,
    where test: some PredicateExpression, isNegated: Bool = false
  ) throws -> NSExpression {
    let collection = try expression(sequence)
    subqueries += 1
    let name = "_local_\(subqueries)"
    bind(variable.key, to: NSExpression(forVariable: name))
    let condition = try predicate(test)
    return NSExpression(
      forSubquery: collection, usingIteratorVariable: name,
      predicate: isNegated
        ? NSCompoundPredicate(notPredicateWithSubpredicate: condition) : condition)
  }

  /// An error that names the part that cannot be converted.
  func refusal(of part: String) -> InvalidPredicateError {
    InvalidPredicateError("#Predicate cannot be converted: there is no form for \(part)")
  }

  /// A part as it prints, for messages.
  ///
  /// - Throws: what is wrong with the part itself, which is then the better message.
  mutating func words(_ part: some PredicateExpression) throws -> String {
    try expression(part).description
  }
}

extension NSExpression {
  /// A call of a predefined function, whose name and arguments are known to be right.
  static func calling(_ function: PredefinedFunction, _ arguments: NSExpression...) -> NSExpression
  {
    NSExpression(node: .function(name: function.rawValue, operand: nil, arguments: arguments))
  }
}

extension NSPredicate {
  /// A plain comparison of two values.
  static func comparing(
    _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
    options: NSComparisonPredicate.Options = []
  ) -> NSPredicate {
    NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: .direct, type: type,
      options: options)
  }
}
