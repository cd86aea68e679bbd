import Benchmark
import Floor
import Foundation

extension Comparison {
  /// Registers a benchmark with the tool, which runs the contest in rounds and keeps the results of each turn. The tool
  /// keeps integers, so values are multiplied by `MetricName.parts`.
  func register() {
    let runner = Runner(self)
    let scale = Scale.current
    Benchmark(
      name,
      configuration: .init(
        metrics: [.throughput] + metrics, warmupIterations: 1,
        maxDuration: .milliseconds(Int(scale.seconds * 1000) * (isLong ? 4 : 1)),
        maxIterations: scale.rounds),
      closure: { try runner.run($0) }, setup: { try runner.begin() }, teardown: { runner.end() })
  }

  /// The names of the floor and all peers.
  private var others: [String] { (floor.map { [$0] } ?? []) + peers }

  private var names: MetricName { MetricName(row: name) }

  private var metrics: [BenchmarkMetric] {
    let all = [Contest.ours] + others
    return
      (all.flatMap { [names.value(of: $0), names.allocations(of: $0)] }
      + others.map(names.ratio)).map { .custom($0) }
  }

  /// Runs a contest between setup and teardown.
  private final class Runner {
    private let comparison: Comparison
    private var contest: Contest?
    private var allocations: [String: Double] = [:]

    init(_ comparison: Comparison) { self.comparison = comparison }

    func begin() throws { try onMainThread { contest = try Contest(comparison) } }

    func end() { onMainThread { contest = nil } }

    func run(_ benchmark: Benchmark) throws {
      guard let contest else { return }
      let isWarmUp = benchmark.currentIteration < benchmark.configuration.warmupIterations
      floor_count_allocations(isWarmUp)
      let turns = try onMainThread { try contest.run() }
      floor_count_allocations(false)
      if isWarmUp {
        allocations = turns.compactMapValues(\.allocations)
        return
      }
      // The contestants have measured themselves. The tool's own measurement, in runs per second, must only be shorter
      // than a second: the tool does not export a row with less than one run per second.
      benchmark.startMeasurement()
      defer { benchmark.stopMeasurement() }
      func record(_ metric: String, _ value: Double) {
        benchmark.measurement(.custom(metric), Int((value * MetricName.parts).rounded()))
      }
      let names = comparison.names
      for (name, turn) in turns {
        record(names.value(of: name), turn.value)
        if let count = allocations[name] { record(names.allocations(of: name), count) }
      }
      guard let ours = turns[Contest.ours] else { return }
      for name in comparison.others {
        if let other = turns[name], other.value > 0 {
          record(names.ratio(to: name), ours.value / other.value)
        }
      }
    }

    /// Runs a body on the main thread, whose heap grows in one piece; other threads have many small heaps.
    private func onMainThread<Result>(_ body: () throws -> Result) rethrows -> Result {
      if Thread.isMainThread { return try body() }
      return try DispatchQueue.main.sync(execute: body)
    }
  }
}
