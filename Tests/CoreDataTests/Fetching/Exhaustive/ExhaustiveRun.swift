import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// Samples the tables of the exhaustive tests, and reports their differences.
///
/// Tests try only a sample of a long table. The seed, which is printed, selects the sample; `OPENCOREDATA_SEED` sets it.
/// In a `WholeRun`, tests try the whole table, which takes some minutes in a debug build.
/// `OPENCOREDATA_SOAK_DIFFERENCES` sets how many differences a failure shows.
enum ExhaustiveRun {
  private static let shown =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_DIFFERENCES"].flatMap(Int.init) ?? 7
  private static let seed = SeededGenerator("tables of predicates").seed

  /// The stores to fetch from: one stores decimals as the nearest double, the other keeps all digits.
  static let stores: [TestedStore] = [.memorySQLite, .inMemory]

  /// Returns a sample of a table, which is the same for the same seed and name.
  static func sample<Entry>(_ table: [Entry], most: Int, _ name: String) -> [Entry] {
    if WholeRun.isChosen || table.count <= most { return table }
    var random = SeededGenerator(seed: name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
    return Array(table.shuffled(using: &random).prefix(most))
  }

  /// Calls a closure with a new `TypeWorld` in a store of the given kind, on the queue of its context.
  static func withWorld(
    in kind: TestedStore = .memorySQLite, _ body: (TypeWorld) throws -> Void
  ) throws {
    try StoreScope.$current.withValue(StoreScope(kind: kind, folder: nil)) {
      let world = try TypeWorld()
      try world.context.performAndWait { try body(world) }
    }
  }

  /// Expects that there are no differences, and reports the first ones.
  static func expectNone(
    _ differences: [String], of count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      differences.isEmpty,
      "\(differences.count) of \(count) differ:\n\(differences.prefix(shown).joined(separator: "\n"))",
      sourceLocation: sourceLocation)
  }
}
