import Foundation

/// What the tool has kept of a run: all values of a row, by what they are of.
struct Samples {
  private let rows: [String: [String: [Double]]]

  /// Reads what the tool exports in the form of JMH.
  init(_ file: URL) throws {
    let elements = try JSONDecoder().decode([Element].self, from: Data(contentsOf: file))
    rows = Dictionary(
      elements.map { element in
        // What is kept for an earlier row is said again in those after it: only names count that
        // the row has itself.
        (element.benchmark, element.secondaryMetrics.mapValues { $0.rawData.flatMap(\.self) })
      }, uniquingKeysWith: { $1 })
  }

  private struct Element: Decodable {
    let benchmark: String
    let secondaryMetrics: [String: Metric]
  }

  private struct Metric: Decodable { let rawData: [[Double]] }

  /// The values of a contestant for one item; nil where it did not run.
  func values(_ row: String, _ metric: String) -> Distribution? {
    let key = "package.benchmark.Speed." + row.replacingOccurrences(of: " ", with: "_")
    guard let values = rows[key]?[metric], !values.isEmpty else { return nil }
    return Distribution(values.map { $0 / MetricName.parts })
  }

  /// Whether the row was measured.
  func has(_ row: String) -> Bool { values(row, Contest.ours) != nil }
}

/// Some values of the same.
struct Distribution {
  private let sorted: [Double]

  /// - Parameter values: at least one.
  init(_ values: [Double]) { sorted = values.sorted() }

  var median: Double { sorted[sorted.count / 2] }
  var count: Int { sorted.count }

  /// Between which eight of ten lie; of fewer than ten, all.
  var spread: [Double] {
    let cut = sorted.count / 10
    return [sorted[cut], sorted[sorted.count - 1 - cut]]
  }
}
