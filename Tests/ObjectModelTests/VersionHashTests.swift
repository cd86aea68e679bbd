import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Version hashes", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct VersionHashTests {
  @Test("Models from source files have the hashes in Apple's stores")
  func sourcesAgreeWithStores() throws {
    let pairs = try FixtureModels.sourcesByStore()
    #expect(pairs.count == 17)
    for (store, path) in pairs {
      let facts = try StoreFacts(store)
      let model = try NSManagedObjectModel(validating: Fixtures.url(path))
      #expect(!facts.versionHashes.isEmpty, "\(store)")
      #expect(model.entityVersionHashesByName == facts.versionHashes, "\(store)")
      #expect(
        model.isConfiguration(withName: nil, compatibleWithStoreMetadata: facts.metadata))
    }
  }

  @Test("A store's model has the hashes, the digest and the checksum in its metadata")
  func cachesAgreeWithStores() throws {
    var caches = 0
    for store in FixtureModels.stores {
      let facts = try StoreFacts(store)
      guard let cache = facts.modelCache else { continue }
      caches += 1
      let model = try NSManagedObjectModel(storeModelCache: cache)
      #expect(model.unrecognized == [], "\(store)")
      #expect(model.entityVersionHashesByName == facts.versionHashes, "\(store)")
      if let digest = facts.metadata["NSStoreModelVersionHashesDigest"] as? String {
        #expect(model.versionHashesDigest == digest, "\(store)")
      }
      if let checksum = facts.metadata["NSStoreModelVersionChecksumKey"] as? String {
        #expect(model.versionChecksum == checksum, "\(store)")
      }
    }
    #expect(caches == 28)
  }
}
