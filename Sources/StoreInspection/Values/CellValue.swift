package import Foundation

/// One value on its way to the screen or a file, free of the object it came from.
package enum CellValue: Equatable, Sendable {
  case null
  /// A value that the row has and that cannot be read, because its file is missing, for example.
  case unreadable
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)
  case text(String)
  case date(Date)
  case data(Data)
  /// Bytes that were not read but for the first.
  case unread(size: Int, first: Data)
  case uuid(UUID)
  case url(URL)
  /// The target of a to-one relationship, or the row itself.
  case object(entity: String, key: Int64)
  /// The targets of a to-many relationship, which are counted and not listed.
  case objects(entity: String, count: Int)
  /// A number of things, as against a number from a store: it is grouped for the reader.
  case count(Int)
  /// A value of a type this tool does not know, as its own description.
  case other(String)

  /// Whether a column of such values lines up at its right edge.
  package var isNumber: Bool {
    switch self {
    case .integer, .double, .decimal, .count: true
    default: false
    }
  }

  /// Whether a shortened form still says something true. Half a number does not.
  package var mayBeCut: Bool {
    switch self {
    case .text, .url, .other: true
    default: false
    }
  }
  /// The text of a value that may be any text, as files for programs have it; nil of others.
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
