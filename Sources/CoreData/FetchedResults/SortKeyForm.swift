/// Encodes the sort values of rows as bytes whose order is the order of the rows. With these bytes, live results
/// compare rows without looking at types, and need not keep the values. Collations are applied once, when the bytes are
/// written. SQL statements sort text by the same bytes (`SQLFunctionNames.order`), so that live results and fetches
/// agree.
///
/// Each value is one field: a byte for the type, in SQLite's order of types (NULL, numbers, text, blobs), followed by
/// the value. Fields are self-delimiting. The fields of a descending sort are inverted.
struct SortKeyForm {
  private let fields: [Field]

  private struct Field {
    let isDescending: Bool
    let comparison: StringComparison
    let numbers: Numbers
  }

  private enum Numbers {
    /// Integers only: as many bytes as the number needs.
    case integers
    case doubles
    /// Integers, doubles and decimals, which compare exactly.
    case both

    init(_ kind: ValueKind) {
      switch kind {
      case .integer, .object: self = .integers
      case .double, .date: self = .doubles
      default: self = .both
      }
    }
  }

  private enum Tag {
    static let null: UInt8 = 0
    /// The tag of the integer 0. The tags of other integers are offset by their number of bytes, which is at most
    /// eight, so all of them are between the tags of NULL and doubles.
    static let zero: UInt8 = 0x14
    static let double: UInt8 = 0x20
    static let text: UInt8 = 0x30
    static let data: UInt8 = 0x40
    static let opaque: UInt8 = 0x50
  }

  init(_ sorts: [BoundSort]) {
    fields = sorts.map { sort in
      Field(
        isDescending: !sort.ascending, comparison: sort.comparison, numbers: Numbers(sort.key.kind))
    }
  }

  /// The number of values in a key.
  var count: Int { fields.count }

  // MARK: Writing

  /// Appends the field of a value.
  func append(_ value: StoredValue, _ index: Int, to bytes: inout [UInt8]) {
    let field = fields[index]
    let start = bytes.count
    switch value {
    case .null: bytes.append(Tag.null)
    case .integer(let value): append(value, field.numbers, to: &bytes)
    case .double(let value): append(value, field.numbers, to: &bytes)
    case .decimal:
      switch value.kept {
      case .integer(let value): append(value, field.numbers, to: &bytes)
      case .double(let value): append(value, field.numbers, to: &bytes)
      default: bytes.append(Tag.null)
      }
    case .reference(let id): append(id.key, field.numbers, to: &bytes)
    case .text(let text): append(text, field.comparison, to: &bytes)
    case .uri(let url): append(url.absoluteString, .literal, to: &bytes)
    case .data(let data):
      bytes.append(Tag.data)
      data.withUnsafeBytes { Self.append($0.bindMemory(to: UInt8.self), to: &bytes) }
    case .uuid(let uuid):
      bytes.append(Tag.data)
      withUnsafeBytes(of: uuid.uuid) {
        Self.append($0.bindMemory(to: UInt8.self), to: &bytes)
      }
    case .object: bytes.append(Tag.opaque)
    }
    if field.isDescending { Self.invert(&bytes, from: start) }
  }

  /// Appends the sort key of a cursor's row. The first values of the row are the sort values.
  ///
  /// - Throws: An error if there is not enough memory to read a string.
  func append(_ row: RowCursor, to bytes: inout [UInt8]) throws {
    for index in fields.indices {
      if row.hasText(index) {
        append(text: try row.text(index), index, to: &bytes)
      } else {
        append(row.value(index), index, to: &bytes)
      }
    }
  }

  private static func invert(_ bytes: inout [UInt8], from start: Int) {
    for place in start..<bytes.count { bytes[place] = ~bytes[place] }
  }

  /// Appends the field of a string in UTF-8, or of NULL.
  func append(text: UnsafeRawBufferPointer?, _ index: Int, to bytes: inout [UInt8]) {
    guard let text else { return append(.null, index, to: &bytes) }
    let field = fields[index]
    let start = bytes.count
    bytes.append(Tag.text)
    field.comparison.withBytes(of: text.bindMemory(to: UInt8.self)) {
      Self.append($0, to: &bytes)
    }
    if field.isDescending { Self.invert(&bytes, from: start) }
  }

  /// Returns the sort key of an object with its current values.
  func key(of object: NSManagedObject, _ sorts: [BoundSort]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, sort) in sorts.enumerated() {
      append(try sort.evaluator.value(of: object), index, to: &bytes)
    }
    return bytes
  }

  private func append(_ text: String, _ comparison: StringComparison, to bytes: inout [UInt8]) {
    bytes.append(Tag.text)
    var text = text
    text.withUTF8 { comparison.withBytes(of: $0) { Self.append($0, to: &bytes) } }
  }

  /// Appends bytes and a terminating zero. Bytes 0 and 1 are escaped as two bytes.
  private static func append(_ content: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    // Text rarely contains these bytes, so it is mostly copied as a whole.
    if content.allSatisfy({ $0 > 1 }) {
      bytes.append(contentsOf: content)
    } else {
      for byte in content {
        // The terminating 0 precedes all bytes, so that a prefix comes first. The escape 1 keeps
        // the bytes 0 and 1 below all others and in their order.
        if byte > 1 { bytes.append(byte) } else { bytes += [1, byte + 1] }
      }
    }
    bytes.append(0)
  }

  private func append(_ value: Int64, _ numbers: Numbers, to bytes: inout [UInt8]) {
    switch numbers {
    case .integers:
      let magnitude = value.magnitude
      let length = (71 - magnitude.leadingZeroBitCount) / 8
      bytes.append(value < 0 ? Tag.zero - UInt8(length) : Tag.zero + UInt8(length))
      // Among negative numbers, the one with the larger magnitude comes first.
      let kept = value < 0 ? ~magnitude : magnitude
      for place in stride(from: length * 8 - 8, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: kept >> UInt64(place)))
      }
    case .doubles: append(Double(value), .doubles, to: &bytes)
    case .both:
      let double = Double(value)
      // The remainder that the double cannot represent. The largest integers round to 2^63, which is out of range.
      let rest = double >= 0x1p63 ? value &- Int64.max &- 1 : value - Int64(double)
      append(double, rest: rest, to: &bytes)
    }
  }

  private func append(_ value: Double, _ numbers: Numbers, to bytes: inout [UInt8]) {
    // SQLite stores NaN as NULL.
    if value.isNaN { return bytes.append(Tag.null) }
    switch numbers {
    case .integers:
      append(Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max), .integers, to: &bytes)
    case .doubles: append(value, rest: nil, to: &bytes)
    case .both: append(value, rest: 0, to: &bytes)
    }
  }

  private func append(_ value: Double, rest: Int64?, to bytes: inout [UInt8]) {
    bytes.append(Tag.double)
    // Negative zero equals zero. The bits of positive numbers have the order of the numbers, those
    // of negative ones the reverse order.
    let pattern = (value == 0 ? 0.0 : value).bitPattern
    let ordered = pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
    withUnsafeBytes(of: ordered.bigEndian) { bytes.append(contentsOf: $0) }
    if let rest {
      // The remainder of a 64-bit integer is at most 512, so two bytes suffice. The offset makes
      // negative remainders precede positive ones.
      withUnsafeBytes(of: UInt16(truncatingIfNeeded: rest + 0x8000).bigEndian) {
        bytes.append(contentsOf: $0)
      }
    }
  }

  // MARK: Comparing

  /// Compares two sort keys. The result is negative if the left key precedes the right one, and 0 if they are equal.
  func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    if let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}
