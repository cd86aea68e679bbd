import StoreEngine

/// The right side of `IN (…)`: parameters if there are few values, or else one JSON string, because the number of
/// parameters in a statement is limited.
enum ValueList {
  /// The maximum length of a list with parameters.
  private static let parameterLimit = 100

  /// Returns the list as SQL, without parentheses; nil if only a function of the library can read the values, and
  /// `callsFunctions` is false.
  static func sql(_ values: [StoredValue], callsFunctions: Bool) -> SQLText? {
    guard values.count > parameterLimit else {
      return SQLText(
        Array(repeating: "?", count: values.count).joined(separator: ", "), parameters: values)
    }
    // SQLite reads integers in JSON exactly, so they need no function call.
    let isPlain = values.allSatisfy {
      switch $0 {
      case .integer, .reference: true
      default: false
      }
    }
    guard isPlain || callsFunctions else { return nil }
    let list = values.map { isPlain ? number($0) : tagged($0) }.joined(separator: ",")
    return SQLText(
      "SELECT \(isPlain ? "value" : "\(SQLFunctionNames.decoded)(value)") FROM json_each(?)",
      parameters: [.text("[\(list)]")])
  }

  private static func number(_ value: StoredValue) -> String {
    switch value {
    case .integer(let number): String(number)
    case .reference(let id): String(id.key)
    default: "null"
    }
  }

  /// Returns a value as a JSON string: a letter for its type, then its digits or its bytes in base 16, so that
  /// nothing is rounded and nothing needs to be escaped.
  private static func tagged(_ value: StoredValue) -> String {
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      var text = ""
      for byte in bytes {
        if byte < 16 { text += "0" }
        text += String(byte, radix: 16)
      }
      return text
    }
    return switch value {
    case .integer(let number): "\"i\(String(number, radix: 16))\""
    case .reference(let id): "\"i\(String(id.key, radix: 16))\""
    case .double(let number): "\"f\(String(number.bitPattern, radix: 16))\""
    case .decimal(let number):
      Int64(number.stringValue).map { tagged(.integer($0)) }
        ?? tagged(.double(Double(number.stringValue) ?? number.doubleValue))
    case .text(let text): "\"t\(hex(text.utf8))\""
    case .uri(let uri): "\"t\(hex(uri.absoluteString.utf8))\""
    case .data(let data): "\"b\(hex(data))\""
    case .uuid(let uuid): "\"b\(hex(uuid.bytes))\""
    case .null, .object: "null"
    }
  }

  /// Returns a value as a call to a function that returns its argument, or NULL without a call. See
  /// `SQLiteDialect.constant(_:)`.
  static func literal(_ value: StoredValue) -> String {
    let constant: String
    switch value {
    case .integer, .reference: constant = number(value)
    default:
      let text = tagged(value)
      if text == "null" { return "NULL" }
      constant = "\(SQLFunctionNames.decoded)('\(text.dropFirst().dropLast())')"
    }
    return "\(SQLFunctionNames.literal)(\(constant))"
  }

  /// Returns the value of an encoded string; nil for any other string.
  static func decoded(_ text: String) -> StoredValue? {
    let digits = text.dropFirst()
    func bytes() -> [UInt8]? {
      var result: [UInt8] = []
      var rest = digits.utf8.makeIterator()
      while let high = rest.next() {
        guard let low = rest.next(), let a = nibble(high), let b = nibble(low) else { return nil }
        result.append(a << 4 | b)
      }
      return result
    }
    switch text.first {
    case "i": return Int64(digits, radix: 16).map(StoredValue.integer)
    case "f": return UInt64(digits, radix: 16).map { .double(Double(bitPattern: $0)) }
    case "t": return bytes().map { .text(String(decoding: $0, as: UTF8.self)) }
    case "b": return bytes().map { .data(Data($0)) }
    default: return nil
    }
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
