/// A property of an entity: its number and the kind of its values.
///
/// It is a class because every access to a value passes a slot, and a reference is cheap to pass.
@usableFromInline
package final class PropertySlot: @unchecked Sendable {
  package enum Kind: Sendable, Equatable {
    case attribute(AttributeStorage)
    case toOne
    case toMany
    /// A fetched property, which is not stored.
    case fetched
    /// A composite attribute. Its values are in the slots of its elements.
    case composite
  }

  package let index: Int
  package let name: String
  package let kind: Kind
  package let property: NSPropertyDescription
  /// Whether the property is not stored.
  package let isTransient: Bool
  package let isOptional: Bool
  /// Whether a store may put values into separate files.
  package let mayBeExternal: Bool
  /// Whether the model has validation rules for the value.
  package let isValidated: Bool
  /// The relationship, if the property is one. Set when the layouts of the whole model exist.
  @inlinable package var relationship: RelationshipLayout? { builtRelationship }
  @exclusivity(unchecked)
  @usableFromInline var builtRelationship: RelationshipLayout?
  /// The slots of all elements that have a single value, if the property is a composite attribute. Elements that are
  /// composite attributes themselves have no slot.
  @inlinable package var elements: Range<Int> { builtElements }
  @exclusivity(unchecked)
  @usableFromInline var builtElements: Range<Int> = 0..<0
  /// The slot of the outermost composite attribute, if this is an element of one.
  package let composite: Int?
  /// The key path of an element inside the outermost composite attribute; empty for other properties.
  package let keys: [String]
  /// The attribute's value in a new object.
  package let defaultValue: Any?
  /// The default value as objects store it; NULL if there is none.
  package let keptDefault: StoredValue

  package init(property: NSPropertyDescription, index: Int) {
    self.index = index
    self.property = property
    self.name = property.name
    self.isTransient = property.isTransient
    self.isOptional = property.isOptional
    mayBeExternal = Self.mayBeExternal(property)
    composite = nil
    keys = []
    defaultValue = (property as? NSAttributeDescription)?.defaultValue
    self.isValidated =
      !property.isOptional || !property.validationRules.isEmpty
      || (property as? NSCompositeAttributeDescription)?.hasValidatedElements == true
    switch property {
    case is NSCompositeAttributeDescription: self.kind = .composite
    case let relationship as NSRelationshipDescription:
      self.kind = relationship.isToMany ? .toMany : .toOne
    case let attribute as NSAttributeDescription:
      self.kind = .attribute(AttributeStorage(attribute.attributeType))
    default:
      self.kind = .fetched
    }
    keptDefault = AttributeCodec.kept(default: defaultValue, kind)
  }

  /// Creates the slot of an element of a composite attribute: `location.latitude`.
  ///
  /// The rules of the element are checked when the composite attribute is validated.
  package init(
    element: NSAttributeDescription, keys: [String], of composite: PropertySlot, index: Int
  ) {
    self.index = index
    property = element
    name = ([composite.name] + keys).joined(separator: ".")
    kind = .attribute(AttributeStorage(element.attributeType))
    isTransient = composite.isTransient
    isOptional = element.isOptional
    mayBeExternal = Self.mayBeExternal(element)
    isValidated = false
    self.composite = composite.index
    self.keys = keys
    // A default dictionary of the composite attribute replaces the defaults of all elements.
    var value: Any? = composite.defaultValue
    for key in keys { value = (value as? [String: Any])?[key] }
    defaultValue = composite.defaultValue == nil ? element.defaultValue : value
    keptDefault = AttributeCodec.kept(default: defaultValue, kind)
  }

  private static func mayBeExternal(_ property: NSPropertyDescription) -> Bool {
    (property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
  }

  /// Sets the slots of the elements.
  package func setElements(_ elements: Range<Int>) { builtElements = elements }

  package func connect(_ description: NSRelationshipDescription, in model: ModelLayout) {
    guard let destination = description.destinationEntity.flatMap({ model.layout(of: $0) }) else {
      return
    }
    builtRelationship = RelationshipLayout(
      destination: destination,
      // In a compiled model, the inverse's name may be that of a property that is not a relationship.
      inverse: description.inverseRelationship.flatMap { destination.slotNumbers[$0.name] }
        .flatMap { destination.slots[$0].property is NSRelationshipDescription ? $0 : nil },
      deleteRule: description.deleteRule,
      // Some iOS stores have models with ordered to-one relationships, where the flag has no meaning.
      isOrdered: description.isOrdered && description.isToMany, minCount: description.minCount,
      maxCount: description.maxCount)
  }

  /// Whether a to-many relationship has a minimum or maximum number of members.
  package var countsMembers: Bool {
    guard kind == .toMany, let relationship else { return false }
    return relationship.minCount > 0 || relationship.maxCount > 1
  }

  /// Releases the relationship when the model is freed. The layouts of entities refer to each other, so they would
  /// otherwise never be freed.
  package func breakCycles() { builtRelationship = nil }

  /// The storage of an attribute with a single value.
  package var storage: AttributeStorage? {
    if case .attribute(let storage) = kind { storage } else { nil }
  }
}

/// A relationship with resolved names.
@usableFromInline
package final class RelationshipLayout: Sendable {
  package let destination: EntityLayout
  /// The slot of the inverse relationship in the destination.
  package let inverse: Int?
  package let deleteRule: NSDeleteRule
  package let isOrdered: Bool
  package let minCount: Int
  package let maxCount: Int

  package init(
    destination: EntityLayout, inverse: Int?, deleteRule: NSDeleteRule, isOrdered: Bool,
    minCount: Int, maxCount: Int
  ) {
    self.destination = destination
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.isOrdered = isOrdered
    self.minCount = minCount
    self.maxCount = maxCount
  }
}

extension NSCompositeAttributeDescription {
  /// Whether the model has validation rules for an element.
  fileprivate var hasValidatedElements: Bool {
    elements.contains {
      !$0.isOptional || !$0.validationRules.isEmpty
        || ($0 as? NSCompositeAttributeDescription)?.hasValidatedElements == true
    }
  }
}

/// The form in which an attribute's values are stored.
@usableFromInline
package enum AttributeStorage: Sendable, Equatable {
  case integer16, integer32, integer64, boolean
  case double, float
  /// Seconds since 2001-01-01 00:00 UTC.
  case date
  case decimal, string, data, uuid, uri
  /// Values that the attribute's value transformer converts to data and back.
  case transformable
  /// An undefined type or an object ID, which is not stored.
  case object

  package init(_ type: NSAttributeType) {
    switch type {
    case .integer16AttributeType: self = .integer16
    case .integer32AttributeType: self = .integer32
    case .integer64AttributeType: self = .integer64
    case .booleanAttributeType: self = .boolean
    case .doubleAttributeType: self = .double
    case .floatAttributeType: self = .float
    case .dateAttributeType: self = .date
    case .decimalAttributeType: self = .decimal
    case .stringAttributeType: self = .string
    case .binaryDataAttributeType: self = .data
    case .UUIDAttributeType: self = .uuid
    case .URIAttributeType: self = .uri
    case .transformableAttributeType: self = .transformable
    default: self = .object
    }
  }

  /// Whether values are returned as `NSNumber`s. This excludes decimals, which are of the subclass `NSDecimalNumber`.
  package var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float: true
    default: false
    }
  }
}
