import Foundation

/// The results, as files and as a table.
struct Report {
  let comparisons: [Comparison]
  let results: [Outcome]

  init(_ comparisons: [Comparison], _ samples: Samples) {
    self.comparisons = comparisons
    results = comparisons.compactMap { Outcome($0, samples) }
  }

  /// The names of the rows that were not measured.
  var missing: [String] {
    let measured = Set(results.map(\.name))
    return comparisons.map(\.name).filter { !measured.contains($0) }
  }

  /// Writes the files of results.
  ///
  /// - Parameter folder: The folder Benchmarks of the repository.
  func write(to folder: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try write(
      String(decoding: encoder.encode(results), as: UTF8.self) + "\n",
      folder.appending(path: "results.json"))
    let growth = Growth(comparisons, results)
    try write(growth.plot, folder.appending(path: "growth.svg"))
    let figure = Figure(comparisons, results)
    try write(figure.plot, folder.appending(path: "figure.svg"))
    let notes = try String(contentsOf: folder.appending(path: "NOTES.md"), encoding: .utf8)
    try write(
      ResultsPage(figure: figure, results: main, growth: growth, notes: notes).text,
      folder.appending(path: "RESULTS.md"))
  }

  private func write(_ text: String, _ file: URL) throws {
    try Data(text.utf8).write(to: file)
  }

  /// The rows of the table: all except the points of growth curves.
  private var main: [Outcome] {
    let points = Set(comparisons.filter { $0.point != nil }.map(\.name))
    return results.filter { !points.contains($0.name) }
  }

  /// The table for a terminal.
  var table: String { Table(results).text }
}
