/// Reads a binary property list (`bplist00`), including UIDs.
///
/// Foundation's reader hides the UIDs of keyed archives. This reader treats the data as untrusted: it checks each
/// size and offset against the data, and limits the nesting and the number of values.
package struct BinaryPropertyListReader {
  /// An error in the data.
  package struct Failure: Error {
    package let reason: String
  }

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let tableOffset: Int
  private var valuesLeft: Int
  /// The strings and data that are longer than ``shortLength``, by object number, so that all references to the same
  /// object share its storage. Otherwise many references to one long string would expand a small file to gigabytes.
  private var longValues: [Int: PropertyListValue] = [:]
  /// Whether to reject content that crashes Foundation's reader.
  private var isCautious = false

  /// The maximum nesting depth. Archives need only a few levels, because their objects are in one flat table.
  private static let deepestNesting = 32
  /// The maximum number of bytes of strings and data that are copied for each reference, because searching
  /// ``longValues`` for a short value costs more than copying it.
  private static let shortLength = 64
  private static let trailerSize = 32
  private static let headerSize = 8

  /// Returns the root value.
  ///
  /// - Throws: ``Failure``.
  static func read(_ data: Data) throws -> PropertyListValue {
    var (reader, root) = try open(data)
    return try reader.value(at: root, depth: 0)
  }

  /// Throws if the data is malformed or would crash Foundation's reader.
  static func check(_ data: Data) throws {
    var (reader, root) = try open(data)
    reader.isCautious = true
    _ = try reader.value(at: root, depth: 0)
  }

  private static func open(_ data: Data) throws -> (BinaryPropertyListReader, Int) {
    let bytes = [UInt8](data)
    guard bytes.starts(with: "bplist0".utf8) else {
      throw Failure(reason: "it is not a binary property list.")
    }
    guard bytes.count >= headerSize + trailerSize else { throw Failure(reason: "it is truncated.") }
    let trailer = bytes.count - trailerSize
    func number(_ place: Int) throws -> Int {
      let start = trailer + place
      // A number above `Int.max` must not wrap around to a negative offset.
      guard let number = Int(exactly: bytes[start..<(start + 8)].bigEndian) else {
        throw Failure(reason: "its trailer is invalid.")
      }
      return number
    }
    let reader = BinaryPropertyListReader(
      bytes: bytes, offsetSize: Int(bytes[trailer + 6]), referenceSize: Int(bytes[trailer + 7]),
      objectCount: try number(8), tableOffset: try number(24),
      // A shared value counts each time it is reached, so that a small file cannot expand to a huge value.
      valuesLeft: 4 * bytes.count + 1024)
    let root = try number(16)
    guard (1...8).contains(reader.offsetSize), (1...8).contains(reader.referenceSize),
      reader.objectCount > 0, root < reader.objectCount, reader.tableOffset >= headerSize,
      reader.tableOffset <= trailer,
      // A division, because the product of two untrusted numbers may overflow.
      reader.objectCount <= (trailer - reader.tableOffset) / reader.offsetSize
    else { throw Failure(reason: "its trailer is invalid.") }
    return (reader, root)
  }

  private func number(at place: Int, size: Int) throws -> Int {
    guard place >= 0, place <= tableEnd - size else { throw Failure(reason: "it is truncated.") }
    guard let number = Int(exactly: bytes[place..<(place + size)].bigEndian) else {
      throw Failure(reason: "a number is too large.")
    }
    return number
  }

  private var tableEnd: Int { bytes.count - Self.trailerSize }

  private mutating func value(at index: Int, depth: Int) throws -> PropertyListValue {
    guard index < objectCount else { throw Failure(reason: "it refers to a missing value.") }
    guard depth < Self.deepestNesting else { throw Failure(reason: "it is nested too deeply.") }
    valuesLeft -= 1
    guard valuesLeft > 0 else { throw Failure(reason: "it expands to too many values.") }
    let place = try number(at: tableOffset + index * offsetSize, size: offsetSize)
    guard place < tableOffset else { throw Failure(reason: "a value is outside the file.") }
    let marker = bytes[place]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0:
      switch marker {
      case 0x08: return .bool(false)
      case 0x09: return .bool(true)
      // The null object means nil, which archives represent as this string.
      case 0x00: return .string("$null")
      default: break
      }
    case 0x1: return try integer(after: place, power: low)
    case 0x2: return .real(try real(after: place, power: low))
    case 0x3 where low == 3:
      let seconds = try real(after: place, power: 3)
      if isCautious, seconds.isNaN { throw Failure(reason: "a date is not a number.") }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case 0x4, 0x5, 0x6:
      let unit = marker >> 4 == 0x6 ? 2 : 1
      let (start, count) = try extent(of: place, unit: unit)
      let content = bytes[start..<(start + count * unit)]
      if content.count <= Self.shortLength { return Self.value(of: content, type: marker >> 4) }
      if let known = longValues[index] { return known }
      let value = Self.value(of: content, type: marker >> 4)
      longValues[index] = value
      return value
    case 0x8: return .uid(try number(at: place + 1, size: low + 1))
    case 0xA, 0xB, 0xC:
      if isCautious, marker >> 4 != 0xA { throw Failure(reason: "it contains a set.") }
      let (start, count) = try extent(of: place, unit: referenceSize)
      return .array(
        try (0..<count).map { try value(at: reference(start, $0), depth: depth + 1) })
    case 0xD: return try dictionary(at: place, depth: depth)
    default: break
    }
    throw Failure(reason: "a value has an unknown type (\(marker)).")
  }

  /// Returns the data (type 4) or string (type 5: UTF-8, type 6: UTF-16) that consists of the given bytes.
  private static func value(of content: ArraySlice<UInt8>, type: UInt8) -> PropertyListValue {
    switch type {
    case 0x4: return .data(Data(content))
    case 0x5: return .string(String(decoding: content, as: UTF8.self))
    default:
      let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map { place in
        UInt16(content[place]) << 8 | UInt16(content[place + 1])
      }
      return .string(String(decoding: units, as: UTF16.self))
    }
  }

  private func integer(after place: Int, power: Int) throws -> PropertyListValue {
    guard power <= 4 else { throw Failure(reason: "a number is too large.") }
    let size = 1 << power
    // Numbers above `Int64.max` are stored in 16 bytes; a number that fits in 64 bits is in the last eight.
    let start = place + 1 + max(0, size - 8)
    let width = min(size, 8)
    guard start <= tableOffset - width else { throw Failure(reason: "it is truncated.") }
    let result = bytes[start..<(start + width)].bigEndian
    if size == 16, Int64(exactly: result) == nil, bytes[place + 1..<start].allSatisfy({ $0 == 0 }) {
      return .unsigned(result)
    }
    return .integer(Int64(bitPattern: result))
  }

  private func real(after place: Int, power: Int) throws -> Double {
    let size = 1 << power
    guard power == 2 || power == 3, place + 1 <= tableOffset - size else {
      throw Failure(reason: "a number is truncated or has an unknown type.")
    }
    let bits = bytes[(place + 1)..<(place + 1 + size)].bigEndian
    return size == 4
      ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
  }

  /// Returns the start of a value's content and its number of units, after checking that the content ends before the
  /// table of offsets.
  private func extent(of place: Int, unit: Int) throws -> (start: Int, count: Int) {
    var start = place + 1
    var count = Int(bytes[place] & 0x0F)
    if count == 0x0F {
      guard start < tableOffset, bytes[start] >> 4 == 1, bytes[start] & 0x0F <= 3 else {
        throw Failure(reason: "a length is invalid.")
      }
      let size = 1 << Int(bytes[start] & 0x0F)
      count = try number(at: start + 1, size: size)
      start += 1 + size
    }
    // A division, because `count * unit` may overflow.
    guard start <= tableOffset, count <= (tableOffset - start) / unit else {
      throw Failure(reason: "a value is longer than the file.")
    }
    return (start, count)
  }

  private func reference(_ start: Int, _ index: Int) throws -> Int {
    try number(at: start + index * referenceSize, size: referenceSize)
  }

  private mutating func dictionary(at place: Int, depth: Int) throws -> PropertyListValue {
    let (start, count) = try extent(of: place, unit: 2 * referenceSize)
    var result: [String: PropertyListValue] = [:]
    result.reserveCapacity(count)
    for index in 0..<count {
      // The references to all keys precede the references to all values.
      let key = try value(at: reference(start, index), depth: depth + 1)
      guard case .string(let name) = key else { throw Failure(reason: "a key is not a string.") }
      result[name] = try value(at: reference(start, count + index), depth: depth + 1)
    }
    return .dictionary(result)
  }
}

extension ArraySlice<UInt8> {
  /// The number in big-endian byte order.
  var bigEndian: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
