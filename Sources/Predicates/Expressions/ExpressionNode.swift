/// What an expression is made of: the one representation behind `NSExpression`.
///
/// A walker (printing, substitution, evaluation, translation to SQL) switches over this enum, so
/// that the compiler names what it forgot.
package enum ExpressionNode {
  /// A value that is the same for every object; nil is the null constant.
  case constant(Any?)
  /// The object under evaluation, `SELF`.
  case evaluatedObject
  /// A value given when the predicate is evaluated or substituted, `$name`.
  case variable(String)
  /// A key path from the object under evaluation, with all its dots in one string.
  case keyPath(String)
  /// A function call. Without an operand it is one of the predefined functions; with one it is
  /// a message to the operand's value, `FUNCTION(operand, "selector:", …)`, or, named
  /// `valueForKeyPath:`, a key path that begins at the operand.
  case function(name: String, operand: NSExpression?, arguments: [NSExpression])
  /// A set made of two collections.
  case set(SetOperation, NSExpression, NSExpression)
  /// The elements of a collection for which a predicate holds.
  case subquery(collection: NSExpression, variable: String, predicate: NSPredicate)
  /// A list of expressions, `{a, b}`.
  case aggregate([NSExpression])
  /// Any key, `ANYKEY`; only Apple's metadata queries know what to do with it.
  case anyKey
  /// Swift code, which can be neither printed nor translated.
  case block(NSExpression.Block, arguments: [NSExpression])
  /// One of two expressions, as a predicate decides.
  case conditional(NSPredicate, true: NSExpression, false: NSExpression)
  /// A subclass that evaluates itself, by `expressionValue(with:context:)`.
  case custom(NSExpression.ExpressionType)

  /// How two collections make a set.
  package enum SetOperation: String, Sendable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
  }
}
