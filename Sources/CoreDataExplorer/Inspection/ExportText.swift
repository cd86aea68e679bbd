import Foundation
import StoreInspection

/// The text of an export, some rows at a time: CSV, or a JSON array with a row on each line.
final class ExportText {
  private var text = ""
  private var writer: any RowWriter
  private let isArray: Bool
  private var isBegun = false

  /// - Parameter quotesFormulas: whether texts of CSV that a spreadsheet would run are kept from it.
  init(_ format: TableExport.Format, columns: [String], quotesFormulas: Bool) {
    isArray = format == .json
    writer = CSVWriter { _ in }
    writer =
      switch format {
      case .csv: CSVWriter(quotesFormulas: quotesFormulas) { [unowned self] in text += $0 }
      case .json: JSONWriter { [unowned self] in add($0) }
      }
    writer.begin(columns: columns, sectioned: false)
  }

  /// An object, which the writer ends a line with.
  private func add(_ line: String) {
    text += isBegun ? ",\n" : "[\n"
    text += line.dropLast()
    isBegun = true
  }

  /// Adds rows. A value that cannot be read is a text that says so: an export has no exit code that could.
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

  /// Returns what was written since the last time.
  func drain() -> Data {
    defer { text = "" }
    return Data(text.utf8)
  }
}
