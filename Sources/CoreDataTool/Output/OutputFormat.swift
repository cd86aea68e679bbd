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

  /// How much of large values the form shows.
  var extent: ValueExtent { self == .table ? .shown : .whole }

  /// What writes this form.
  ///
  /// - Parameter quotesFormulas: whether texts that a spreadsheet would run are kept from it, in CSV.
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

/// The forms in which something that is no table is written.
enum TextFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// For people.
  case text
  /// For programs.
  case json
}
