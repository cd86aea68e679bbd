import ObjectModel
import Foundation

/// Writes rows as comma-separated values according to RFC 4180: a header, lines that end in CR LF, quotes around fields
/// that need them.
///
/// Values are written as in JSON, strings without quotes. A composite value is its JSON text. A value that is nil or
/// cannot be read is an empty field; an empty string is `""`, to distinguish the two.
package struct CSVWriter: RowWriter {
  private let output: (String) -> Void
  private let quotesFormulas: Bool
  private var isSectioned = false
  private var sectionField = ""

  /// Makes a writer; each call to `output` receives one record with its line end.
  ///
  /// - Parameter quotesFormulas: Whether to put an apostrophe before text that a spreadsheet would run as a formula,
  ///   which a store from an untrusted source may contain; see ``quoted(_:)``. This includes the titles of columns,
  ///   `@section` among them. Numbers stay numbers.
  package init(quotesFormulas: Bool = false, output: @escaping (String) -> Void) {
    self.quotesFormulas = quotesFormulas
    self.output = output
  }

  package mutating func begin(columns: [String], sectioned: Bool) {
    isSectioned = sectioned
    let titles = (sectioned ? [sectionColumnName] : []) + columns
    write(titles.map { Self.field($0, quotesFormulas: quotesFormulas) })
  }

  package mutating func section(_ name: String?, count: Int) {
    sectionField = name.map { Self.field($0, quotesFormulas: quotesFormulas) } ?? ""
  }

  package mutating func row(_ values: [CellValue]) {
    let fields = values.map { Self.text(of: $0, quotesFormulas: quotesFormulas) }
    write((isSectioned ? [sectionField] : []) + fields)
  }

  package mutating func end() {}

  private func write(_ fields: [String]) {
    output(fields.joined(separator: ",") + "\r\n")
  }

  /// Formats one value as a field.
  ///
  /// - Parameter quotesFormulas: Whether to put an apostrophe before formulas; see ``quoted(_:)``.
  package static func text(of value: CellValue, quotesFormulas: Bool = false) -> String {
    if let text = value.plainText { return field(text, quotesFormulas: quotesFormulas) }
    return switch value {
    case .double, .decimal, .uuid, .unread: value.formatted
    case .boolean, .integer, .objects, .count: JSONWriter.text(of: value)
    case .composite: field(JSONWriter.text(of: value), quotesFormulas: quotesFormulas)
    default: ""
    }
  }

  /// Formats text as a field, quoted if it contains a separator or would otherwise read as nil.
  ///
  /// - Parameter quotesFormulas: Whether to put an apostrophe before formulas; see ``quoted(_:)``. Text that contains
  ///   other possible separators is quoted too, because a spreadsheet that splits at them would run the rest as a
  ///   formula.
  package static func field(_ text: String, quotesFormulas: Bool = false) -> String {
    let text = quotesFormulas ? quoted(text) : text
    // Compares scalars, because CR LF is one Character. A spreadsheet may also split a line at a semicolon, a tab or a
    // bar, and a part of the text could then be a formula.
    let needsQuotes =
      text.isEmpty
      || text.unicodeScalars.contains {
        [",", "\"", "\n", "\r"].contains($0) || quotesFormulas && [";", "\t", "|"].contains($0)
      }
    return needsQuotes ? "\"" + text.replacing(scalar: "\"", with: "\"\"") + "\"" : text
  }

  /// Returns text with an apostrophe before it if a spreadsheet would run it as a formula: if it begins with `=`,
  /// `+`, `-`, `@`, a tab or a line end, or with the full-width form of one of the signs.
  ///
  /// Source: OWASP, "CSV Injection", <https://owasp.org/www-community/attacks/CSV_Injection>.
  package static func quoted(_ text: String) -> String {
    guard let first = text.unicodeScalars.first, formulaSigns.contains(first) else { return text }
    return "'" + text
  }

  private static let formulaSigns: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
  ]
}
