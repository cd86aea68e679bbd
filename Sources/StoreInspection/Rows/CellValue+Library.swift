package import CoreData

extension CellValue {
  /// A row, by its ID.
  package static func row(_ id: NSManagedObjectID) -> CellValue {
    .object(entity: id.entityName, key: id.primaryKey)
  }

  /// How many bytes of a value in a file are read for a page.
  private static let shownBytes = 32
  /// A larger archive in a file is not read for a page.
  private static let largestShownArchive = 1 << 20

  /// The value of an attribute of an object.
  package init(
    ofAttribute key: String, _ type: NSAttributeType, of object: NSManagedObject,
    _ extent: ValueExtent = .whole
  ) {
    if extent == .shown, type == .binaryDataAttributeType || type == .transformableAttributeType,
      let file = object.unreadFile(forKey: key, first: Self.shownBytes),
      type == .binaryDataAttributeType || file.size > Self.largestShownArchive
    {
      self = .unread(size: file.size, first: file.first)
    } else if let value = object.value(forKey: key) {
      self = CellValue(value, type, extent)
    } else {
      self = object.hasStoredValue(forKey: key) ? .unreadable : .null
    }
  }

  /// A value of an attribute of a type.
  package init(_ value: Any, _ type: NSAttributeType, _ extent: ValueExtent = .whole) {
    self =
      switch (type, value) {
      case (.stringAttributeType, let text as String): .text(text)
      case (.booleanAttributeType, let number as NSNumber): .boolean(number.boolValue)
      case (.integer16AttributeType, let number as NSNumber),
        (.integer32AttributeType, let number as NSNumber),
        (.integer64AttributeType, let number as NSNumber):
        .integer(number.int64Value)
      case (.floatAttributeType, let number as NSNumber):
        // The shortest text of the Float, not the many digits of the Double beside it.
        .double(Double(number.floatValue.description) ?? number.doubleValue)
      case (.doubleAttributeType, let number as NSNumber): .double(number.doubleValue)
      case (.decimalAttributeType, let number as NSDecimalNumber): .decimal(number.decimalValue)
      case (.transformableAttributeType, _):
        Self.plain(value) ?? .other(ValueJSON.text(of: value, extent.limits))
      default: Self.ofAnyType(value)
      }
  }

  /// Values that tell their type themselves; nil of others.
  private static func plain(_ value: Any) -> CellValue? {
    switch value {
    case let value as Date: .date(value)
    case let value as Data: .data(value)
    case let value as UUID: .uuid(value)
    case let value as URL: .url(value)
    case let value as String: .text(value)
    default: nil
    }
  }

  private static func ofAnyType(_ value: Any) -> CellValue {
    if let plain = plain(value) { return plain }
    return switch value {
    case let value as NSNumber: .other(value.stringValue)
    case let value as [String: Any]: .other(elements(value))
    default: .other(String(describing: value))
    }
  }

  /// The elements of a composite attribute, in the order of their names.
  private static func elements(_ values: [String: Any]) -> String {
    let parts = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { "\($0.key): \(CellValue.ofAnyType($0.value).formatted)" }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  /// The value as the library takes it.
  var libraryValue: Any? {
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
