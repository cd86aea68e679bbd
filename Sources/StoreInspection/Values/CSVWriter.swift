import ObjectModel
import Foundation

/// Writes rows as comma-separated values by RFC 4180: a header, lines that end in CR LF, quotes
/// where a field needs them.
///
/// Values are written as in JSON, texts without their quotes, and what is nil or cannot be read as an empty field.
/// (An empty text is `""`, so it stays apart from those.)
package struct CSVWriter: RowWriter {
  private let output: (String) -> Void
  private let quotesFormulas: Bool
  private var isSectioned = false
  private var sectionField = ""

  /// Makes a writer; each call of `output` is one record with its end.
  ///
  /// - Parameter quotesFormulas: whether an apostrophe goes before each text that a spreadsheet would run as a formula,
  ///   which a stranger's store may hold; see ``quoted(_:)``. The titles of columns, `@section` among them, are such
  ///   texts, too. Numbers stay numbers.
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

  /// One value as a field.
  ///
  /// - Parameter quotesFormulas: whether a text that a spreadsheet would run gets an apostrophe; see ``quoted(_:)``.
  package static func text(of value: CellValue, quotesFormulas: Bool = false) -> String {
    if let text = value.plainText { return field(text, quotesFormulas: quotesFormulas) }
    return switch value {
    case .double, .decimal, .uuid, .unread: value.formatted
    case .boolean, .integer, .objects, .count: JSONWriter.text(of: value)
    default: ""
    }
  }

  /// A text as a field, quoted where it holds a separator or would be taken for nothing.
  ///
  /// - Parameter quotesFormulas: whether a text that a spreadsheet would run gets an apostrophe; see ``quoted(_:)``. Where a
  ///   spreadsheet takes another sign than a comma for the separator, what follows that sign would begin a cell, so that
  ///   such texts have quotes, too.
  package static func field(_ text: String, quotesFormulas: Bool = false) -> String {
    let text = quotesFormulas ? quoted(text) : text
    let needsQuotes =
      text.isEmpty
      || text.unicodeScalars.contains {
        [",", "\"", "\n", "\r"].contains($0) || quotesFormulas && [";", "\t", "|"].contains($0)
      }
    return needsQuotes ? "\"" + text.replacing(scalar: "\"", with: "\"\"") + "\"" : text
  }

  /// A text with an apostrophe before it where a spreadsheet would take it for a formula: where it begins with `=`, `+`, `-`,
  /// `@`, a tab or a line end, or with one of the wide forms of the signs.
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
