/// The type of an attribute's values.
///
/// The raw values are part of compiled models and version hashes, so they never change.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
  /// No type; valid only for transient attributes.
  case undefinedAttributeType = 0
  /// A 16-bit signed integer.
  case integer16AttributeType = 100
  /// A 32-bit signed integer.
  case integer32AttributeType = 200
  /// A 64-bit signed integer.
  case integer64AttributeType = 300
  /// A `Decimal`. SQLite stores keep integers of 64 bits exactly, and about 15 significant digits of other numbers.
  case decimalAttributeType = 400
  /// A double-precision number.
  case doubleAttributeType = 500
  /// A single-precision number.
  case floatAttributeType = 600
  /// A string.
  case stringAttributeType = 700
  /// A boolean.
  case booleanAttributeType = 800
  /// A date, stored as seconds since the start of 2001 (UTC).
  case dateAttributeType = 900
  /// Binary data.
  case binaryDataAttributeType = 1000
  /// A universally unique identifier, stored as 16 bytes.
  case UUIDAttributeType = 1100
  /// A uniform resource identifier, stored as its absolute string.
  case URIAttributeType = 1200
  /// Any object, stored as data that a value transformer creates.
  case transformableAttributeType = 1800
  /// A managed object ID. It cannot be stored; expressions use it.
  case objectIDAttributeType = 2000
  /// A group of named elements.
  case compositeAttributeType = 2100
}

extension NSAttributeType {
  /// The name of the type in model files, such as `Integer 16`.
  package var modelFileName: String {
    switch self {
    case .undefinedAttributeType: "Undefined"
    case .integer16AttributeType: "Integer 16"
    case .integer32AttributeType: "Integer 32"
    case .integer64AttributeType: "Integer 64"
    case .decimalAttributeType: "Decimal"
    case .doubleAttributeType: "Double"
    case .floatAttributeType: "Float"
    case .stringAttributeType: "String"
    case .booleanAttributeType: "Boolean"
    case .dateAttributeType: "Date"
    case .binaryDataAttributeType: "Binary"
    case .UUIDAttributeType: "UUID"
    case .URIAttributeType: "URI"
    case .transformableAttributeType: "Transformable"
    case .objectIDAttributeType: "ObjectID"
    case .compositeAttributeType: "Composite"
    }
  }

  /// Creates the type with a name in model files; nil if the name is unknown.
  package init?(modelFileName: String) {
    guard let type = Self.allCases.first(where: { $0.modelFileName == modelFileName }) else {
      return nil
    }
    self = type
  }

  /// The class name of the type's values on Apple's platforms; nil if the type does not determine it.
  package var defaultValueClassName: String? {
    switch self {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
      "NSNumber"
    case .decimalAttributeType: "NSDecimalNumber"
    case .stringAttributeType: "NSString"
    case .dateAttributeType: "NSDate"
    case .binaryDataAttributeType: "NSData"
    case .UUIDAttributeType: "NSUUID"
    case .URIAttributeType: "NSURL"
    case .objectIDAttributeType: "NSManagedObjectID"
    case .compositeAttributeType: "NSDictionary"
    case .undefinedAttributeType, .transformableAttributeType: nil
    }
  }

  /// Whether the values are integers of 16, 32 or 64 bits.
  package var isInteger: Bool {
    switch self {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
    default: false
    }
  }
}
