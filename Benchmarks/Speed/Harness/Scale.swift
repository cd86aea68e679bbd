import Foundation

/// The sizes of the measurements.
struct Scale {
  let isQuick: Bool

  static let current = Scale(
    isQuick: ProcessInfo.processInfo.environment["OPENCOREDATA_BENCHMARK_QUICK"] != nil)

  /// The number of rows in memory and in the store.
  var rows: Int { isQuick ? 100_000 : 1_000_000 }
  /// The number of children of a deleted object.
  var children: Int { isQuick ? 20_000 : 100_000 }
  /// The number of predicates parsed and substituted in a run.
  var predicates: Int { isQuick ? 2_000 : 20_000 }
  /// The number of seconds after which a row starts no further round.
  var seconds: Double { isQuick ? 1 : 3 }
  /// The largest number of rounds.
  var rounds: Int { isQuick ? 7 : 21 }
}
