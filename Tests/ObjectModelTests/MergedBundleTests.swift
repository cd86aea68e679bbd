import Foundation
import ObjectModel
import Testing

// Source: Apple's tests in other projects: a merged model of bundles without models is empty.
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
    // A store's entities cannot come from nowhere.
    let metadata = ["NSStoreModelVersionHashes": ["Player": Data(count: 32)]]
    #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata) == nil)
  }
}
