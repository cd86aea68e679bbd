import Foundation

/// Measures, prints the table and writes it beside the package.
///
///     Benchmarks [--quick] [--only NAME] [--results FOLDER]
@main
struct Benchmarks {
  private static let all: [(name: String, run: @Sendable (Scale, inout Report) throws -> Void)] = [
    ("templates", { try TemplateBenchmark.run($0, &$1) }),
    ("evaluation", { try EvaluationBenchmark.run($0, &$1) }),
    ("deletion", { try DeletionBenchmark.run($0, &$1) }),
    ("batch insertion", { try InsertionBenchmark.batches($0, &$1) }),
    ("insertion", { try InsertionBenchmark.objects($0, &$1) }),
    ("fetch integers", { try FetchBenchmark.integers($0, &$1) }),
    ("fetch texts", { try FetchBenchmark.mixed($0, &$1) }),
    ("fetch keys", { try FetchBenchmark.keys($0, &$1) }),
    ("faults", { try FaultBenchmark.fire($0, &$1) }),
    ("members", { try FaultBenchmark.members($0, &$1) }),
    ("memory", { try SizeBenchmark.memory($0, &$1) }),
    ("growth", { try SizeBenchmark.growth($0, &$1) }),
    ("migration", { try MigrationBenchmark.run($0, &$1) }),
    ("live fetch", { try LiveFetchBenchmark.run($0, &$1) }),
    ("live places", { try LiveFetchBenchmark.places($0, &$1) }),
    ("live controllers", { try LiveChangeBenchmark.controllers($0, &$1) }),
    ("live changes", { try LiveChangeBenchmark.run($0, &$1) }),
  ]

  static func main() throws {
    var arguments = CommandLine.arguments.dropFirst()
    var isQuick = false
    var folder: URL?
    var only: String?
    while let argument = arguments.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--only": only = arguments.popFirst()
      case "--alone": Contest.alone = arguments.popFirst()
      case "--results": folder = arguments.popFirst().map { URL(fileURLWithPath: $0) }
      default:
        FileHandle.standardError.write(Data("benchmark: unknown argument '\(argument)'\n".utf8))
        exit(64)
      }
    }
    let scale = Scale(isQuick: isQuick)
    var report = Report(scale: scale)
    for benchmark in all where only.map({ benchmark.name.hasPrefix($0) }) ?? true {
      try benchmark.run(scale, &report)
    }
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
  /// Rounds with a store, of which the median counts.
  var storeRounds: Int { isQuick ? 3 : 5 }
  /// Predicates parsed and substituted a round.
  var predicates: Int { isQuick ? 2_000 : 20_000 }
}
