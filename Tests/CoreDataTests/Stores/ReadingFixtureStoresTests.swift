import CoreData
import FixtureSupport
import Testing

@Suite struct ReadingFixtureStoresTests {
  @Test(
    "Every row of Apple's stores has the values that plain SQL reads",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: StoreFixture.all)
  func everyRowReadsBack(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let models = try fixture.models(url)
    let number = StoreFixture.all.firstIndex { $0.path == fixture.path } ?? 0
    for (index, (origin, model)) in models.enumerated() {
      // By default, each store is read with one of its models.
      guard WholeRun.isChosen || index == number % models.count else { continue }
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

  @Test(
    "The tests cover all stores of the fixtures",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func allStoresAreTried() {
    #expect(StoreFixture.all.count == 33)
    #expect(StoreFixture.all.count { $0.sourceModel != nil } == 17)
  }
}
