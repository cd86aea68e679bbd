import Foundation

/// Measures, prints the table and writes it beside the package.
///
///     Benchmarks [--quick] [--results FOLDER]
@main
struct Benchmarks {
  static func main() throws {
    var arguments = CommandLine.arguments.dropFirst()
    var isQuick = false
    var folder: URL?
    while let argument = arguments.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--results": folder = arguments.popFirst().map { URL(fileURLWithPath: $0) }
      default:
        FileHandle.standardError.write(Data("benchmark: unknown argument '\(argument)'\n".utf8))
        exit(64)
      }
    }
    let scale = Scale(isQuick: isQuick)
    var report = Report(scale: scale)
    try TemplateBenchmark.run(scale, &report)
    try EvaluationBenchmark.run(scale, &report)
    try DeletionBenchmark.run(scale, &report)
    print(report.table)
    if let folder { try report.write(to: folder) }
  }
}

/// How much is measured.
struct Scale {
  let isQuick: Bool
  /// Rows in memory and in the store.
  var rows: Int { isQuick ? 100_000 : 1_000_000 }
  /// Children of an object that is deleted.
  var children: Int { isQuick ? 20_000 : 100_000 }
  /// Rounds, of which the best counts.
  var rounds: Int { isQuick ? 3 : 7 }
  /// Predicates parsed and substituted a round.
  var predicates: Int { isQuick ? 2_000 : 20_000 }
}
