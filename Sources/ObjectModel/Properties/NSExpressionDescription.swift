public import Foundation
public import Predicates

/// A column of a fetch's dictionaries, or of an index, that is computed by an expression.
///
/// It belongs to no entity and is never stored.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  /// The expression that gives the value.
  open var expression: Predicates.NSExpression? {
    willSet { requireMutable(isImmutable, name) }
  }

  /// The type of the value. Undefined unless set.
  open var expressionResultType: NSAttributeType = .undefinedAttributeType {
    willSet { requireMutable(isImmutable, name) }
  }

  /// The type of the value in the form that newer code uses; the same as ``expressionResultType``.
  public final var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }

  /// A mutable copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSExpressionDescription()
    copyState(to: copy)
    copy.expression = expression
    copy.expressionResultType = expressionResultType
    return copy
  }
}
