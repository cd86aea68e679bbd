/// A computed column of a dictionary fetch: a name, an expression and the type of the result.
///
/// ```swift
/// let oldest = NSExpressionDescription()
/// oldest.name = "oldest"
/// oldest.expression = NSExpression(format: "max:(age)")
/// oldest.resultType = .integer16
/// let request = NSFetchRequest<NSDictionary>(entityName: "Person")
/// request.resultType = .dictionaryResultType
/// request.propertiesToFetch = [oldest]
/// print(try context.fetch(request)[0]["oldest"] as? Int ?? 0)  // 85
/// ```
nonisolated open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  /// The expression that computes the value.
  open var expression: Predicates.NSExpression? {
    willSet { willChange() }
  }

  /// The type of the result.
  open var expressionResultType = NSAttributeType.undefinedAttributeType {
    willSet { willChange() }
  }

  /// Creates a description without a name or an expression.
  public override init() { super.init() }

  /// The type of the result.
  open var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }

  /// Returns a mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSExpressionDescription()
    copyState(to: copy)
    copy.expression = expression
    copy.expressionResultType = expressionResultType
    return copy
  }
}
