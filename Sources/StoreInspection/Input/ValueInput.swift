import Foundation
import ObjectModel

/// Reads a text of the command line as a value.
package enum ValueInput {
  /// The value, or an error that names the property, the text and what was expected.
  package static func value(
    of text: String, as kind: InputType, for key: String
  ) throws(Diagnostic) -> CellValue {
    if case .data = kind, text.hasPrefix("@") {
      return .data(try contents(ofFile: String(text.dropFirst()), for: key))
    }
    guard let value = plainValue(of: text, as: kind) else {
      throw Diagnostic(
        .usage, "'\(text)' is not a value for \(key)", details: ["It takes \(kind.expectation)."])
    }
    return value
  }

  private static func plainValue(of text: String, as kind: InputType) -> CellValue? {
    switch kind {
    case .text: .text(text)
    case .integer(let bits):
      Int64(text).flatMap {
        (Int64.min >> (64 - bits)...Int64.max >> (64 - bits)).contains($0) ? .integer($0) : nil
      }
    case .float: finite(text).map { CellValue.double(Double(Float($0))) }
    case .double: finite(text).map(CellValue.double)
    case .decimal: decimal(text).map(CellValue.decimal)
    case .boolean: boolean(text).map(CellValue.boolean)
    case .date: DateInput.date(text).map(CellValue.date)
    case .data: Data(base64Encoded: text).map(CellValue.data)
    case .uuid: UUID(uuidString: text).map(CellValue.uuid)
    case .url: text.isEmpty ? nil : URL(string: text).map(CellValue.url)
    }
  }

  private static func finite(_ text: String) -> Double? {
    Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// `Decimal(string:)` reads "12abc" as 12, so the form is checked first.
  private static func decimal(_ text: String) -> Decimal? {
    guard text.wholeMatch(of: /[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/) != nil else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "1": true
    case "no", "false", "0": false
    default: nil
    }
  }

  /// The maximum size in bytes of a file that is read as a value: as many as SQLite stores in a value by default.
  package static let largestFile = PlainFile.largestSize

  private static func contents(ofFile path: String, for key: String) throws(Diagnostic) -> Data {
    do {
      return try PlainFile.read(URL(fileURLWithPath: path), limit: largestFile)
    } catch let error as CocoaError where error.code == .fileReadTooLarge {
      throw Diagnostic(
        .usage, "the file '\(path)' for \(key) is too large",
        details: ["A value has at most \(CountText.grouped(largestFile)) bytes."])
    } catch {
      throw Diagnostic(
        .usage, "the file '\(path)' for \(key) cannot be read: \(error.localizedDescription)")
    }
  }
}
