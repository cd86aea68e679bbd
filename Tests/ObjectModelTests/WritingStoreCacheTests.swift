import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Writing a store's model cache", .enabled(if: Fixtures.areAvailable))
struct WritingStoreCacheTests {
  private func archive(of cache: Data) throws -> KeyedArchive {
    try KeyedArchive(data: try Deflate.decompress(cache, limit: 1 << 28))
  }

  /// Whether a difference only shows that Apple writes "nothing" in more than one way: an entity
  /// without indexes or sub-entities has an empty collection, nil, or no such key, depending on how
  /// the program came by its model.
  private func isEmptiness(_ difference: ArchiveDump.Difference) -> Bool {
    let nothing: Set = ["absent", "nil", "[]", "{}"]
    return ["NSSubentities", "NSCompoundIndexes", "NSFetchIndexDescriptions"]
      .contains(difference.key)
      && nothing.contains(difference.here) && nothing.contains(difference.there)
  }

  @Test("A model that was read from a store is written as Apple wrote it")
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

  /// What stores say otherwise than the source models do, which their authors changed later or
  /// which their programs changed before they made the store. None of it enters a version hash.
  private static let laterChanges = [
    // The class names were taken away in a migration, or stand in later versions only.
    "NSClassNameForEntity": 8, "NSAttributeValueClassName": 3, "NSVersionIdentifiers": 1,
    // A system that loads such a model gives each indexed attribute one more index, of its name.
    "NSFetchIndexDescriptions": 4,
  ]

  @Test("A source model is written as Apple wrote it into the store that it made")
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
