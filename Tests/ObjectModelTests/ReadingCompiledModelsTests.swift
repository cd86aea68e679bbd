import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Reading compiled models", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct ReadingCompiledModelsTests {
  @Test("Every compiled model is read completely")
  func everythingIsUnderstood() throws {
    let paths = FixtureModels.compiled
    #expect(paths.count == 37)
    for path in paths {
      let model = try NSManagedObjectModel(validating: Fixtures.url(path))
      #expect(model.unrecognized == [], "\(path)")
      #expect(!model.entities.isEmpty, "\(path)")
    }
  }

  @Test("Each version of a compiled model has the hashes and the checksum of its version table")
  func versionsAgreeWithTheirTable() throws {
    let tables = FixtureModels.paths(below: "compiled") { $0.hasSuffix("VersionInfo.plist") }
    #expect(tables.count == 3)
    var versions = 0
    for table in tables {
      let url = Fixtures.url(table)
      let info = try VersionInfo(contentsOf: url)
      for (name, hashes) in info.versionHashes {
        let file = url.deletingLastPathComponent().appendingPathComponent(name + ".mom")
        guard FileManager.default.fileExists(atPath: file.path) else { continue }
        versions += 1
        let model = try NSManagedObjectModel(validating: file)
        #expect(model.entityVersionHashesByName == hashes, "\(file.path)")
        if let checksum = info.versionChecksums[name] {
          #expect(model.versionChecksum == checksum, "\(file.path)")
        }
      }
    }
    #expect(versions == 5)
  }

  @Test("Reading a folder of compiled versions returns the current version")
  func currentVersionIsRead() throws {
    let folder = Fixtures.url("compiled/CoreDataPlus/SampleModel/Fixtures/SampleModel.momd")
    let model = try NSManagedObjectModel(validating: folder)
    #expect(
      model.entitiesByName.keys.sorted() == ["Car", "ExpensiveSportCar", "Person", "SportCar"])
  }

  @Test("An optimized model is ignored if there is a plain one beside it")
  func optimizedModelIsPassedOver() throws {
    let folder = Fixtures.url("compiled/CoreDataPlus/SampleModel/Fixtures/SampleModel.momd")
    let optimized = try NSManagedObjectModel(
      validating: folder.appendingPathComponent("SampleModel.omo"))
    let plain = try NSManagedObjectModel(
      validating: folder.appendingPathComponent("SampleModel.mom"))
    #expect(optimized.entityVersionHashesByName == plain.entityVersionHashesByName)
  }
}
