/// Writes what rows are ordered by as bytes that come in the order of the rows, so that a live result
/// needs no values and compares without looking at types. Collations are applied once, as the bytes are written.
/// Statements order texts by the same bytes (`SQLFunctionNames.order`), so that live results and fetches agree.
///
/// Each value is one field: a byte for its kind, in SQLite's order of kinds (NULL, numbers, text,
/// bytes), then what it is. A field says itself where it ends. Those of a descending sort are inverted.
struct SortKeyForm {
  private let fields: [Field]

  private struct Field {
    let isDescending: Bool
    let comparison: StringComparison
    let numbers: Numbers
  }

  private enum Numbers {
    /// As many bytes as the number needs.
    case integers
    case doubles
    /// Either, and decimals: they compare exactly.
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
    /// Of the integer 0; the tags of others say how many bytes follow.
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

  /// How many values make a key.
  var count: Int { fields.count }

  // MARK: Writing

  /// Adds the field of a value.
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

  /// Adds what orders the row at which a cursor stands: its first values.
  ///
  /// - Throws: when there is no memory for a text.
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

  /// Adds the field of a text in UTF-8, or of NULL.
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

  /// The key of an object as it is now.
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

  /// Adds bytes and a zero at their end; zeros and ones among them become two bytes.
  private static func append(_ content: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    if content.allSatisfy({ $0 > 1 }) {
      bytes.append(contentsOf: content)
    } else {
      for byte in content {
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
      let kept = value < 0 ? ~magnitude : magnitude
      for place in stride(from: length * 8 - 8, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: kept >> UInt64(place)))
      }
    case .doubles: append(Double(value), .doubles, to: &bytes)
    case .both:
      let double = Double(value)
      // What the double leaves out; 2 to the 63 is no Int64.
      let rest = double >= 0x1p63 ? value &- Int64.max &- 1 : value - Int64(double)
      append(double, rest: rest, to: &bytes)
    }
  }

  private func append(_ value: Double, _ numbers: Numbers, to bytes: inout [UInt8]) {
    // What is no number is NULL in the file.
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
    let pattern = (value == 0 ? 0.0 : value).bitPattern
    let ordered = pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
    withUnsafeBytes(of: ordered.bigEndian) { bytes.append(contentsOf: $0) }
    if let rest {
      withUnsafeBytes(of: UInt16(truncatingIfNeeded: rest + 0x8000).bigEndian) {
        bytes.append(contentsOf: $0)
      }
    }
  }

  // MARK: Comparing

  /// Negative when the row of the left key comes first; 0 where the sorts do not tell.
  func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    if let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}
