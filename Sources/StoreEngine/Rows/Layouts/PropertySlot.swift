/// One property of an entity: its number and what is kept there.
///
/// A class, because every access of a value looks at one and a reference is cheap to pass.
@usableFromInline
package final class PropertySlot: @unchecked Sendable {
  package enum Kind: Sendable, Equatable {
    case attribute(AttributeStorage)
    case toOne
    case toMany
    /// A fetched property: nothing is stored.
    case fetched
    /// An attribute of named elements: the values are in the elements' own slots.
    case composite
  }

  package let index: Int
  package let name: String
  package let kind: Kind
  package let property: NSPropertyDescription
  /// Kept in memory only.
  package let isTransient: Bool
  package let isOptional: Bool
  /// Whether a store may keep values outside its rows, in files of their own.
  package let mayBeExternal: Bool
  /// Whether the model asks anything of the value.
  package let isValidated: Bool
  /// For a relationship, set when the layouts of the whole model exist.
  @inlinable package var relationship: RelationshipLayout? { builtRelationship }
  @exclusivity(unchecked)
  @usableFromInline var builtRelationship: RelationshipLayout?
  /// Of a composite attribute: the slots of the elements that hold a value.
  @inlinable package var elements: Range<Int> { builtElements }
  @exclusivity(unchecked)
  @usableFromInline var builtElements: Range<Int> = 0..<0
  /// Of an element of a composite attribute: the slot of the composite.
  package let composite: Int?
  /// Of an element: its name and those of the composites within the composite that it lies in.
  package let keys: [String]
  /// What a new object has, of an attribute.
  package let defaultValue: Any?
  /// The same in the form that is kept.
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

  /// The slot of an element of a composite attribute: `location.latitude`.
  ///
  /// What is asked of its value is asked when the composite is validated.
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
    var value: Any? = composite.defaultValue
    for key in keys { value = (value as? [String: Any])?[key] }
    defaultValue = composite.defaultValue == nil ? element.defaultValue : value
    keptDefault = AttributeCodec.kept(default: defaultValue, kind)
  }

  private static func mayBeExternal(_ property: NSPropertyDescription) -> Bool {
    (property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
  }

  /// Notes where the elements' slots lie.
  package func setElements(_ elements: Range<Int>) { builtElements = elements }

  package func connect(_ description: NSRelationshipDescription, in model: ModelLayout) {
    guard let destination = description.destinationEntity.flatMap({ model.layout(of: $0) }) else {
      return
    }
    builtRelationship = RelationshipLayout(
      destination: destination,
      // In a model that a compiler wrote, the name may be that of another property.
      inverse: description.inverseRelationship.flatMap { destination.slotNumbers[$0.name] }
        .flatMap { destination.slots[$0].property is NSRelationshipDescription ? $0 : nil },
      deleteRule: description.deleteRule,
      // iOS has stores whose models have ordered to-one relationships; the mark means nothing there.
      isOrdered: description.isOrdered && description.isToMany, minCount: description.minCount,
      maxCount: description.maxCount)
  }

  /// Whether the number of a to-many relationship's members is bounded: it has a minimum or maximum.
  package var countsMembers: Bool {
    guard kind == .toMany, let relationship else { return false }
    return relationship.minCount > 0 || relationship.maxCount > 1
  }

  /// Lets go of the destination, when the model is gone.
  package func breakCycles() { builtRelationship = nil }

  /// What the slot holds, if it is an attribute that is one value.
  package var storage: AttributeStorage? {
    if case .attribute(let storage) = kind { storage } else { nil }
  }
}

/// A relationship, with names resolved.
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
  /// Whether the model asks anything of an element.
  fileprivate var hasValidatedElements: Bool {
    elements.contains {
      !$0.isOptional || !$0.validationRules.isEmpty
        || ($0 as? NSCompositeAttributeDescription)?.hasValidatedElements == true
    }
  }
}

/// The form in which an attribute's values are kept.
@usableFromInline
package enum AttributeStorage: Sendable, Equatable {
  case integer16, integer32, integer64, boolean
  case double, float
  /// Seconds since 2001-01-01 00:00 UTC.
  case date
  case decimal, string, data, uuid, uri
  /// Whatever the attribute's value transformer turns into data and back.
  case transformable
  /// An undefined type or an object ID: in memory only.
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

  /// Whether the values are given out as `NSNumber`s.
  package var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float: true
    default: false
    }
  }
}
