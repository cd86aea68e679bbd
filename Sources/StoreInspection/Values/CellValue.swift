package import Foundation

/// One value to be shown or written, independent of the object that it came from.
package enum CellValue: Equatable, Sendable {
  case null
  /// A value that the row has but that cannot be read, for example because its file is missing.
  case unreadable
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)
  case text(String)
  case date(Date)
  case data(Data)
  /// The size and the first bytes of data that was not read completely.
  case unread(size: Int, first: Data)
  case uuid(UUID)
  case url(URL)
  /// The target of a to-one relationship, or the row itself.
  case object(entity: String, key: Int64)
  /// The targets of a to-many relationship, as a count.
  case objects(entity: String, count: Int)
  /// A count, as opposed to a number that was read from a store. It is formatted with grouping separators.
  case count(Int)
  /// The values of a composite attribute's elements, by name.
  case composite([String: CellValue])
  /// A value of any other type as text: the JSON of a transformable value, or a description.
  case other(String)

  /// Whether a column of such values is right-aligned.
  package var isNumber: Bool {
    switch self {
    case .integer, .double, .decimal, .count: true
    default: false
    }
  }

  /// Whether a value may be truncated. A truncated number would be a wrong number.
  package var mayBeCut: Bool {
    switch self {
    case .text, .url, .composite, .other: true
    default: false
    }
  }

  /// The text of a value in CSV and JSON files, if it may contain characters that their writers must quote; nil for
  /// other values.
  var plainText: String? {
    switch self {
    case .text(let value), .other(let value): value
    case .date(let value): DateText.iso8601(value)
    case .data(let value): value.base64EncodedString()
    case .url(let value): value.absoluteString
    case .object(let entity, let key): "\(entity)/p\(key)"
    default: nil
    }
  }
}
