import ObjectModel

/// The Swift types that Xcode uses for the properties of generated classes.
///
/// All but scalars are optionals, whether or not the model's property is optional: a new object has no values, and a
/// required property only needs one when the object is saved.
enum PropertyType {
  static func of(_ attribute: NSAttributeDescription) -> String {
    let isScalar = attribute.usesScalarValueType ?? false
    switch attribute.attributeType {
    case .integer16AttributeType: return isScalar ? "Int16" : "NSNumber?"
    case .integer32AttributeType: return isScalar ? "Int32" : "NSNumber?"
    case .integer64AttributeType: return isScalar ? "Int64" : "NSNumber?"
    case .doubleAttributeType: return isScalar ? "Double" : "NSNumber?"
    case .floatAttributeType: return isScalar ? "Float" : "NSNumber?"
    case .booleanAttributeType: return isScalar ? "Bool" : "NSNumber?"
    case .decimalAttributeType: return "NSDecimalNumber?"
    case .stringAttributeType: return "String?"
    case .dateAttributeType: return isScalar ? "TimeInterval" : "Date?"
    case .binaryDataAttributeType: return "Data?"
    case .UUIDAttributeType: return "UUID?"
    case .URIAttributeType: return "URL?"
    case .objectIDAttributeType: return "NSManagedObjectID?"
    case .compositeAttributeType: return "[String: Any]?"
    case .transformableAttributeType, .undefinedAttributeType:
      return "\(valueClass(of: attribute) ?? "NSObject")?"
    }
  }

  /// Returns the class that the model specifies for a transformable attribute's values.
  ///
  /// Xcode writes `.Color` for a class in the "Current Product Module", and `.` or `Module.` if a module is selected
  /// but no class.
  static func valueClass(of attribute: NSAttributeDescription) -> String? {
    guard let text = attribute.customValueClassName else { return nil }
    var name = text.drop(while: \.isWhitespace)
    while name.last?.isWhitespace == true { name.removeLast() }
    if name.hasPrefix(".") { name = name.dropFirst() }
    return name.isEmpty || name.hasSuffix(".") ? nil : String(name)
  }

  static func of(_ relationship: NSRelationshipDescription) -> String {
    if !relationship.isToMany { return "\(destination(of: relationship))?" }
    return relationship.isOrdered ? "NSOrderedSet?" : "NSSet?"
  }

  static func destination(of relationship: NSRelationshipDescription) -> String {
    guard let entity = relationship.destinationEntity else { return "NSManagedObject" }
    return ClassNames.plain(entity).map(TypeSpelling.escaped) ?? "NSManagedObject"
  }
}
