import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Writing a store's model cache", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct WritingStoreCacheTests {
  private func archive(of cache: Data) throws -> KeyedArchive {
    try KeyedArchive(data: try Deflate.decompress(cache, limit: 1 << 28))
  }

  /// Returns whether both sides of a difference mean "nothing". For an entity without indexes or subentities,
  /// Apple writes an empty collection, nil, or no such key, depending on how the program got its model.
  private func isEmptiness(_ difference: ArchiveDump.Difference) -> Bool {
    let nothing: Set = ["absent", "nil", "[]", "{}"]
    return ["NSSubentities", "NSCompoundIndexes", "NSFetchIndexDescriptions"]
      .contains(difference.key)
      && nothing.contains(difference.here) && nothing.contains(difference.there)
  }

  @Test("A model read from a store is written as Apple wrote it")
  func rewrittenCachesAreEqual() throws {
    var caches = 0
    for store in FixtureModels.stores {
      guard let cache = try StoreFacts(store).modelCache else { continue }
      caches += 1
      let model = try NSManagedObjectModel(storeModelCache: cache)
      let theirs = ArchiveDump(try archive(of: cache))
      let ours = ArchiveDump(try archive(of: try model.storeModelCache()))
      #expect(!ours.lines.isEmpty)
      let differences = ours.differences(from: theirs).filter { !isEmptiness($0) }
      #expect(differences.map(\.description) == [], "\(store)")
    }
    #expect(caches == 28)
  }

  /// The number of differences between stores and source models by key. The authors changed the source
  /// later, or the program changed the model before it created the store. None of the differences
  /// affects a version hash.
  private static let laterChanges = [
    // The class names were removed in a migration, or exist only in later versions.
    "NSClassNameForEntity": 8, "NSAttributeValueClassName": 3, "NSVersionIdentifiers": 1,
    // A system that loads such a model adds an index to each indexed attribute, with the
    // attribute's name.
    "NSFetchIndexDescriptions": 4,
  ]

  @Test("A source model is written as Apple wrote it into the store made with it")
  func sourcesAreWrittenAlike() throws {
    var lines = 0
    var differences: [ArchiveDump.Difference] = []
    for (store, path) in try FixtureModels.sourcesByStore().sorted(by: { $0.key < $1.key }) {
      guard let cache = try StoreFacts(store).modelCache else { continue }
      let model = try NSManagedObjectModel(validating: Fixtures.url(path))
      let theirs = ArchiveDump(try archive(of: cache))
      let ours = ArchiveDump(try archive(of: try model.storeModelCache()))
      lines += theirs.lines.count
      differences += ours.differences(from: theirs).filter { !isEmptiness($0) }
    }
    #expect(lines > 2000)
    let byKey = Dictionary(grouping: differences, by: \.key)
    let report = differences.map(\.description).joined(separator: "\n")
    #expect(byKey.mapValues(\.count) == Self.laterChanges, "\(report)")
    for difference in byKey["NSFetchIndexDescriptions"] ?? [] {
      let ours = difference.here.dropFirst().dropLast()
      #expect(difference.there.hasSuffix("\(ours)]"), "\(difference)")
    }
  }
}
