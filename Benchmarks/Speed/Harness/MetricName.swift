/// What the tool's numbers are called, in which the report finds them. The row's name is in each: the
/// tool exports numbers of a row with those after it too.
struct MetricName {
  /// The tool counts in whole numbers: how many of them are one.
  static let parts = 1e6

  let row: String

  func value(of contestant: String) -> String { "\(contestant), \(row)" }
  func allocations(of contestant: String) -> String { "allocations of \(value(of: contestant))" }
  func ratio(to other: String) -> String { "ratio to \(value(of: other))" }
}
