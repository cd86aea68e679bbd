import Benchmark
import Foundation

/// Registers the rows of the table of results with the benchmark tool, which runs each row in its own process, and
/// reports the samples.
///
///     Speed --report FOLDER [--results FOLDER] [--check RESULTS]
///     Speed --in-several-processes
///     Speed [options of the tool]
///
/// The second form prints a pattern for the tool that matches the rows measured in several processes.
@main
struct Speed: BenchmarkRunnerHooks {
  static var comparisons: [Comparison] {
    memory + stores + liveResults + GrowthBenchmark.comparisons
  }

  /// The rows of predicates.
  private static var memory: [Comparison] {
    ParsingBenchmark.comparisons + TemplateBenchmark.comparisons
      + EvaluationBenchmark.comparisons
  }

  private static var stores: [Comparison] {
    OpeningBenchmark.comparisons + InsertionBenchmark.comparisons
      + GraphBenchmark.comparisons + FetchBenchmark.comparisons + FaultBenchmark.comparisons
      + SortingBenchmark.comparisons + ContextBenchmark.comparisons
      + DeletionBenchmark.comparisons + HistoryBenchmark.comparisons
      + MigrationBenchmark.comparisons + SizeBenchmark.comparisons
  }

  private static var liveResults: [Comparison] {
    LiveFetchBenchmark.comparisons + LiveChangeBenchmark.comparisons
  }

  static func registerBenchmarks() {
    for comparison in comparisons { comparison.register() }
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    func file(_ option: String) -> URL? {
      arguments.firstIndex(of: option).map { URL(fileURLWithPath: arguments[$0 + 1]) }
    }
    if arguments.contains("--in-several-processes") {
      let names = comparisons.filter(\.isInSeveralProcesses).map(\.name)
      print(names.map(NSRegularExpression.escapedPattern).joined(separator: "|"))
      return
    }
    guard let values = file("--report") else {
      await BenchmarkRunner.setupBenchmarkRunner(registerBenchmarks: registerBenchmarks)
      return
    }
    let report = try Report(comparisons, Samples(values))
    print(report.table)
    if let folder = file("--results") {
      for name in report.missing { print("not measured: \(name)") }
      try report.write(to: folder)
      if !report.missing.isEmpty { exit(1) }
    }
    if let stored = file("--check") { check(report.results, against: stored) }
  }

  private static func check(_ results: [Outcome], against stored: URL) {
    guard let check = try? Check(stored) else {
      print("\nbenchmark: \(stored.path) is missing or is not a file of results")
      exit(1)
    }
    let regressions = check.regressions(of: results)
    print("\n\(check.known(of: results)) of \(results.count) rows compared with the stored results")
    for regression in regressions { print("worse: \(regression)") }
    if !regressions.isEmpty { exit(1) }
  }
}
