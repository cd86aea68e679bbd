import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Versions of real models compared", .enabled(if: Fixtures.areAvailable))
struct VersionHistoryTests {
  @Test func explore() throws {
    for step in VersionedFixtures.steps() {
      let old = try NSManagedObjectModel(validating: Fixtures.url(step.old))
      let new = try NSManagedObjectModel(validating: Fixtures.url(step.new))
      print("##", step.old, "→", step.new.split(separator: "/").last!)
      for line in ModelComparison(from: old, to: new).lines { print("   ", line) }
    }
  }
}
