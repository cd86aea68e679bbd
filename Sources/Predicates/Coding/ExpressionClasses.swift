// Subclasses of `NSExpression` that exist only for their names in archives. They decode the same parts to the same
// expressions as `NSExpression`.

final class SelfExpression: NSExpression, @unchecked Sendable {}
final class ConstantValueExpression: NSExpression, @unchecked Sendable {}
final class VariableExpression: NSExpression, @unchecked Sendable {}
final class KeyPathExpression: NSExpression, @unchecked Sendable {}
/// The text of a key path, which archives store as a separate argument.
final class KeyPathSpecifierExpression: NSExpression, @unchecked Sendable {}
final class FunctionExpression: NSExpression, @unchecked Sendable {}
final class SetExpression: NSExpression, @unchecked Sendable {}
final class SubqueryExpression: NSExpression, @unchecked Sendable {}
final class AggregateExpression: NSExpression, @unchecked Sendable {}
final class AnyKeyExpression: NSExpression, @unchecked Sendable {}
final class BlockExpression: NSExpression, @unchecked Sendable {}
final class TernaryExpression: NSExpression, @unchecked Sendable {}

extension ExpressionNode {
  /// The class whose name archives use for an expression of this kind.
  var codingClass: AnyClass {
    switch self {
    case .constant: ConstantValueExpression.self
    case .evaluatedObject: SelfExpression.self
    case .variable: VariableExpression.self
    case .keyPath: KeyPathExpression.self
    // A key path of another expression is a function call in this library. In archives it is a key
    // path whose operand is that expression.
    case .function(NSExpression.keyPathFunction, _?, let arguments) where arguments.count == 1:
      if case .keyPath = arguments[0].node {
        KeyPathExpression.self
      } else {
        FunctionExpression.self
      }
    case .function: FunctionExpression.self
    case .set: SetExpression.self
    case .subquery: SubqueryExpression.self
    case .aggregate: AggregateExpression.self
    case .anyKey: AnyKeyExpression.self
    case .block, .custom: BlockExpression.self
    case .conditional: TernaryExpression.self
    }
  }
}
