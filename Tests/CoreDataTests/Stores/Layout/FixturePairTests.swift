import CoreData
import FixtureSupport
import Testing

/// Counts the pairs of Apple's stores and models that the layout tests compare. Without this test, a lost
/// fixture would go unnoticed.
@Suite("Pairs of Apple's stores and models", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct FixturePairTests {
  @Test("There are at least as many pairs as when the test was written")
  func counts() throws {
    let folder = try TemporaryFolder()
    var counts = ["stores": 0, "source": 0, "cache": 0, "whole": 0, "columns": 0, "history": 0]
    for fixture in StoreFixture.all {
      counts["stores", default: 0] += 1
      let url = try fixture.copy(into: folder)
      let text = try SchemaText(PlainDatabase(url))
      let version = try CreatingStoresTests.Facts(url).plist["NSPersistenceFrameworkVersion"]
      // Before 2020 (framework 1000), Apple's Core Data created different indexes, and defined
      // constraints inside tables. Migrated stores have their columns in another order. Of all these
      // stores, only the columns are compared.
      let isWhole = (version as? Int ?? 0) >= 1000 && !text.isMigrated
      for (origin, _) in try fixture.models(url) where origin != .inferred {
        counts[origin.rawValue, default: 0] += 1
        counts[isWhole ? "whole" : "columns", default: 0] += 1
      }
      let tables = try PlainDatabase(url).values(
        "SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'")
      counts["history", default: 0] += tables.count
    }
    let expected = [
      "stores": 33, "source": 17, "cache": 28, "whole": 18, "columns": 27, "history": 10,
    ]
    for (what, count) in expected.sorted(by: { $0.key < $1.key }) {
      #expect(counts[what, default: 0] >= count, "\(what)")
    }
  }
}
