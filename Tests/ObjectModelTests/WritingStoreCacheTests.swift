import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Writing a store's model cache", .enabled(if: Fixtures.areAvailable))
struct WritingStoreCacheTests {
  private func archive(of cache: Data) throws -> KeyedArchive {
    try KeyedArchive(data: try Deflate.decompress(cache, limit: 1 << 28))
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
      let differences = ours.differences(from: theirs)
      #expect(differences.map(\.description) == [], "\(store)")
    }
    #expect(caches == 28)
  }

  @Test("A source model is written as Apple wrote it into the store that it made")
  func sourcesAreWrittenAlike() throws {
    for (store, path) in try FixtureModels.sourcesByStore().sorted(by: { $0.key < $1.key }) {
      guard let cache = try StoreFacts(store).modelCache else { continue }
      let model = try NSManagedObjectModel(validating: Fixtures.url(path))
      let theirs = ArchiveDump(try archive(of: cache))
      let ours = ArchiveDump(try archive(of: try model.storeModelCache()))
      let differences = ours.differences(from: theirs)
      #expect(differences.map(\.description) == [], "\(store)")
    }
  }
}
