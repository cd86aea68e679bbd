import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Source models and their compiled forms", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct SourcesAndCompiledModelsTests {
  /// Compiled models whose exact sources are available.
  static let pairs = [
    (
      "models/SwiftGen/TestUtils/Fixtures/CoreData/Model.xcdatamodeld/Model 2.xcdatamodel",
      "compiled/SwiftGen/SwiftGen.playground/Model.momd/Model 2.mom"
    ),
    (
      "models/SwiftGen/TestUtils/Fixtures/CoreData/Model.xcdatamodeld/Model.xcdatamodel",
      "compiled/SwiftGen/SwiftGen.playground/Model.momd/Model.mom"
    ),
    (
      "models/CoreDataPlus/SampleModel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel",
      "compiled/CoreDataPlus/SampleModel/Fixtures/SampleModel.momd/SampleModel.mom"
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

  /// Changes that authors made to a source after compiling it.
  private static let laterChanges: Set = [
    "Car.color.NSAttributeValueClassName", "ExpensiveSportCar.color.NSAttributeValueClassName",
    "SportCar.color.NSAttributeValueClassName",
    // The request got a limit.
    "model.NSFetchRequestTemplates",
  ]

  @Test("A source model and its compiled form are read as the same model", arguments: pairs)
  func pairsAgree(source: String, compiled: String) throws {
    let one = try NSManagedObjectModel(validating: Fixtures.url(source))
    let other = try NSManagedObjectModel(validating: Fixtures.url(compiled))
    let differences = ArchiveDump(try ArchivedModelWriter.archive(one))
      .differences(from: ArchiveDump(try ArchivedModelWriter.archive(other)))
      .filter { !Self.laterChanges.contains($0.path) || source.contains("SwiftGen") }
    #expect(differences.map(\.description) == [])
  }

  @Test("Reading a versioned model without a recorded current version returns the first version")
  func withoutPointer() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).xcdatamodeld")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, entity) in [("A", "First"), ("B", "Second")] {
      let version = folder.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Samples.contents("<entity name=\"\(entity)\"/>").write(
        to: version.appendingPathComponent("contents"))
    }
    #expect(try NSManagedObjectModel(validating: folder).entities.map(\.name) == ["First"])
    let pointer = folder.appendingPathComponent(".xccurrentversion")
    try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "B.xcdatamodel"], format: .xml, options: 0
    ).write(to: pointer)
    #expect(try NSManagedObjectModel(validating: folder).entities.map(\.name) == ["Second"])
    #expect(
      try NSManagedObjectModel.checksumsForVersionedModel(at: folder).keys.sorted() == ["A", "B"])
    try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "C.xcdatamodel"], format: .xml, options: 0
    ).write(to: pointer)
    let error = #expect(throws: NSError.self) { try NSManagedObjectModel(validating: folder) }
    #expect(error?.localizedDescription.contains("'C.xcdatamodel'") == true)
  }
}
