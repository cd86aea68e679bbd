import CoreData
import FixtureSupport
import Foundation
import Testing

/// Makes continents from the continent numbers of countries.
private final class Country5ToCountry6Policy: NSEntityMigrationPolicy, @unchecked Sendable {
  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    let source = try #require(
      manager.sourceInstances(
        forEntityMappingName: mapping.name, destinationInstances: [dInstance]
      ).first)
    guard let code = source.value(forKey: "isoContinent") as? NSNumber else { return }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Continent")
    request.predicate = NSPredicate(format: "numericISO3166Code == %@", code)
    let continent =
      try manager.destinationContext.fetch(request).first
      ?? NSEntityDescription.insertNewObject(
        forEntityName: "Continent", into: manager.destinationContext)
    continent.setValue(code, forKey: "numericISO3166Code")
    dInstance.setValue(continent, forKey: "continent")
  }
}

/// Splits posts into sections.
private final class Post2ToPost3MigrationPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let post = try #require(
      manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [sInstance]
      ).first)
    let content = sInstance.value(forKey: "content") as? String ?? ""
    let section = NSEntityDescription.insertNewObject(
      forEntityName: "Section", into: manager.destinationContext)
    section.setValue(String(content.prefix(8)), forKey: "title")
    section.setValue(content, forKey: "body")
    section.setValue(0, forKey: "index")
    section.setValue(post, forKey: "post")
  }
}

/// Makes one maker for each different maker name among the cars.
private final class V2to3MakerPolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    guard let name = sInstance.value(forKey: "maker") as? String else { return }
    let car = try #require(
      manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [sInstance]
      ).first)
    let context = try #require(car.managedObjectContext)
    let known = context.registeredObjects.first {
      !$0.isFault && $0.entity.name == "Maker" && $0.value(forKey: "name") as? String == name
    }
    let maker = known ?? NSEntityDescription.insertNewObject(forEntityName: "Maker", into: context)
    maker.setValue(name, forKey: "name")
    var cars = maker.value(forKey: "cars") as? Set<NSManagedObject> ?? []
    cars.insert(car)
    maker.setValue(cars, forKey: "cars")
  }
}

private final class AttachmentToImageAttachmentMigrationPolicyV3toV4: NSEntityMigrationPolicy,
  @unchecked Sendable
{
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let attachment = NSManagedObject(
      entity: try #require(manager.destinationEntity(for: mapping)),
      insertInto: manager.destinationContext)
    for property in mapping.attributeMappings ?? [] {
      guard let name = property.name, let expression = property.valueExpression else { continue }
      let context: NSMutableDictionary = ["source": sInstance]
      attachment.setValue(
        expression.expressionValue(with: sInstance, context: context), forKey: name)
    }
    let body = sInstance.value(forKeyPath: "note.body") as? String ?? ""
    attachment.setValue(String(body.prefix(4)), forKey: "caption")
    attachment.setValue(2.5, forKey: "width")
    attachment.setValue(3.5, forKey: "height")
    manager.associate(
      sourceInstance: sInstance, withDestinationInstance: attachment, for: mapping)
  }
}

/// Converts text to data and back.
private final class PictureTransformer: ValueTransformer, @unchecked Sendable {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.utf8) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}

@Suite(.enabled(if: Fixtures.areAvailable, "no fixtures")) struct FixtureMigrationTests {
  init() {
    NSEntityMigrationPolicy.register([
      Country5ToCountry6Policy.self, Post2ToPost3MigrationPolicy.self, V2to3MakerPolicy.self,
      AttachmentToImageAttachmentMigrationPolicyV3toV4.self,
    ])
  }

  private func migrate(
    _ source: URL, _ from: NSManagedObjectModel, _ to: NSManagedObjectModel,
    _ mapping: NSMappingModel, in folder: TemporaryFolder, _ name: String
  ) throws -> URL {
    let destination = folder.file("\(name).sqlite")
    let before = try folder.state()
    try NSMigrationManager(sourceModel: from, destinationModel: to).migrateStore(
      from: source, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
    for (file, state) in before where !file.hasSuffix("-shm") {
      #expect(try folder.state()[file]?.bytes == state.bytes, "\(file)")
    }
    return destination
  }

  // MARK: Moody

  private func moody(_ version: Int) throws -> NSManagedObjectModel {
    try MappingFixtures.model(MappingFixtures.moodyModels, "Moody \(version)")
  }

  private func moodyStep(
    _ url: URL, _ version: Int, in folder: TemporaryFolder
  ) throws -> URL {
    try migrate(
      url, try moody(version), try moody(version + 1),
      try MappingFixtures.mapping(
        "core-data/Migrations/Migrations/Moody \(version)-Moody \(version + 1)"),
      in: folder, "moody \(version + 1)")
  }

  /// Returns each mood as a line of text with its attributes and the values of key paths, such as the codes of its
  /// country and continent.
  private func moods(_ rows: Rows, _ keyPaths: [String]) throws -> [String] {
    try rows.map("Mood") { mood in
      (["remoteID", "date", "latitude", "rating"] + keyPaths).map { mood.text($0) }
        .joined(separator: " ")
    }.sorted()
  }

  private func countries(_ rows: Rows, _ keyPaths: [String]) throws -> [String] {
    try rows.map("Country") { country in
      (["numericISO3166Code", "updatedAt", "numberOfMoods"] + keyPaths)
        .map { country.text($0) }.joined(separator: " ")
        + " \(country.texts("moods", "remoteID"))"
    }.sorted()
  }

  @Test("A store of Moody 2 that Apple wrote migrates through all versions without losing data")
  func moodyChain() throws {
    let folder = try TemporaryFolder()
    var url = try MappingFixtures.store("core-data/MigrationsTests/Moody 2.moody", in: folder)
    let two = try Rows(url, try moody(2))
    let place = ["country.numericISO3166Code", "country.continent.numericISO3166Code"]
    let allMoods = try moods(two, place)
    let allCountries = try countries(two, ["continent.numericISO3166Code"])
    let colors = try colorBytes(url)
    #expect(allMoods.count == 4)
    #expect(allCountries.count == 3)
    try two.close()

    url = try moodyStep(url, 2, in: folder)
    let three = try Rows(url, try moody(3))
    #expect(try moods(three, place) == allMoods)
    // The mapping fills the new relationship from a mood to its continent with the key path `country.continent`.
    #expect(try moods(three, [place[0], "continent.numericISO3166Code"]) == allMoods)
    #expect(try countries(three, ["continent.numericISO3166Code"]) == allCountries)
    let continents = try three.map("Continent") {
      "\($0.text("numericISO3166Code")) \($0.texts("moods", "remoteID").count)"
        + " \($0.texts("countries", "numericISO3166Code"))"
    }.sorted()
    try three.close()

    url = try moodyStep(url, 3, in: folder)
    let four = try Rows(url, try moody(4))
    #expect(try moods(four, [place[0], "continent.numericISO3166Code"]) == allMoods)
    #expect(try countries(four, ["continent.numericISO3166Code"]) == allCountries)
    #expect(
      try four.map("Continent") {
        "\($0.text("numericISO3166Code")) \($0.texts("moods", "remoteID").count)"
          + " \($0.texts("countries", "numericISO3166Code"))"
      }.sorted() == continents)
    try four.close()

    url = try moodyStep(url, 4, in: folder)
    let five = try Rows(url, try moody(5))
    #expect(try moods(five, [place[0], "country.isoContinent"]) == allMoods)
    #expect(try countries(five, ["isoContinent"]) == allCountries)
    try five.close()

    url = try moodyStep(url, 5, in: folder)
    let six = try Rows(url, try moody(6))
    #expect(try moods(six, place) == allMoods)
    #expect(try countries(six, ["continent.numericISO3166Code"]) == allCountries)
    #expect(try six.count("Continent") == 2)
    try six.close()
    // The attribute's value transformer is not registered, so the migration copies the stored bytes unchanged.
    #expect(try colorBytes(url) == colors)
    #expect(colors.allSatisfy { $0.hasPrefix("24 ") })
  }

  private func colorBytes(_ url: URL) throws -> [String] {
    try PlainDatabase(url).values("SELECT length(ZCOLORS) || ' ' || hex(ZCOLORS) FROM ZMOOD")
      .compactMap { $0[0].text }.sorted()
  }

  @Test("Apple's own migration to Moody 5 and this library's have equal rows")
  func moodyAsApple() throws {
    let folder = try TemporaryFolder()
    var url = try MappingFixtures.store("core-data/MigrationsTests/Moody 4.moody", in: folder)
    url = try moodyStep(url, 4, in: folder)
    let apples = try MappingFixtures.store("core-data/MigrationsTests/Moody 5.moody", in: folder)
    let (ours, theirs) = (try Rows(url, try moody(5)), try Rows(apples, try moody(5)))
    #expect(
      try moods(ours, ["country.numericISO3166Code"])
        == moods(theirs, ["country.numericISO3166Code"]))
    #expect(try countries(ours, ["isoContinent"]) == countries(theirs, ["isoContinent"]))
    try ours.close()
    try theirs.close()
  }

  // MARK: SampleModel

  @Test(
    "An Apple store of SampleModel 2 migrates to 3 with a compiled mapping and with its source")
  func sampleModel() throws {
    for compiled in [true, false] {
      let folder = try TemporaryFolder()
      let source = try MappingFixtures.store(
        "CoreDataPlus/Fixtures/SampleModel_V2.sqlite", in: folder)
      let old = try MappingFixtures.model(MappingFixtures.sampleModels, "SampleModel2")
      let new = try MappingFixtures.model(MappingFixtures.sampleModels, "SampleModel3")
      let mapping =
        compiled
        ? try NSMappingModel(
          validating: Fixtures.url("compiled/CoreDataPlus/SampleModel/Fixtures/V2toV3.cdm"))
        : try MappingFixtures.mapping("CoreDataPlus/SampleModel/MappingModels/V2toV3")
      let url = try migrate(source, old, new, mapping, in: folder, "migrated")
      let (before, after) = (try Rows(source, old), try Rows(url, new))
      var total = 0
      for entity in ["Car", "SportCar", "LuxuryCar"] {
        let was = try before.map(entity) { car in
          ["numberPlate", "model", "maker", "owner.lastName", "markedForDeletionAsOf"]
            .map { car.text($0) }.joined(separator: " ")
        }.sorted()
        let now = try after.map(entity) { car in
          ["numberPlate", "model", "createdBy.name", "owner.lastName", "markedForDeletionAsOf"]
            .map { car.text($0) }.joined(separator: " ")
        }.sorted()
        #expect(now == was)
        total += now.count
        // The mapping also adds the owner to the car's previous owners.
        let previous = try after.map(entity) { car in
          car.texts("previousOwners", "lastName")
            == (car.value(forKey: "owner") == nil ? [] : [car.text("owner.lastName")])
        }
        #expect(previous.allSatisfy { $0 })
      }
      #expect(total == 125)
      let names = try after.map("Maker") { $0.text("name") }
      #expect(Set(names).count == names.count)
      let people = try before.map("Person") {
        "\($0.text("firstName")) \($0.text("updatedAt")) \($0.texts("cars", "numberPlate"))"
      }
      #expect(
        try after.map("Person") {
          "\($0.text("firstName")) \($0.text("updatedAt")) \($0.texts("cars", "numberPlate"))"
        }.sorted() == people.sorted())
      #expect(
        try after.map("Person") {
          $0.texts("cars", "numberPlate") == $0.texts("previousCars", "numberPlate")
        }
        .allSatisfy { $0 })
      try before.close()
      try after.close()
    }
  }

  // MARK: CoreDataMigration_Example

  @Test("Posts of an Apple store are split into sections")
  func posts() throws {
    let folder = try TemporaryFolder()
    let source = try MappingFixtures.store(
      "CoreDataMigrationRevised-Example/SQLite/CoreDataMigration_Example_2.sqlite", in: folder)
    let old = try MappingFixtures.model(MappingFixtures.postModels, "CoreDataMigration_Example 2")
    let new = try MappingFixtures.model(MappingFixtures.postModels, "CoreDataMigration_Example 3")
    let url = try migrate(
      source, old, new,
      try MappingFixtures.mapping(
        "CoreDataMigrationRevised-CoreDataMigration-CoreData/Migration/Mappings/"
          + "Migration2to3ModelMapping"), in: folder, "posts")
    let (before, after) = (try Rows(source, old), try Rows(url, new))
    let was = try before.map("Post") {
      "\($0.text("postID")) \($0.text("date")) \($0.text("hexColor")) [\"\($0.text("content"))\"]"
    }
    #expect(was.count == 10)
    #expect(
      try after.map("Post") { post in
        let bodies = post.texts("sections", "body").map { "\"\($0)\"" }.joined(separator: ", ")
        return
          "\(post.text("postID")) \(post.text("date")) \(post.text("hexColor")) [\(bodies)]"
      }.sorted() == was.sorted())
    try before.close()
    try after.close()
  }

  // MARK: UnCloudNotes

  @Test("Images of notes become attachments, and attachments become image attachments")
  func notes() throws {
    ValueTransformer.setValueTransformer(
      PictureTransformer(), forName: NSValueTransformerName("ImageTransformer"))
    let folder = try TemporaryFolder()
    let models = try (2...4).map {
      try MappingFixtures.model(MappingFixtures.noteModels, "UnCloudNotesDataModel v\($0)")
    }
    let source = folder.file("notes.sqlite")
    let first = try Rows(source, models[0])
    try first.context.performAndWait {
      for number in 0..<6 {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: first.context)
        note.setValue("body \(number)", forKey: "body")
        note.setValue("title \(number)", forKey: "title")
        note.setValue(number, forKey: "displayIndex")
        note.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "dateCreated")
        if number % 2 == 0 { note.setValue("picture \(number)", forKey: "image") }
      }
      try first.context.save()
    }
    try first.close()
    let folderName =
      "cdt-materials/06-versioning-and-migration/UnCloudNotes/UnCloudNotesMappingModel"
    let three = try migrate(
      source, models[0], models[1], try MappingFixtures.mapping("\(folderName)_v2_to_v3"),
      in: folder, "three")
    let third = try Rows(three, models[1])
    #expect(
      try third.map("Note") {
        "\($0.text("title")) \($0.text("body")) \($0.texts("attachments", "image"))"
      }
      .sorted()
        == (0..<6).map {
          "title \($0) body \($0) \($0 % 2 == 0 ? ["picture \($0)"] : [])"
        })
    #expect(
      try third.map("Attachment") { $0.text("dateCreated") == $0.text("note.dateCreated") }
        == [true, true, true])
    try third.close()
    let four = try migrate(
      three, models[1], models[2], try MappingFixtures.mapping("\(folderName)_v3_to_v4"),
      in: folder, "four")
    let fourth = try Rows(four, models[2])
    #expect(
      try fourth.map("ImageAttachment") {
        ["image", "caption", "width", "height", "note.title"].map($0.text).joined(separator: " ")
      }.sorted() == [0, 2, 4].map { "picture \($0) body 2.5 3.5 title \($0)" })
    // The mapping has no filter, so that each image is a plain attachment as well.
    #expect(
      try fourth.map("Attachment") { $0.text("note.title") }.sorted()
        == [0, 2, 4].map { "title \($0)" })
    #expect(
      try fourth.map("Note") { $0.texts("attachments", "dateCreated").count }.sorted()
        == [0, 0, 0, 2, 2, 2])
    try fourth.close()
  }
}
