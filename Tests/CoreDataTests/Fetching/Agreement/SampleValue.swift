import CoreData
import FixtureSupport

/// A value of an attribute as the tests store it.
enum SampleValue: Sendable, CustomStringConvertible {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case float(Float)
  case decimal(String)
  case text(String)
  case date(Double)
  case data([UInt8])
  case uuid(String)
  case uri(String)

  /// The value as passed to a managed object or a format.
  var object: Any? {
    switch self {
    case .null: nil
    case .boolean(let value): value
    case .integer(let value): value
    case .double(let value): value
    case .float(let value): value
    case .decimal(let digits): NSDecimalNumber(string: digits)
    case .text(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .uuid(let text): UUID(uuidString: text)
    case .uri(let text): URL(string: text)
    }
  }

  /// The value as written in a format, or nil if only an argument can express it exactly.
  var literal: String? {
    switch self {
    case .null: return "nil"
    case .boolean(let value): return value ? "YES" : "NO"
    case .integer(let value): return String(value)
    case .double(let value): return value.isFinite ? "\(value)" : nil
    case .float(let value): return "\(Double(value))"
    case .decimal(let digits): return "CAST(\"\(digits)\", \"NSDecimalNumber\")"
    case .text(let text):
      if text.unicodeScalars.contains(where: { $0.value < 0x20 }) { return nil }
      let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
        .replacingOccurrences(of: "\"", with: "\\\"")
      return "\"\(escaped)\""
    case .date(let seconds): return "CAST(\(String(format: "%.6f", seconds)), \"NSDate\")"
    case .data(let bytes): return "CAST(\"\(Data(bytes).base64EncodedString())\", \"NSData\")"
    case .uuid(let text): return "CAST(\"\(text)\", \"NSUUID\")"
    case .uri(let text): return "CAST(\"\(text)\", \"NSURL\")"
    }
  }

  var description: String {
    if case .text(let text) = self { return text.debugDescription }
    return literal ?? "\(object ?? "nil")"
  }

  var isNull: Bool { if case .null = self { true } else { false } }
}

/// Values that are likely to reveal differences.
enum SampleValues {
  static func kind(of type: NSAttributeType) -> FormatTree.Kind? {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .booleanAttributeType:
      .integer
    case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: .number
    case .stringAttributeType: .text
    case .dateAttributeType: .date
    case .binaryDataAttributeType: .data
    case .UUIDAttributeType: .uuid
    case .URIAttributeType: .uri
    default: nil
    }
  }

  static let words: [String] = [
    "", "a", "A", "ab", "Ab", "abc", "ABC", "b", "é", "É", "e\u{301}", "E\u{301}", "e", "ñ",
    "straße", "STRASSE", "ß", "ss", "İ", "ı", "i", "I", "i\u{307}", "ﬁ", "fi", "Å", "å",
    "A\u{30A}", "Ω", "ω", "ς", "σ", "Σ", "👍", "👍🏽", "👩‍👩‍👧", "🇩🇪", "%", "100%", "_", "x_y", "*",
    "z*", "?", "a?b", "\\", "a\\b", "\"", "'", "it's", "a\nb", "tab\t", "日本", "カ", "ｶ", " ",
    "  ", "0", "1", "10", "9", "(", "[a]", ".", "a.b", "^", "$x", "%@", "nil", "a\u{0}b", "ŉ", "ﬃ",
    "\u{200D}", "한글", "하", "\u{1112}\u{1161}", "ὀδυσσεύς", "ΟΔΥΣΣΕΥΣ", "æ", "Æ", "ø", "đ", "ł",
    "ا\u{64B}", "q\u{307}\u{323}", "q\u{323}\u{307}", String(repeating: "long ", count: 60) + "x",
  ]
  static let doubles: [Double] = [
    0, -0.0, 0.5, 1, 1.5, -2.25, 3, 7, 10, 0.1, 0.2, 0.3, -1, 1e300, -1e300, .leastNonzeroMagnitude,
    1e-10, 1e15,
    9_007_199_254_740_992, 9.3e18, -9.223372036854775808e18, .greatestFiniteMagnitude, 100.25,
  ]
  static let decimals = [
    "0", "1", "-1", "0.1", "0.2", "0.3", "2.5", "100.25", "-99.99", "123456789.12", "1e20",
    "0.000001", "7", "3", "12345678901234.5",
  ]
  static let dates: [Double] = [
    0, 1, -1, 0.5, 1000, -1_000_000, 1e9, 123456.789, 86400, 631_152_000.25, -63_114_076_800,
  ]
  static let uuids = [
    "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9", "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8FA",
    "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
  ]
  static let uris = [
    "https://example.com/a", "https://example.com/A", "https://example.com/a?b=c#d",
    "file:///x%20y", "mailto:x@y.z", "urn:x",
  ]
  static let bytes: [[UInt8]] = [
    [], [0], [0, 1], [255], [97, 98, 99], [97, 98], Array(repeating: 7, count: 200),
  ]

  /// Returns a random value that an attribute of a type can have. About one in six is nil.
  static func value(
    of type: NSAttributeType, _ random: inout SeededGenerator, canBeNull: Bool = true
  ) -> SampleValue {
    if canBeNull, Int.random(in: 0..<6, using: &random) == 0 { return .null }
    func integer(_ least: Int64, _ most: Int64) -> SampleValue {
      let small = Int64.random(in: -3...12, using: &random)
      let extremes: [Int64] = [least, most, most - 1, least + 1, most / 2]
      let extreme = extremes.randomElement(using: &random) ?? 0
      return .integer(Int.random(in: 0..<6, using: &random) == 0 ? extreme : small)
    }
    switch type {
    case .integer16AttributeType: return integer(Int64(Int16.min), Int64(Int16.max))
    case .integer32AttributeType: return integer(Int64(Int32.min), Int64(Int32.max))
    case .integer64AttributeType: return integer(.min, .max)
    case .booleanAttributeType: return .boolean(Bool.random(using: &random))
    case .doubleAttributeType: return .double(doubles.randomElement(using: &random) ?? 0)
    case .floatAttributeType:
      return .float(
        [0, 0.5, 1, -2.25, 0.1, 3, 1e30, -1e-30, 16_777_216].randomElement(using: &random) ?? 0)
    case .decimalAttributeType: return .decimal(decimals.randomElement(using: &random) ?? "0")
    case .stringAttributeType: return .text(word(&random))
    case .dateAttributeType: return .date(dates.randomElement(using: &random) ?? 0)
    case .binaryDataAttributeType: return .data(bytes.randomElement(using: &random) ?? [])
    case .UUIDAttributeType: return .uuid(uuids.randomElement(using: &random) ?? "")
    case .URIAttributeType: return .uri(uris.randomElement(using: &random) ?? "")
    default: return .null
    }
  }

  static func word(_ random: inout SeededGenerator) -> String {
    let first = words.randomElement(using: &random) ?? ""
    guard Int.random(in: 0..<4, using: &random) == 0 else { return first }
    return first + (words.randomElement(using: &random) ?? "")
  }

  /// Returns a random constant to compare with values of a kind.
  static func constant(
    of kind: FormatTree.Kind, _ random: inout SeededGenerator
  ) -> SampleValue {
    let types: [NSAttributeType] =
      switch kind {
      case .integer:
        [.integer16AttributeType, .integer16AttributeType, .integer64AttributeType]
      case .number:
        [
          .integer16AttributeType, .doubleAttributeType, .decimalAttributeType,
          .booleanAttributeType,
        ]
      case .text: [.stringAttributeType]
      case .date: [.dateAttributeType]
      case .data: [.binaryDataAttributeType]
      case .uuid: [.UUIDAttributeType]
      case .uri: [.URIAttributeType]
      default: [.undefinedAttributeType]
      }
    let type = types.randomElement(using: &random) ?? .undefinedAttributeType
    return value(of: type, &random, canBeNull: false)
  }
}
