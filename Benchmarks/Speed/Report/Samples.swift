import Foundation

/// What the tool has kept of a run: all values of a row, by what they are of.
struct Samples {
  private let rows: [String: [String: [Double]]]

  /// Reads what the tool exports in the form of JMH.
  ///
  /// - Parameter folder: with a folder for each run of the tool; the values of a row that several runs have are
  ///   taken together.
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

  /// All values of a metric of a row; nil where it was not measured.
  func values(_ row: String, _ metric: String) -> Distribution? {
    let key = "package.benchmark.Speed." + row.replacingOccurrences(of: " ", with: "_")
    guard let values = rows[key]?[metric], !values.isEmpty else { return nil }
    return Distribution(values.map { $0 / MetricName.parts })
  }
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
