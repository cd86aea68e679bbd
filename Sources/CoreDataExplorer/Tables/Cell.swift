import Foundation
import StoreInspection

/// A value for a page: plain JSON for types that JavaScript has, otherwise an object with a type.
struct Cell: Encodable, Equatable {
  /// The maximum length of a shown text, in Unicode scalars.
  private static let shownLength = 200
  /// The maximum number of shown bytes of data.
  private static let shownBytes = 32

  let value: CellValue
  /// The label of the object that the value refers to; nil if it was not read, and for other values.
  var label: String?
  /// The size of data that was not read; nil for other values.
  var unreadSize: Int?

  private enum Key: String, CodingKey {
    case type = "t"
    case value = "v"
    case length, size, head, entity, id, label, count
  }

  func encode(to encoder: any Encoder) throws {
    if let unreadSize { return try encode(size: unreadSize, head: Data(), encoder) }
    switch value {
    case .null:
      var plain = encoder.singleValueContainer()
      try plain.encodeNil()
    case .unreadable: try typed("unreadable", value.formatted, encoder)
    case .boolean(let truth): try plain(truth, encoder)
    case .integer(let number):
      // Larger integers are not exact in JavaScript, whose numbers have a precision of 53 bits.
      if number.magnitude <= 1 << 53 {
        try plain(number, encoder)
      } else {
        try typed("int64", "\(number)", encoder)
      }
    case .double(let number):
      if number.isFinite {
        try plain(number, encoder)
      } else {
        try typed("other", "\(number)", encoder)
      }
    case .text(let text): try encode(text, as: nil, encoder)
    case .decimal(let number): try typed("decimal", "\(number)", encoder)
    case .date(let date): try typed("date", DateText.iso8601(date), encoder)
    case .uuid(let uuid): try typed("uuid", uuid.uuidString, encoder)
    case .url(let url): try typed("uri", url.absoluteString, encoder)
    case .composite: try encode(value.formatted, as: "other", encoder)
    case .other(let text): try encode(text, as: "other", encoder)
    case .count(let count): try plain(count, encoder)
    case .data(let data):
      try encode(size: data.count, head: data.prefix(Self.shownBytes), encoder)
    case .unread(let size, let first): try encode(size: size, head: first, encoder)
    case .object(let entity, let key):
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encode("ref", forKey: .type)
      try fields.encode(entity, forKey: .entity)
      try fields.encode(ObjectReference.text(ofKey: key), forKey: .id)
      try fields.encodeIfPresent(label, forKey: .label)
    case .objects(_, let count):
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encode("many", forKey: .type)
      try fields.encode(CappedCount(count: count), forKey: .count)
    }
  }

  private func encode(size: Int, head: Data, _ encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode("data", forKey: .type)
    try fields.encode(size, forKey: .size)
    try fields.encode(head.map { String(format: "%02x", $0) }.joined(), forKey: .head)
  }

  private func plain(_ value: some Encodable, _ encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  private func typed(_ type: String, _ value: String, _ encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(type, forKey: .type)
    try fields.encode(value, forKey: .value)
  }

  /// - Parameter type: The type of a value that is represented by the text; nil for a string.
  private func encode(_ text: String, as type: String?, _ encoder: any Encoder) throws {
    let shown = text.cut(to: Self.shownLength)
    guard shown.utf8.count < text.utf8.count else {
      return try type.map { try typed($0, text, encoder) } ?? plain(text, encoder)
    }
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode("cut", forKey: .type)
    try fields.encode(shown, forKey: .value)
    try fields.encode(text.unicodeScalars.count, forKey: .length)
  }
}

/// A number of rows that is counted up to ten thousand; `"10000+"` for more.
struct CappedCount: Encodable, Equatable {
  static let limit = 10_000
  let count: Int

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if count > Self.limit {
      try container.encode("\(Self.limit)+")
    } else {
      try container.encode(count)
    }
  }
}
