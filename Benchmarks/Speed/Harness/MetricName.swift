/// What the tool's numbers are called, in which the report finds them.
enum MetricName {
  /// The tool counts in whole numbers: how many of them are one.
  static let parts = 1e6

  static func allocations(_ contestant: String) -> String { "allocations of \(contestant)" }
  static func ratio(_ other: String) -> String { "ratio to \(other)" }
}
