/// The type of an attribute's values.
///
/// The raw values stand in compiled models and enter the version hash, so they never change.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
  /// No type; legal for transient attributes only.
  case undefinedAttributeType = 0
  /// A 16-bit signed integer.
  case integer16AttributeType = 100
  /// A 32-bit signed integer.
  case integer32AttributeType = 200
  /// A 64-bit signed integer.
  case integer64AttributeType = 300
  /// A `Decimal`; SQLite keeps about 15 significant digits of it.
  case decimalAttributeType = 400
  /// A double-precision number.
  case doubleAttributeType = 500
  /// A single-precision number.
  case floatAttributeType = 600
  /// A string.
  case stringAttributeType = 700
  /// A truth value.
  case booleanAttributeType = 800
  /// A point in time, kept as seconds since the start of 2001 (UTC).
  case dateAttributeType = 900
  /// Bytes.
  case binaryDataAttributeType = 1000
  /// A universally unique identifier, kept as 16 bytes.
  case UUIDAttributeType = 1100
  /// A uniform resource identifier, kept as its absolute string.
  case URIAttributeType = 1200
  /// Any object, kept as the bytes that a value transformer makes of it.
  case transformableAttributeType = 1800
  /// The identity of a managed object; not storable, used for expressions.
  case objectIDAttributeType = 2000
  /// A group of named elements.
  case compositeAttributeType = 2100
}

extension NSAttributeType {
  /// The spelling of the type in model files, such as `Integer 16`.
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

  /// The type with a model file's spelling, or nil.
  package init?(modelFileName: String) {
    guard let type = Self.allCases.first(where: { $0.modelFileName == modelFileName }) else {
      return nil
    }
    self = type
  }

  /// The name of the class whose instances are the type's values on Apple's platforms, or nil where
  /// the type does not say.
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

  /// Whether the values are whole numbers of 16, 32 or 64 bits.
  package var isInteger: Bool {
    switch self {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
    default: false
    }
  }
}
