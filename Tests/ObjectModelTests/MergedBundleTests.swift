import Foundation
import ObjectModel
import Testing

// Source: tests of other projects, which pass with Apple's Core Data: merging bundles without
// models makes an empty model.
@Suite struct MergedBundleTests {
  @Test func `Bundles without models make an empty model`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("empty-\(UUID().uuidString).bundle")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bundle = try #require(Bundle(path: folder.path))
    #expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities == [])
    #expect(NSManagedObjectModel.mergedModel(from: [])?.entities == [])
    #expect(NSManagedObjectModel(byMerging: [])?.entities == [])
    // A model without entities does not match a store with entities.
    let metadata = ["NSStoreModelVersionHashes": ["Player": Data(count: 32)]]
    #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata) == nil)
  }
}
