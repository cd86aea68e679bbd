/// The names under which the benchmark tool exports the metrics of a row of the results. Each contains the row's name,
/// because the tool exports the metrics of a row again with the rows after it.
struct MetricName {
  /// The factor that turns values into the integers that the tool keeps.
  static let parts = 1e6

  let row: String

  func value(of contestant: String) -> String { "\(contestant), \(row)" }
  func allocations(of contestant: String) -> String { "allocations of \(value(of: contestant))" }
  func ratio(to other: String) -> String { "ratio to \(value(of: other))" }
}
