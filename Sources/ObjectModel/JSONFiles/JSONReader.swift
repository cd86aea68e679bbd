/// Reads JSON (RFC 8259) strictly: it accepts nothing after the value, no duplicate names in an object, and
/// no nesting deeper than any model needs.
struct JSONReader {
  /// An error in the text. The reason contains the line, unless the text is not UTF-8.
  struct Failure: Error {
    let reason: String
  }

  private let bytes: [UInt8]
  private var place = 0
  // Reading recurses, and a file may nest to any depth.
  private static let deepestNesting = 64

  /// Returns the JSON value in UTF-8 text.
  static func read(_ data: Data) throws -> JSONValue {
    // Check the whole text once, because decoding a part later would replace invalid bytes
    // silently.
    guard String(validating: data, as: UTF8.self) != nil else {
      throw Failure(reason: "it is not UTF-8 text.")
    }
    var reader = JSONReader(bytes: [UInt8](data))
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.place == reader.bytes.count else {
      throw reader.failure("there is text after the value")
    }
    return value
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func failure(_ reason: String) -> Failure {
    let line = 1 + bytes[..<min(place, bytes.count)].count { $0 == 0x0A }
    return Failure(reason: "line \(line): \(reason).")
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      place += 1
    }
  }

  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func consume(word: String) -> Bool {
    guard bytes[place...].starts(with: word.utf8) else { return false }
    place += word.utf8.count
    return true
  }

  private mutating func value(depth: Int) throws -> JSONValue {
    guard depth < Self.deepestNesting else { throw failure("values are nested too deeply") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "\""): return .text(try text())
    default: break
    }
    if consume(word: "true") { return .truth(true) }
    if consume(word: "false") { return .truth(false) }
    if consume(word: "null") { return .null }
    return try number()
  }

  private mutating func object(depth: Int) throws -> JSONValue {
    place += 1
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    skipSpace()
    if consume("}") { return .object([]) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a name is missing") }
      let name = try text()
      guard names.insert(name).inserted else { throw failure("'\(name)' occurs twice") }
      skipSpace()
      guard consume(":") else { throw failure("a colon is missing after '\(name)'") }
      members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
      skipSpace()
    } while consume(",")
    guard consume("}") else { throw failure("an object is not closed") }
    return .object(members)
  }

  private mutating func list(depth: Int) throws -> JSONValue {
    place += 1
    var values: [JSONValue] = []
    skipSpace()
    if consume("]") { return .list([]) }
    repeat {
      values.append(try value(depth: depth + 1))
      skipSpace()
    } while consume(",")
    guard consume("]") else { throw failure("an array is not closed") }
    return .list(values)
  }

  private mutating func number() throws -> JSONValue {
    let start = place
    _ = consume("-")
    let first = place
    guard digits() > 0 else { throw failure("a value is missing or invalid") }
    guard bytes[first] != UInt8(ascii: "0") || place == first + 1 else {
      throw failure("a number starts with a zero")
    }
    if consume("."), digits() == 0 { throw failure("a number ends with a decimal point") }
    if consume("e") || consume("E") {
      if !consume("+") { _ = consume("-") }
      guard digits() > 0 else { throw failure("a number has no exponent") }
    }
    return .number(String(decoding: bytes[start..<place], as: UTF8.self))
  }

  private mutating func digits() -> Int {
    let start = place
    while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
    return place - start
  }

  private mutating func text() throws -> String {
    place += 1
    var result: [UInt8] = []
    while let byte = next {
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
      case UInt8(ascii: "\\"): result.append(contentsOf: try escape().utf8)
      case ..<0x20: throw failure("a string contains a control character")
      default: result.append(byte)
      }
    }
    throw failure("a string is not closed")
  }

  private mutating func escape() throws -> String {
    guard let byte = next else { throw failure("a string is not closed") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return String(UnicodeScalar(byte))
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try codeUnit()
      var units = [unit]
      // A character above U+FFFF is two escape sequences (RFC 8259, section 7).
      if (0xD800..<0xDC00).contains(unit), consume(word: "\\u") { units.append(try codeUnit()) }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw failure("an escape sequence contains half a surrogate pair")
      }
      return text
    default: throw failure("a string contains an unknown escape sequence")
    }
  }

  private mutating func codeUnit() throws -> UInt16 {
    let end = place + 4
    guard end <= bytes.count,
      let unit = UInt16(String(decoding: bytes[place..<end], as: UTF8.self), radix: 16),
      // `UInt16(_:radix:)` also accepts a sign.
      bytes[place] != UInt8(ascii: "+"), bytes[place] != UInt8(ascii: "-")
    else { throw failure("an escape sequence does not have four digits") }
    place = end
    return unit
  }
}
