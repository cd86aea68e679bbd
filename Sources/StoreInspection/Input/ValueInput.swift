import Foundation
package import ObjectModel

/// Parses text from the command line as a value.
package enum ValueInput {
  /// Returns the value; throws an error that identifies the property, the text and what was expected.
  package static func value(
    of text: String, as type: NSAttributeType, for key: String
  ) throws(Diagnostic) -> CellValue {
    let isData = type == .binaryDataAttributeType || type == .transformableAttributeType
    // `@` marks the path of a file. No base64 text contains it.
    if isData, text.hasPrefix("@") {
      return .data(try contents(ofFile: String(text.dropFirst()), for: key))
    }
    guard let value = plainValue(of: text, as: type) else {
      throw Diagnostic(
        .usage, "'\(text)' is not a valid value for \(key)",
        details: ["Expected \(type.expectation ?? "no text")."])
    }
    return value
  }

  private static func plainValue(of text: String, as type: NSAttributeType) -> CellValue? {
    switch type {
    case .stringAttributeType: .text(text)
    case .integer16AttributeType: Int16(text).map { .integer(Int64($0)) }
    case .integer32AttributeType: Int32(text).map { .integer(Int64($0)) }
    case .integer64AttributeType: Int64(text).map { .integer($0) }
    case .floatAttributeType: finite(text, Float.self).map { .double(Double($0)) }
    case .doubleAttributeType: finite(text, Double.self).map { .double($0) }
    case .decimalAttributeType: decimal(text).map { .decimal($0) }
    case .booleanAttributeType: boolean(text).map { .boolean($0) }
    case .dateAttributeType: DateInput.date(text).map { .date($0) }
    case .binaryDataAttributeType, .transformableAttributeType:
      Data(base64Encoded: text).map { .data($0) }
    case .UUIDAttributeType: UUID(uuidString: text).map { .uuid($0) }
    case .URIAttributeType: text.isEmpty ? nil : URL(string: text).map { .url($0) }
    default: nil
    }
  }

  /// Returns the number that a string denotes; nil if it is not a finite number of the type.
  private static func finite<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: String, _ type: Number.Type
  ) -> Number? {
    Number(text).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func decimal(_ text: String) -> Decimal? {
    // `Decimal(string:)` reads "12abc" as 12, so check the form first.
    let form = /[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/.asciiOnlyDigits()
    guard text.wholeMatch(of: form) != nil else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "1": true
    case "no", "false", "0": false
    default: nil
    }
  }

  /// The maximum size of a file that is read as a value, in bytes: SQLite's default limit for a value.
  package static let largestFile = PlainFile.largestSize

  private static func contents(ofFile path: String, for key: String) throws(Diagnostic) -> Data {
    do {
      return try PlainFile.read(URL(fileURLWithPath: path), limit: largestFile)
    } catch let error as CocoaError where error.code == .fileReadTooLarge {
      throw Diagnostic(
        .usage, "the file '\(path)' for \(key) is too large",
        details: ["A value can have at most \(CountText.grouped(largestFile)) bytes."])
    } catch {
      throw Diagnostic(
        .usage, "the file '\(path)' for \(key) cannot be read: \(error.localizedDescription)")
    }
  }
}

extension NSAttributeType {
  /// The expected form of a value of the type, for messages; nil for types that have no text form.
  package var expectation: String? {
    func wholeNumber<Number: FixedWidthInteger>(_ type: Number.Type) -> String {
      "an integer from \(Number.min) to \(Number.max)"
    }
    return switch self {
    case .integer16AttributeType: wholeNumber(Int16.self)
    case .integer32AttributeType: wholeNumber(Int32.self)
    case .integer64AttributeType: wholeNumber(Int64.self)
    case .floatAttributeType: "a number from -3.4e38 to 3.4e38"
    case .doubleAttributeType, .decimalAttributeType: "a number"
    case .stringAttributeType: "text"
    case .booleanAttributeType: "yes or no"
    case .dateAttributeType:
      "a date like 2024-05-01, '2024-05-01 14:30:00' (UTC) or 2024-05-01T14:30:00+02:00"
    case .binaryDataAttributeType, .transformableAttributeType:
      "base64, or @ followed by the path of a file"
    case .UUIDAttributeType: "a UUID like 0A0B0C0D-1111-2222-3333-444455556666"
    case .URIAttributeType: "a URL"
    default: nil
    }
  }
}
