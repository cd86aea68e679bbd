import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Comparing versions of real models", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct VersionHistoryTests {
  private static func model(_ path: String) throws -> NSManagedObjectModel {
    try NSManagedObjectModel(validating: Fixtures.url(path))
  }

  private static func lines(_ folder: String, _ old: String, _ new: String) throws -> [String] {
    let old = try model("models/\(folder)/\(old).xcdatamodel")
    let new = try model("models/\(folder)/\(new).xcdatamodel")
    return withExtendedLifetime((old, new)) { ModelComparison(from: old, to: new).lines }
  }

  @Test func `A renamed relationship that becomes to-many is the same relationship`() throws {
    let lines = try Self.lines(
      "BrowserServicesKit/Bookmarks/BookmarksModel.xcdatamodeld", "BookmarksModel 3",
      "BookmarksModel 4")
    #expect(
      lines == [
        "~ BookmarkEntity.favoriteFolders renamed, was favoriteFolder",
        "~ BookmarkEntity.favoriteFolders to one → to many",
      ])
  }

  @Test func `A renamed entity is the same entity`() throws {
    let lines = try Self.lines(
      "CoreDataPlus/SampleModel/SampleModel.xcdatamodeld", "SampleModel", "SampleModel2")
    #expect(
      lines == [
        "= version identifiers 1 → 2",
        "= Car index byMakerAndNumberPlate none → maker, numberPlate",
        "~ Car.color removed, was optional Transformable",
        "= Car.currentDrivingSpeed removed, was transient optional Integer 64 with default 0",
        "~ LuxuryCar renamed, was ExpensiveSportCar",
        "= LuxuryCar class ExpensiveSportCar → LuxuryCar",
        "~ Person.id removed, was required UUID",
        "= Person.isDriving removed, was transient required Boolean with default NO",
      ])
  }

  @Test func `A hierarchy that is split moves its properties down`() throws {
    let folder = "core-data/Migrations/Migrations/Moody.xcdatamodeld"
    let moved = [
      "markedForDeletionDate", "numberOfMoods", "numericISO3166Code", "uniquenessDummy",
      "updatedAt",
    ]
    var expected = ["= version identifiers 3 → 4"]
    for entity in ["Continent", "Country"] {
      expected += [
        "~ \(entity) parent GeographicRegion → none",
        "~ \(entity) unique none → (numericISO3166Code, uniquenessDummy)",
        "= \(entity) compound indexes none → (markedForDeletionDate, updatedAt)",
      ]
      expected += moved.map { "~ \(entity).\($0) moved here from GeographicRegion" }
    }
    #expect(
      try Self.lines(folder, "Moody 3", "Moody 4") == expected + ["~ GeographicRegion removed"])
    // In the other direction, the two would share a parent that they did not share before.
    let back = try Self.lines(folder, "Moody 4", "Moody 3")
    #expect(back.contains("! Continent parent none → GeographicRegion"))
    #expect(back.contains("! Country parent none → GeographicRegion"))
    #expect(back.contains("~ GeographicRegion.numberOfMoods moved here from Country"))
  }

  @Test func `A required to-many relationship is added empty`() throws {
    let moods = try Self.lines(
      "core-data/Migrations/Migrations/Moody.xcdatamodeld", "Moody 2", "Moody 3")
    #expect(
      moods == [
        "= version identifiers 2 → 3",
        "~ Continent.moods added, required to-many relationship to Mood",
        "~ Mood.continent added, optional to-one relationship to Continent",
      ])
    let folder =
      "CoreDataMigrationRevised-CoreDataMigration-CoreData/Model/"
      + "CoreDataMigration_Example.xcdatamodeld"
    let posts = try Self.lines(folder, "CoreDataMigration_Example 2", "CoreDataMigration_Example 3")
    #expect(
      posts == [
        "~ Post.content removed, was optional String",
        "= Post.hexColor renaming identifier color → hexColor",
        "~ Post.sections added, required to-many relationship to Section",
        "~ Section added",
      ])
    let later = try Self.lines(folder, "CoreDataMigration_Example 3", "CoreDataMigration_Example 4")
    #expect(
      later == [
        "= Post.sections delete rule Cascade → Nullify",
        "~ Post.softDeleted added, required Boolean with default NO",
      ])
  }

  @Test
  func `Between any two versions, a migration is needed if and only if version hashes differ`()
    throws
  {
    var compared = 0
    for history in VersionedFixtures.histories() {
      let models = try history.map(Self.model)
      for (path, old) in zip(history, models) {
        for (other, new) in zip(history, models) {
          let comparison = ModelComparison(from: old, to: new)
          let same = old.entityVersionHashesByName == new.entityVersionHashesByName
          #expect(comparison.migration.isNeeded != same, "\(path) → \(other)")
          #expect(new.differences(from: old).isEmpty == same, "\(path) → \(other)")
          let back = ModelComparison(from: new, to: old)
          #expect(
            comparison.places(exchanged: false) == back.places(exchanged: true),
            "\(path) → \(other)")
          if path == other { #expect(comparison.lines == [], "\(path)") }
          compared += 1
        }
      }
    }
    #expect(compared >= 150)
  }

  @Test func `A model equals its copy`() throws {
    for path in FixtureModels.sources + FixtureModels.compiled {
      guard let model = try? Self.model(path) else { continue }
      let copy = try #require(model.copy() as? NSManagedObjectModel)
      #expect(ModelComparison(from: model, to: copy).lines == [], "\(path)")
    }
  }

  @Test func `A source model equals its compiled form`() throws {
    let pairs = [
      (
        "models/SwiftGen/TestUtils/Fixtures/CoreData/Model.xcdatamodeld/Model.xcdatamodel",
        "compiled/SwiftGen/SwiftGen.playground/Model.momd/Model.mom"
      ),
      (
        "models/CoreDataPlus/SampleModel/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel",
        "compiled/CoreDataPlus/SampleModel/Fixtures/SampleModel.momd/SampleModel2.mom"
      ),
      (
        "models/CoreDataPlus/SampleModel/SampleModel.xcdatamodeld/SampleModel3.xcdatamodel",
        "compiled/CoreDataPlus/SampleModel/Fixtures/SampleModel.momd/SampleModel3.mom"
      ),
      ("models/ZeeQL3/data/Contacts.xcdatamodel", "compiled/ZeeQL3/data/Contacts.mom"),
    ]
    // The authors changed this fetch request after compiling the model.
    let later = [
      "= fetch request fetchTheDucks Person where lastName LIKE \"Duck*\" limit 220 in batches of 20"
        + " → Person where lastName LIKE \"Duck*\""
    ]
    for (source, compiled) in pairs {
      let one = try Self.model(source)
      let other = try Self.model(compiled)
      let expected = source.hasSuffix("ZeeQL3/data/Contacts.xcdatamodel") ? later : []
      #expect(ModelComparison(from: one, to: other).lines == expected, "\(source)")
    }
  }

  @Test func `A store's copy of its model has no difference that needs a migration`() throws {
    var compared = 0
    for (store, source) in try FixtureModels.sourcesByStore() {
      guard let cache = try StoreFacts(store).modelCache,
        let cached = try? NSManagedObjectModel(storeModelCache: cache)
      else { continue }
      let model = try Self.model(source)
      let comparison = ModelComparison(from: cached, to: model)
      #expect(!comparison.migration.isNeeded, "\(store): \(comparison.lines)")
      compared += 1
    }
    #expect(compared >= 5)
  }
}
