import ArgumentParser
import StoreInspection

/// The formats of a result.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// For people.
  case table
  /// For programs, one object per line.
  case json
  /// For spreadsheets.
  case csv

  /// How much of large values the format shows.
  var extent: ValueExtent { self == .table ? .shown : .whole }

  /// Makes a writer for this format.
  ///
  /// - Parameter quotesFormulas: For CSV: whether to quote text that a spreadsheet would run as a formula.
  func writer(
    width: Int?, quotesFormulas: Bool = false, output: @escaping (String) -> Void
  ) -> any RowWriter {
    switch self {
    case .table: TableRenderer(width: width, output: output)
    case .json: JSONWriter(output: output)
    case .csv: CSVWriter(quotesFormulas: quotesFormulas, output: output)
    }
  }
}

/// The formats of output that is not a table of rows.
enum TextFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// For people.
  case text
  /// For programs.
  case json
}
