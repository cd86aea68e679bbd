import Foundation
import ObjectModel

/// Writes rows as JSON, one object per line ("JSON Lines"), in the order of the columns.
///
/// Numbers are numbers, dates ISO 8601 strings in UTC, data base64; nil and values that cannot be read are `null`.
/// The value of a to-one relationship is the ID of its target, such as `"Team/p12"`; that of a to-many relationship is
/// the number of its targets. The value of a composite attribute is an object with the elements that are not nil.
/// Numbers that JSON does not support (infinity, NaN) are strings.
package struct JSONWriter: RowWriter {
  private let output: (String) -> Void
  private var keys: [String] = []
  private var sectionPart = ""

  /// Makes a writer; each call to `output` receives one line with its line end.
  package init(output: @escaping (String) -> Void) {
    self.output = output
  }

  package mutating func begin(columns: [String], sectioned: Bool) {
    // Quote the keys once instead of for each row.
    keys = columns.map { JSONText.quoted($0) + ":" }
  }

  package mutating func section(_ name: String?, count: Int) {
    let name = name.map(JSONText.quoted) ?? "null"
    sectionPart = "\(JSONText.quoted(sectionColumnName)):\(name),"
  }

  package mutating func row(_ values: [CellValue]) {
    var line = "{" + sectionPart
    for (index, value) in values.enumerated() {
      if index > 0 { line += "," }
      line += keys[index]
      line += Self.text(of: value)
    }
    output(line + "}\n")
  }

  package mutating func end() {}

  /// Formats one value as JSON.
  package static func text(of value: CellValue) -> String {
    switch value {
    case .null, .unreadable: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    // JSON has no infinite numbers and no NaN.
    case .double(let value): value.isFinite ? value.description : JSONText.quoted(value.description)
    case .decimal(let value): value.isNaN ? JSONText.quoted("nan") : value.description
    case .objects(_, let count), .count(let count): String(count)
    case .composite(let elements):
      "{"
        + elements.inOrder.map { "\(JSONText.quoted($0.name)):\(text(of: $0.value))" }
        .joined(separator: ",") + "}"
    default: JSONText.quoted(value.plainText ?? value.formatted)
    }
  }
}
