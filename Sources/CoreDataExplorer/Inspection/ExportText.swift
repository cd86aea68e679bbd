import Foundation
import StoreInspection

/// The text of an export, written in parts: CSV, or a JSON array with one row per line.
final class ExportText {
  private var text = ""
  private var writer: any RowWriter
  private let isArray: Bool
  private var isBegun = false

  /// - Parameter quotesFormulas: For CSV: whether to quote text that a spreadsheet would run as a formula.
  init(_ format: TableExport.Format, columns: [String], quotesFormulas: Bool) {
    isArray = format == .json
    // A placeholder: the real writers refer to `self`, which must be initialized before.
    writer = CSVWriter { _ in }
    writer =
      switch format {
      case .csv: CSVWriter(quotesFormulas: quotesFormulas) { [unowned self] in text += $0 }
      case .json: JSONWriter { [unowned self] in add($0) }
      }
    writer.begin(columns: columns, sectioned: false)
  }

  /// Adds an object, without the line end from the writer.
  private func add(_ line: String) {
    text += isBegun ? ",\n" : "[\n"
    text += line.dropLast()
    isBegun = true
  }

  /// Adds rows. A value that cannot be read becomes a string that says so, because an export has no exit code to report
  /// it.
  func add(_ rows: some Sequence<[CellValue]>) {
    for row in rows {
      writer.row(
        row.map { value -> CellValue in
          if case .unreadable = value { return .text(value.formatted) }
          return value
        })
    }
  }

  func end() {
    writer.end()
    if isArray { text += isBegun ? "\n]\n" : "[]\n" }
  }

  /// Returns the text written since the last call.
  func drain() -> Data {
    defer { text = "" }
    return Data(text.utf8)
  }
}
