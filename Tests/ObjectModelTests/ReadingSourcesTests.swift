import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Reading source models", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct ReadingSourcesTests {
  @Test("Every source model is read completely")
  func everythingIsUnderstood() throws {
    let paths = FixtureModels.sources
    #expect(paths.count == 170)
    for path in paths {
      let model = try NSManagedObjectModel(validating: Fixtures.url(path))
      #expect(model.unrecognized == [], "\(path)")
    }
  }

  @Test("Reading a model with versions returns the current version")
  func currentVersionIsRead() throws {
    let url = Fixtures.url("models/core-data/Migrations/Migrations/Moody.xcdatamodeld")
    let model = try NSManagedObjectModel(validating: url)
    let current = try NSManagedObjectModel(
      validating: url.appendingPathComponent("Moody 6.xcdatamodel"))
    #expect(model.entityVersionHashesByName == current.entityVersionHashesByName)
  }
}
