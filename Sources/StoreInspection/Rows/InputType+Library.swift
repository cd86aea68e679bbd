package import CoreData

extension InputType {
  /// How a text for an attribute of a type is read; nil for types without a text.
  package init?(_ type: NSAttributeType) {
    switch type {
    case .integer16AttributeType: self = .integer(bits: 16)
    case .integer32AttributeType: self = .integer(bits: 32)
    case .integer64AttributeType: self = .integer(bits: 64)
    case .decimalAttributeType: self = .decimal
    case .doubleAttributeType: self = .double
    case .floatAttributeType: self = .float
    case .stringAttributeType: self = .text
    case .booleanAttributeType: self = .boolean
    case .dateAttributeType: self = .date
    case .binaryDataAttributeType, .transformableAttributeType: self = .data
    case .UUIDAttributeType: self = .uuid
    case .URIAttributeType: self = .url
    default: return nil
    }
  }
}

extension CellValue {
  /// The value as the library takes it.
  package var libraryValue: Any? {
    switch self {
    case .null, .object, .objects, .count, .other, .unread, .unreadable: nil
    case .boolean(let value): value
    case .integer(let value): value
    case .double(let value): value
    case .decimal(let value): NSDecimalNumber(decimal: value)
    case .text(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    }
  }
}
