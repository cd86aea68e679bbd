/// The structure of an expression: the single representation behind `NSExpression`.
///
/// Code that walks expressions (printing, substitution, evaluation, translation to SQL) switches over this enum. If the
/// switch has no `default`, the compiler reports a missing case.
package enum ExpressionNode {
  /// A value that is the same for every object; nil for the null constant.
  case constant(Any?)
  /// The evaluated object, `SELF`.
  case evaluatedObject
  /// A value provided when the predicate is evaluated or substituted, `$name`.
  case variable(String)
  /// A key path from the evaluated object, with all its components in one string.
  case keyPath(String)
  /// A function call. Without an operand it calls a predefined function. With one, it calls
  /// a method of the operand's value, `FUNCTION(operand, "selector:", …)`, or, if the name is
  /// `valueForKeyPath:`, it is a key path that begins at the operand.
  case function(name: String, operand: NSExpression?, arguments: [NSExpression])
  /// A set operation on two collections.
  case set(SetOperation, NSExpression, NSExpression)
  /// The elements of a collection for which a predicate is true.
  case subquery(collection: NSExpression, variable: String, predicate: NSPredicate)
  /// A list of expressions, `{a, b}`.
  case aggregate([NSExpression])
  /// Any key, `ANYKEY`; only Apple's metadata queries support it.
  case anyKey
  /// Swift code, which can be neither printed nor translated.
  case block(NSExpression.Block, arguments: [NSExpression])
  /// One of two expressions, depending on a predicate.
  case conditional(NSPredicate, true: NSExpression, false: NSExpression)
  /// A subclass that evaluates itself in `expressionValue(with:context:)`.
  case custom(NSExpression.ExpressionType)

  /// A set operation on two collections.
  package enum SetOperation: String, Sendable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
  }
}
