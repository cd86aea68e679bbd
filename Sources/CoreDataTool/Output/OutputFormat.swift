import ArgumentParser
import StoreInspection

/// The forms a result is written in.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// For people.
  case table
  /// For programs, one object a line.
  case json
  /// For spreadsheets.
  case csv

  /// What writes this form.
  func writer(width: Int?, output: @escaping (String) -> Void) -> any RowWriter {
    switch self {
    case .table: TableRenderer(width: width, output: output)
    case .json: JSONWriter(output: output)
    case .csv: CSVWriter(output: output)
    }
  }
}
