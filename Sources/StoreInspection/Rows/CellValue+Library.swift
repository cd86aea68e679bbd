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
    switch type {
    case .stringAttributeType:
      if let text = value as? String {
        self = .text(text)
        return
      }
    case .booleanAttributeType:
      if let number = value as? NSNumber {
        self = .boolean(number.boolValue)
        return
      }
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      if let number = value as? NSNumber {
        self = .integer(number.int64Value)
        return
      }
    case .floatAttributeType:
      if let number = value as? NSNumber {
        // The shortest text of the Float, not the many digits of the Double beside it.
        self = .double(Double(number.floatValue.description) ?? number.doubleValue)
        return
      }
    case .doubleAttributeType:
      if let number = value as? NSNumber {
        self = .double(number.doubleValue)
        return
      }
    case .decimalAttributeType:
      if let number = value as? NSDecimalNumber {
        self = .decimal(number.decimalValue)
        return
      }
    case .transformableAttributeType:
      switch value {
      case is String, is Date, is Data, is UUID, is URL: break
      default:
        self = .other(ValueJSON.text(of: value, extent.limits))
        return
      }
    default: break
    }
    self = Self.ofAnyType(value)
  }

  /// Values that tell their type themselves.
  private static func ofAnyType(_ value: Any) -> CellValue {
    switch value {
    case let value as Date: .date(value)
    case let value as Data: .data(value)
    case let value as UUID: .uuid(value)
    case let value as URL: .url(value)
    case let value as String: .text(value)
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
}
