import Foundation
import ObjectModel

/// One property of an entity: its number and what is kept there.
///
/// A class, because every access of a value looks at one and a reference is cheap to pass.
final class PropertySlot: @unchecked Sendable {
  enum Kind: Sendable, Equatable {
    case attribute(AttributeStorage)
    case toOne
    case toMany
    /// A fetched property: nothing is stored.
    case fetched
    /// An attribute of named elements: the values are in the elements' own slots.
    case composite
  }

  let index: Int
  let name: String
  let kind: Kind
  let property: NSPropertyDescription
  /// Kept in memory only.
  let isTransient: Bool
  let isOptional: Bool
  /// Whether a store may keep values outside its rows, in files of their own.
  let mayBeExternal: Bool
  /// Whether the model asks anything of the value.
  let isValidated: Bool
  /// For a relationship, set when the layouts of the whole model exist.
  private(set) var relationship: RelationshipLayout?
  /// Of a composite attribute: the slots of the elements that hold a value.
  private(set) var elements: Range<Int> = 0..<0
  /// Of an element of a composite attribute: the slot of the composite.
  let composite: Int?
  /// Of an element: its name and those of the composites within the composite that it lies in.
  let keys: [String]
  /// What a new object has, of an attribute.
  let defaultValue: Any?
  /// The same in the form that is kept.
  let keptDefault: StoredValue

  init(property: NSPropertyDescription, index: Int) {
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
  init(
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
  func setElements(_ elements: Range<Int>) { self.elements = elements }

  func connect(_ description: NSRelationshipDescription, in model: ModelLayout) {
    guard let destination = description.destinationEntity.flatMap({ model.layout(of: $0) }) else {
      return
    }
    relationship = RelationshipLayout(
      destination: destination,
      // In a model that a compiler wrote, the name may be that of another property.
      inverse: description.inverseRelationship.flatMap { destination.slotNumbers[$0.name] }
        .flatMap { destination.slots[$0].property is NSRelationshipDescription ? $0 : nil },
      deleteRule: description.deleteRule,
      // iOS has stores whose models have ordered to-one relationships; the mark means nothing there.
      isOrdered: description.isOrdered && description.isToMany,
      minCount: description.minCount,
      maxCount: description.maxCount)
  }

  /// Whether the number of a to-many relationship's members is bounded: it has a minimum or maximum.
  var countsMembers: Bool {
    guard kind == .toMany, let relationship else { return false }
    return relationship.minCount > 0 || relationship.maxCount > 1
  }

  /// Lets go of the destination, when the model is gone.
  func dissolve() { relationship = nil }

  /// What the slot holds, if it is an attribute that is one value.
  var storage: AttributeStorage? {
    if case .attribute(let storage) = kind { storage } else { nil }
  }
}

/// A relationship, with names resolved.
final class RelationshipLayout: Sendable {
  let destination: EntityLayout
  /// The slot of the inverse relationship in the destination.
  let inverse: Int?
  let deleteRule: NSDeleteRule
  let isOrdered: Bool
  let minCount: Int
  let maxCount: Int

  init(
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
enum AttributeStorage: Sendable, Equatable {
  case integer16, integer32, integer64, boolean
  case double, float
  /// Seconds since 2001-01-01 00:00 UTC.
  case date
  case decimal, string, data, uuid, uri
  /// Whatever the attribute's value transformer turns into data and back.
  case transformable
  /// An undefined type or an object ID: in memory only.
  case object

  init(_ type: NSAttributeType) {
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
  var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float: true
    default: false
    }
  }

  var isNumeric: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .decimal: true
    default: false
    }
  }
}
