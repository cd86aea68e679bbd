/// A column of a dictionary fetch that is computed: a name, an expression and the type of the
/// result.
nonisolated open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  /// What is computed.
  open var expression: Predicates.NSExpression? {
    willSet { willChange() }
  }

  /// The type of the result.
  open var expressionResultType = NSAttributeType.undefinedAttributeType {
    willSet { willChange() }
  }

  /// A description without a name and an expression.
  public override init() { super.init() }

  /// The type of the result.
  open var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }

  /// A mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSExpressionDescription()
    copyState(to: copy)
    copy.expression = expression
    copy.expressionResultType = expressionResultType
    return copy
  }
}
