import Foundation

/// Writes rows as comma-separated values by RFC 4180: a header, lines that end in CR LF, quotes
/// where a field needs them.
///
/// Values are written as in JSON, texts without their quotes and what is nil as an empty field.
/// (An empty text is `""`, so the two stay apart.)
package struct CSVWriter: RowWriter {
  private let output: (String) -> Void
  private var isSectioned = false
  private var sectionField = ""

  /// Each call of `output` is one record with its end.
  package init(output: @escaping (String) -> Void) {
    self.output = output
  }

  package mutating func begin(columns: [String], sectioned: Bool) {
    isSectioned = sectioned
    write((sectioned ? [sectionColumnName] : []) + columns.map(Self.field))
  }

  package mutating func section(_ name: String, count: Int) {
    sectionField = Self.field(name)
  }

  package mutating func row(_ values: [CellValue]) {
    write((isSectioned ? [sectionField] : []) + values.map(Self.text))
  }

  package mutating func end() {}

  private func write(_ fields: [String]) {
    output(fields.joined(separator: ",") + "\r\n")
  }

  /// One value as a field.
  package static func text(of value: CellValue) -> String {
    switch value {
    case .null: ""
    case .boolean, .integer, .objects, .count: JSONWriter.text(of: value)
    case .double(let value): value.description
    case .decimal(let value): value.description
    case .text(let value), .other(let value): field(value)
    case .date(let value): field(DateText.iso8601(value))
    case .data(let value): field(value.base64EncodedString())
    case .uuid(let value): value.uuidString
    case .url(let value): field(value.absoluteString)
    case .object(let entity, let key): "\(entity)/p\(key)"
    }
  }

  /// A text as a field, quoted where it holds a separator or would be taken for nothing.
  package static func field(_ text: String) -> String {
    let needsQuotes =
      text.isEmpty || text.unicodeScalars.contains { [",", "\"", "\n", "\r"].contains($0) }
    guard needsQuotes else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
