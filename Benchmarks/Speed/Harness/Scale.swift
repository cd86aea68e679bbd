import Foundation

/// How much is measured.
struct Scale {
  let isQuick: Bool

  static let current = Scale(
    isQuick: ProcessInfo.processInfo.environment["OPENCOREDATA_BENCHMARK_QUICK"] != nil)

  /// Rows in memory and in the store.
  var rows: Int { isQuick ? 100_000 : 1_000_000 }
  /// Children of an object that is deleted.
  var children: Int { isQuick ? 20_000 : 100_000 }
  /// Predicates parsed and substituted in a run.
  var predicates: Int { isQuick ? 2_000 : 20_000 }
  /// For how many seconds another round of a row begins.
  var seconds: Double { isQuick ? 1 : 3 }
  /// Rounds at most.
  var rounds: Int { isQuick ? 7 : 21 }
}
