/// One column of a fetch index.
nonisolated open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The kind of index that holds the element.
  open var collationType: NSFetchIndexElementType {
    willSet { requireMutable(isImmutable) }
  }

  /// Whether small values come first. True unless set.
  open var isAscending = true {
    willSet { requireMutable(isImmutable) }
  }

  /// The index that the element belongs to. Weak: the index keeps its elements.
  open package(set) weak var indexDescription: NSFetchIndexDescription?

  /// The property that was given, or nil for an element that a file names by its property's name.
  package final var explicitProperty: NSPropertyDescription? {
    willSet { requireMutable(isImmutable) }
  }

  /// The property's name as a file gives it.
  package final var explicitPropertyName: String? {
    willSet { requireMutable(isImmutable) }
  }

  /// The text of the expression that is indexed in place of a property.
  package final var expressionText: String? {
    willSet { requireMutable(isImmutable) }
  }

  /// The type of the expression's values.
  package final var expressionType: NSAttributeType? {
    willSet { requireMutable(isImmutable) }
  }

  /// Whether the element can no longer change.
  package final var isImmutable = false

  /// An element for a property of the entity that the index belongs to, or for an expression over
  /// such properties (`NSExpressionDescription`).
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    self.explicitProperty = property
    self.collationType = collationType
    if let computed = property as? NSExpressionDescription {
      expressionText = computed.expression?.description
      expressionType = computed.expressionResultType
    }
  }

  /// An ordinary element without a property. An index with one is an error of its model.
  public override init() {
    collationType = .binary
    super.init()
  }

  /// An element for the property of that name.
  package init(propertyName: String?, collationType: NSFetchIndexElementType) {
    self.explicitPropertyName = propertyName
    self.collationType = collationType
  }

  /// The name of the indexed property, or nil for an expression without a name.
  open var propertyName: String? {
    explicitProperty?.name ?? explicitPropertyName
  }

  /// The indexed property: the one that was given, else the entity's property of that name; for an
  /// expression that a file gives, a description of it.
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

  /// A mutable copy that belongs to no index and refers to its property by name.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchIndexElementDescription(
      propertyName: propertyName, collationType: collationType)
    if let explicitProperty, explicitProperty.owner == nil {
      copy.explicitProperty = explicitProperty
    }
    copy.isAscending = isAscending
    copy.expressionText = expressionText
    copy.expressionType = expressionType
    return copy
  }
}
