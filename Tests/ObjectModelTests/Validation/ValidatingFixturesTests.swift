import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Models of real programs are valid", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct ValidatingFixturesTests {
  @Test("Source models have no errors", arguments: FixtureModels.sources)
  func sources(path: String) throws {
    let model = try NSManagedObjectModel(validating: Fixtures.url(path))
    #expect(Self.errors(in: model) == [])
  }

  @Test("Compiled models have no errors", arguments: FixtureModels.compiled)
  func compiled(path: String) throws {
    let model = try NSManagedObjectModel(validating: Fixtures.url(path))
    #expect(Self.errors(in: model) == [])
  }

  @Test("Stores' copies of their models have no errors", arguments: FixtureModels.stores)
  func stores(path: String) throws {
    guard let cache = try StoreFacts(path).modelCache else { return }
    let model = try NSManagedObjectModel(storeModelCache: cache)
    #expect(Self.errors(in: model) == [])
  }

  private static func errors(in model: NSManagedObjectModel) -> [String] {
    model.problems.filter { $0.severity == .error }.map { "\($0.kind.rawValue) \($0)" }
  }
}
