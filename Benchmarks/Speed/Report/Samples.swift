import Foundation

/// The samples of a run that the tool exported, by row and metric.
struct Samples {
  private let rows: [String: [String: [Double]]]

  /// Reads the tool's exports in JMH format.
  ///
  /// - Parameter folder: A folder with a folder for each run of the tool. The samples of a row that is in several
  ///   runs are combined.
  init(_ folder: URL) throws {
    var rows: [String: [String: [Double]]] = [:]
    for run in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      let file = run.appending(path: "Current_run.jmh.json")
      for element in try JSONDecoder().decode([Element].self, from: Data(contentsOf: file)) {
        let values = element.secondaryMetrics.mapValues { $0.rawData.flatMap(\.self) }
        rows[element.benchmark, default: [:]].merge(values, uniquingKeysWith: +)
      }
    }
    self.rows = rows
  }

  private struct Element: Decodable {
    let benchmark: String
    let secondaryMetrics: [String: Metric]
  }

  private struct Metric: Decodable { let rawData: [[Double]] }

  /// Returns all samples of a metric of a row; nil if it was not measured.
  func values(_ row: String, _ metric: String) -> Distribution? {
    let key = "package.benchmark.Speed." + row.replacingOccurrences(of: " ", with: "_")
    guard let values = rows[key]?[metric], !values.isEmpty else { return nil }
    return Distribution(values.map { $0 / MetricName.parts })
  }
}

/// The samples of one metric.
struct Distribution {
  private let sorted: [Double]

  /// - Parameter values: At least one.
  init(_ values: [Double]) { sorted = values.sorted() }

  var median: Double { sorted[sorted.count / 2] }
  var count: Int { sorted.count }

  /// The interval that contains eight of ten samples, or all samples if they are fewer than ten.
  var spread: [Double] {
    let cut = sorted.count / 10
    return [sorted[cut], sorted[sorted.count - 1 - cut]]
  }
}
