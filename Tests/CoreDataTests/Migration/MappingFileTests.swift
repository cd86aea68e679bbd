import CoreData
import FixtureSupport
import Foundation
import Testing

@Suite struct MappingFileTests {
  @Test(
    "Every mapping model of Xcode can be read", .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: MappingFixtures.sources)
  func everySourceIsRead(_ path: String) throws {
    let model = try NSMappingModel(validating: Fixtures.url(path))
    #expect(!model.entityMappings.isEmpty)
    for mapping in model.entityMappings {
      #expect(mapping.destinationEntityVersionHash?.count == 32)
      #expect((mapping.sourceEntityName == nil) == (mapping.sourceExpression == nil))
      #expect((mapping.sourceEntityName == nil) == (mapping.sourceEntityVersionHash == nil))
      #expect(mapping.attributeMappings?.allSatisfy { $0.name != nil } == true)
    }
    #expect(model.entityMappingsByName.count == model.entityMappings.count)
    #expect(try NSMappingModel(validating: Fixtures.url(path)) == model)
    #expect(model.copy() as? NSMappingModel == model)
  }

  @Test(
    "The tests cover all mapping models of the fixtures",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func allAreTried() {
    #expect(MappingFixtures.sources.count == 15)
    #expect(MappingFixtures.compiled.count == 1)
  }

  @Test(
    "A mapping model of Xcode equals what its compiler made from it",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func sourceEqualsCompiled() throws {
    let compiled = try NSMappingModel(
      validating: Fixtures.url("compiled/CoreDataPlus/SampleModel/Fixtures/V2toV3.cdm"))
    let source = try MappingFixtures.mapping("CoreDataPlus/SampleModel/MappingModels/V2toV3")
    #expect(compiled.entityMappings.count == 5)
    #expect(source.entityMappings.map(\.name) == compiled.entityMappings.map(\.name))
    for (ours, apples) in zip(source.entityMappings, compiled.entityMappings) {
      #expect(ours.mappingType == apples.mappingType, "\(apples)")
      #expect(ours.attributeMappings == apples.attributeMappings, "\(apples)")
      #expect(ours.relationshipMappings == apples.relationshipMappings, "\(apples)")
      #expect(ours.sourceExpression == apples.sourceExpression, "\(apples)")
      #expect(ours == apples)
    }
  }

  @Test(
    "The editor's filters and key paths become expressions",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func filtersAndKeyPaths() throws {
    let notes = try MappingFixtures.mapping(
      "cdt-materials/06-versioning-and-migration/UnCloudNotes/"
        + "UnCloudNotesMappingModel_v2_to_v3")
    let attachments = try #require(notes.entityMappingsByName["NoteToAttachment"])
    #expect(
      attachments.sourceExpression
        == NSExpression(
          format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:',"
            + " 'Note', 'image != nil'), $manager.sourceContext, NO)"))
    #expect(
      attachments.relationshipMappings?.first?.valueExpression
        == NSExpression(
          format: "FUNCTION($manager,"
            + " 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'NoteToNote', $source)"
        ))
    let moods = try MappingFixtures.mapping("core-data/Migrations/Migrations/Moody 4-Moody 5")
    let countries = try #require(moods.entityMappingsByName["CountryToCountry"])
    #expect(countries.mappingType == .transformEntityMappingType)
    #expect(
      countries.attributeMappings?.first { $0.name == "isoContinent" }?.valueExpression
        == NSExpression(format: "$source.continent.numericISO3166Code"))
  }

  @Test(
    "A mapping model without its copies of the models is rejected, not read as empty",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: ["source", "destination"])
  func missingModels(_ role: String) throws {
    let path = try #require(MappingFixtures.sources.first { $0.contains("Moody") })
    let folder = try TemporaryFolder()
    let copy = folder.file("Copy.xcmappingmodel")
    try FileManager.default.copyItem(at: Fixtures.url(path), to: copy)
    let file = copy.appendingPathComponent("xcmapping.xml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let attribute = try Regex("<attribute name=\"\(role)modeldata\"[^>]*>[^<]*</attribute>")
    let without = text.replacing(attribute, with: "")
    #expect(without.count < text.count)
    try Data(without.utf8).write(to: file)
    let error = #expect(throws: NSError.self) { try NSMappingModel(validating: copy) }
    #expect(error?.localizedDescription.contains("no readable copy of the \(role) model") == true)
    // Searching for a mapping between exactly these models throws. Searching between other models does not.
    func found(_ source: String, _ destination: String) throws -> URL? {
      try MappingFinder(
        source: MappingFixtures.model(MappingFixtures.moodyModels, source),
        destination: MappingFixtures.model(MappingFixtures.moodyModels, destination)
      ).found(in: [folder.url])?.url
    }
    let versions = path.split(separator: "/").last { $0.hasPrefix("Moody ") }?
      .replacing(".xcmappingmodel", with: "").split(separator: "-").map(String.init)
    let (from, to) = (try #require(versions?.first), try #require(versions?.last))
    #expect(throws: NSError.self) { try found(from, to) }
    var others = 0
    for number in 2...5 where "Moody \(number)" != from {
      do {
        if try found("Moody \(number)", "Moody \(number + 1)") == nil { others += 1 }
      } catch {
        // Without the hashes of one model, the other model's names may fit.
      }
    }
    #expect(others > 0)
  }

  @Test(
    "A mapping model keeps its user info and policies",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func userInfo() throws {
    let books = try MappingFixtures.mapping(
      "issue-4-core-data-migration/BookMigration/Model1_to_Model2")
    let mapping = try #require(books.entityMappingsByName["BookToBook"])
    #expect(mapping.userInfo?["modelVersion"] as? String == "2")
    #expect(mapping.entityMigrationPolicyClassName == "MHWBookToBookPolicy")
    #expect(mapping.mappingType == .customEntityMappingType)
    #expect(books.entityMappings.map(\.name) == ["UserToUser", "Author", "BookToBook"])
  }

  @Test(
    "Version hashes find the mapping model between two models",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func findingByHashes() throws {
    let folder = try TemporaryFolder()
    for path in MappingFixtures.sources where path.contains("Moody") || path.contains("V2toV3") {
      let source = Fixtures.url(path)
      try FileManager.default.copyItem(at: source, to: folder.file(source.lastPathComponent))
    }
    let bundle = try #require(Bundle(path: folder.url.path))
    for version in 2...5 {
      let mapping = NSMappingModel(
        from: [bundle],
        forSourceModel: try MappingFixtures.model(MappingFixtures.moodyModels, "Moody \(version)"),
        destinationModel: try MappingFixtures.model(
          MappingFixtures.moodyModels, "Moody \(version + 1)"))
      #expect(
        mapping
          == (try MappingFixtures.mapping(
            "core-data/Migrations/Migrations/Moody \(version)-Moody \(version + 1)")))
    }
    let (two, three) = (
      try MappingFixtures.model(MappingFixtures.moodyModels, "Moody 2"),
      try MappingFixtures.model(MappingFixtures.moodyModels, "Moody 3")
    )
    #expect(NSMappingModel(from: [bundle], forSourceModel: three, destinationModel: two) == nil)
    #expect(NSMappingModel(from: [bundle], forSourceModel: two, destinationModel: nil) == nil)
    #expect(NSMappingModel(from: nil, forSourceModel: two, destinationModel: three) == nil)
  }

  @Test("A file that is not a mapping model throws an error that says so")
  func damagedFiles() throws {
    let folder = try TemporaryFolder()
    let missing = folder.file("missing.cdm")
    #expect(NSMappingModel(contentsOf: missing) == nil)
    #expect(NSMappingModel(contentsOf: nil) == nil)
    func message(_ url: URL) -> String {
      do {
        _ = try NSMappingModel(validating: url)
        return ""
      } catch { return "\((error as NSError).code) \(error.localizedDescription)" }
    }
    #expect(
      message(missing) == "260 The mapping model \(missing.path) cannot be read: it does not exist")
    let text = folder.file("text.cdm")
    try Data("nothing".utf8).write(to: text)
    #expect(message(text).hasPrefix("259 The mapping model \(text.path) cannot be read: "))
    let other = folder.file("other.cdm")
    try Data("<database><object type='X' id='z1'/></database>".utf8).write(to: other)
    #expect(message(other).hasSuffix("it is not an Xcode mapping model"))
    let empty = folder.file("empty.xcmappingmodel")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: false)
    #expect(message(empty).hasSuffix("it is a folder without xcmapping.xml"))
  }

  @Test(
    "A mapping model with a damaged byte is rejected or read without a crash, and a shortened one is rejected",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func damagedBytes() throws {
    let whole = try Data(
      contentsOf: Fixtures.url("compiled/CoreDataPlus/SampleModel/Fixtures/V2toV3.cdm"))
    let folder = try TemporaryFolder()
    let url = folder.file("damaged.cdm")
    for place in stride(from: 0, to: whole.count, by: 37) {
      var data = whole
      data[place] = data[place] &+ 0x55
      try data.write(to: url)
      _ = NSMappingModel(contentsOf: url)
    }
    for length in stride(from: 0, to: whole.count, by: 501) {
      try whole.prefix(length).write(to: url)
      #expect(NSMappingModel(contentsOf: url) == nil)
    }
  }
}
