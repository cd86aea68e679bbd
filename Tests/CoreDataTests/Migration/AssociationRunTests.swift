import FixtureSupport
import Testing

@testable import CoreData

@Suite("Runs of associated keys") struct AssociationRunTests {
  /// The runs of one mapping, with an index for each direction.
  private struct Table {
    var runs: [AssociationRun] = []
    var bySource = AssociationOrder { $0.source }
    var byDestination = AssociationOrder { $0.destination }

    mutating func add(_ source: Int64, _ destination: Int64) {
      let pair = AssociationRun(
        source: source, destination: destination, sourceEntity: 0, destinationEntity: 0)
      bySource.note(pair, after: runs.last)
      byDestination.note(pair, after: runs.last)
      if runs.isEmpty || !runs[runs.count - 1].extend(by: pair) { runs.append(pair) }
    }
  }

  @Test("Lookups return associations in insertion order, for pairs added in any order")
  func randomPairs() {
    var random = SeededGenerator("AssociationRunTests")
    for _ in 0..<300 {
      var table = Table()
      var pairs: [(source: Int64, destination: Int64)] = []
      var (source, destination) = (Int64(1), Int64(1))
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: source = .random(in: 1...30, using: &random)
        case 1: destination = .random(in: 1...30, using: &random)
        case 2: source += 2
        default: (source, destination) = (source + 1, destination + 1)
        }
        table.add(source, destination)
        pairs.append((source, destination))
        // A lookup sorts the runs, and pairs are added after it.
        if Int.random(in: 0..<9, using: &random) == 0 { #expect(check(&table, pairs, source)) }
      }
      for key in Int64(0)...100 { #expect(check(&table, pairs, key)) }
    }
  }

  private func check(
    _ table: inout Table, _ pairs: [(source: Int64, destination: Int64)], _ key: Int64
  ) -> Bool {
    let destinations = table.bySource.places(of: key, in: table.runs).map {
      table.runs[$0].destination + key - table.runs[$0].source
    }
    let sources = table.byDestination.places(of: key, in: table.runs).map {
      table.runs[$0].source + key - table.runs[$0].destination
    }
    return destinations == pairs.filter { $0.source == key }.map(\.destination)
      && sources == pairs.filter { $0.destination == key }.map(\.source)
  }

  @Test("Rows that keep their order are a single run")
  func oneRun() {
    var table = Table()
    for key in Int64(1)...1_000 { table.add(key + 7, key) }
    #expect(table.runs.count == 1)
    #expect(table.runs[0].count == 1_000)
  }
}
