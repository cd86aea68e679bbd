/// One column of a fetch index.
nonisolated open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The type of the index that contains the element.
  open var collationType: NSFetchIndexElementType {
    willSet { requireMutable(isImmutable) }
  }

  /// Whether small values come first. The default is `true`.
  open var isAscending = true {
    willSet { requireMutable(isImmutable) }
  }

  /// The element's index. The reference is weak: the index owns its elements.
  open package(set) weak var indexDescription: NSFetchIndexDescription?

  /// The property that was set; nil for an element from a file, which contains only the property's name.
  package final var explicitProperty: NSPropertyDescription? {
    willSet { requireMutable(isImmutable) }
  }

  /// The property's name in the file.
  package final var explicitPropertyName: String? {
    willSet { requireMutable(isImmutable) }
  }

  /// The text of the expression that is indexed instead of a property.
  package final var expressionText: String? {
    willSet { requireMutable(isImmutable) }
  }

  /// The type of the expression's values.
  package final var expressionType: NSAttributeType? {
    willSet { requireMutable(isImmutable) }
  }

  /// Whether the element can no longer change.
  package final var isImmutable = false

  /// Creates an element for a property of the index's entity, or for an expression over
  /// such properties (`NSExpressionDescription`).
  ///
  /// ```swift
  /// let fullName = NSExpressionDescription()
  /// fullName.name = "canonicalName"
  /// fullName.expression = NSExpression(format: "canonical:(lastName)")
  /// fullName.resultType = .string
  /// let element = NSFetchIndexElementDescription(property: fullName, collationType: .binary)
  /// element.isAscending = false
  /// ```
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    self.explicitProperty = property
    self.collationType = collationType
    if let computed = property as? NSExpressionDescription {
      // Store the expression as text, the form in which files and copies of the element contain it.
      expressionText = computed.expression?.description
      expressionType = computed.expressionResultType
    }
  }

  /// Creates an element of an ordinary index, without a property. A model whose index has such an element is invalid.
  public override init() {
    collationType = .binary
    super.init()
  }

  /// Creates an element for the property with a name.
  package init(propertyName: String?, collationType: NSFetchIndexElementType) {
    self.explicitPropertyName = propertyName
    self.collationType = collationType
  }

  /// The name of the indexed property; nil for an element without a property, and for an expression without a name.
  open var propertyName: String? {
    explicitProperty?.name ?? explicitPropertyName
  }

  /// The indexed property: the one that was set, otherwise the entity's property with the name ``propertyName``. For
  /// an expression from a file, a new description of the expression. Nil if there is neither.
  open var property: NSPropertyDescription? {
    if let explicitProperty { return explicitProperty }
    if let expressionText {
      let computed = NSExpressionDescription()
      computed.name = explicitPropertyName ?? "expression"
      computed.expression = try? NSExpression(validating: expressionText)
      computed.expressionResultType = expressionType ?? .undefinedAttributeType
      return computed
    }
    guard let explicitPropertyName else { return nil }
    return indexDescription?.entity?.property(named: explicitPropertyName)
  }

  /// Returns a mutable copy that belongs to no index. It refers to its property by name or, if the property belongs to
  /// no entity, directly.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchIndexElementDescription(
      propertyName: propertyName, collationType: collationType)
    // A property that belongs to no entity cannot be found again by its name.
    if let explicitProperty, explicitProperty.owner == nil {
      copy.explicitProperty = explicitProperty
    }
    copy.isAscending = isAscending
    copy.expressionText = expressionText
    copy.expressionType = expressionType
    return copy
  }
}
