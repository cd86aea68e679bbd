import CoreData
import FixtureSupport
import Testing

@Suite struct CreatingStoresTests {
  @Test(
    "A new store has the tables, indexes and triggers that Apple's has for the same model",
    .enabled(if: Fixtures.areAvailable), arguments: StoreFixture.all)
  func newStoreHasApplesSchema(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let apple = try SchemaText(PlainDatabase(url))
    for (origin, model) in try fixture.models(url) where origin != .inferred {
      let new = folder.file("new-\(origin.rawValue).sqlite")
      try OpenStore(new, model).close()
      let ours = try SchemaText(PlainDatabase(new))
      #expect(ours.differences(from: apple) == [], "with the \(origin.rawValue) model")
    }
  }
}
