import CoreData
import FixtureSupport
import Testing

@Suite struct ReadingFixtureStoresTests {
  @Test(
    "Every row of a store that Apple wrote reads back as plain SQL has it",
    .enabled(if: Fixtures.areAvailable), arguments: StoreFixture.all)
  func everyRowReadsBack(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    for (origin, model) in try fixture.models(url) {
      let store = try OpenStore(
        url, model,
        options: origin == .inferred
          ? [NSIgnorePersistentStoreVersioningOption: NSNumber(value: true)] : nil)
      try store.context.performAndWait {
        var comparison = try StoreComparison(url, model, store.context)
        try comparison.compareAll()
        #expect(comparison.differences == [], "with the \(origin.rawValue) model")
        #expect(comparison.rowCount > 0 || fixture.name == "TestModel.sqlite")
      }
      try store.close()
    }
  }

  @Test("All stores among the fixtures are tried", .enabled(if: Fixtures.areAvailable))
  func allStoresAreTried() {
    #expect(StoreFixture.all.count == 33)
    #expect(StoreFixture.all.count { $0.sourceModel != nil } == 17)
  }
}
