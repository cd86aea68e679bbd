package import CoreData

extension CellValue {
  /// Returns a reference to a row.
  package static func row(_ id: NSManagedObjectID) -> CellValue {
    .object(entity: id.entityName, key: id.primaryKey)
  }

  /// How many bytes of a value in an external file are read for a page.
  private static let shownBytes = 32
  /// The maximum size of an archive in an external file that is decoded for a page.
  private static let largestShownArchive = 1 << 20

  /// Reads the value of an object's attribute.
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
      let composite =
        type == .compositeAttributeType ? object.entity.attributesByName[key] : nil
      self = composite.map { CellValue(value, of: $0, extent) } ?? CellValue(value, type, extent)
    } else {
      // A value whose file is missing is also nil here, but must not be shown as an attribute without a value.
      self = object.hasStoredValue(forKey: key) ? .unreadable : .null
    }
  }

  /// Converts a value of an attribute; for a composite attribute, the value of each element by the element's type.
  package init(
    _ value: Any, of attribute: NSAttributeDescription, _ extent: ValueExtent = .whole
  ) {
    guard let composite = attribute as? NSCompositeAttributeDescription,
      let values = value as? [String: Any]
    else {
      self.init(value, attribute.attributeType, extent)
      return
    }
    self = .composite(
      composite.elements.reduce(into: [:]) { elements, element in
        elements[element.name] = values[element.name].map { CellValue($0, of: element, extent) }
      })
  }

  /// Converts a value of an attribute type.
  package init(_ value: Any, _ type: NSAttributeType, _ extent: ValueExtent = .whole) {
    let known: CellValue? =
      switch type {
      case .stringAttributeType: (value as? String).map { .text($0) }
      case .booleanAttributeType: (value as? NSNumber).map { .boolean($0.boolValue) }
      case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
        (value as? NSNumber).map { .integer($0.int64Value) }
      case .floatAttributeType:
        // Use the shortest text of the Float, instead of the many digits of the equivalent Double.
        (value as? NSNumber).map { .double(Double($0.floatValue.description) ?? $0.doubleValue) }
      case .doubleAttributeType: (value as? NSNumber).map { .double($0.doubleValue) }
      case .decimalAttributeType: (value as? NSDecimalNumber).map { .decimal($0.decimalValue) }
      case .transformableAttributeType:
        Self.plain(value) ?? .other(ValueJSON.text(of: value, extent.limits))
      default: nil
      }
    self = known ?? Self.ofAnyType(value)
  }

  /// Converts values whose Swift type determines the case; nil for others.
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
    case let value as [String: Any]: .composite(value.mapValues(ofAnyType))
    default: .other(String(describing: value))
    }
  }

  /// The value in the form that the library accepts; nil for no value, and for cases that cannot be entered as text.
  var libraryValue: Any? {
    switch self {
    case .null, .object, .objects, .count, .composite, .other, .unread, .unreadable: nil
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
