import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

@Suite(
  "Derivations that a store cannot compute",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores support derived attributes"))
struct UnsupportedDerivationTests {
  /// Returns a model with a derived attribute that SQLite stores cannot compute.
  private static func impossible(
    _ expression: String, _ type: NSAttributeType
  ) -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let mood = SampleStack.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    model.entitiesByName["Player"]?.properties.append(mood)
    DerivedSample.derive(model, "Player", "odd", expression, type)
    return model
  }

  /// Source: NSDerivedAttributeDescription.h: a store that does not support a derivation is not
  /// added. Apple's error for this case is not known.
  @Test(
    "A store whose derivation cannot be computed is not added, and the error says why",
    arguments: [
      ("uppercase:(age)", NSAttributeType.stringAttributeType), ("name", .integer64AttributeType),
      ("length:(name)", .stringAttributeType), ("tags.players.@count", .integer64AttributeType),
      ("team.players.name", .stringAttributeType), ("now()", .stringAttributeType),
      ("length:(mood)", .integer64AttributeType), ("team", .stringAttributeType),
      ("odd + 1", .integer64AttributeType),
      // Triggers could compute these values, but the attribute cannot store them.
      ("team.name", .integer64AttributeType), ("team.founded", .stringAttributeType),
      ("tags.@avg.label", .doubleAttributeType), ("tags.@max.label", .integer64AttributeType),
      ("tags.@count", .stringAttributeType),
      // A copied cell could contain the name of another row's file.
      ("team.photo", .binaryDataAttributeType),
    ])
  func refused(expression: String, type: NSAttributeType) throws {
    let model = Self.impossible(expression, type)
    let photo = SampleStack.attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Team"]?.properties.append(photo)
    let error = #expect(throws: NSError.self) { try SampleStack(model: model) }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(
      error?.localizedDescription.contains(" cannot derive Player.odd: ") == true,
      "\(error.map { "\($0)" } ?? "")")
  }

  @Test(
    "In a compiled model, an attribute that cannot store its values has no value and no triggers",
    .only([.sqlite], "the store is a file"))
  func compiled() throws {
    let model = Self.impossible("team.name", .integer64AttributeType)
    model.isCompiled = true
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let (store, context) = try TestedStore.sqlite.open(model, at: url)
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["team": team])
      try context.save()
      #expect(player.value(forKey: "odd") == nil)
    }
    try context.persistentStoreCoordinator?.remove(store)
    let triggers = try PlainDatabase(url).values(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    #expect(triggers.isEmpty)
  }

  @Test(
    "An unsupported derivation prevents creating a store, but not reading one",
    .only([.sqlite], "the store is a file"))
  func readOnly() throws {
    let model = Self.impossible("uppercase:(age)", .stringAttributeType)
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    #expect(throws: NSError.self) { try TestedStore.sqlite.open(model, at: url) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    // Makes a store like those of earlier versions of this library: its column `odd` is never derived.
    let plain = SampleStack.makeModel()
    plain.entitiesByName["Player"]?.properties.append(
      SampleStack.attribute("odd", .stringAttributeType))
    let (store, context) = try TestedStore.sqlite.open(plain, at: url)
    try context.performAndWait {
      context.insert("Player", ["name": "Ann"])
      try context.save()
    }
    try context.persistentStoreCoordinator?.remove(store)
    let (_, reader) = try TestedStore.sqlite.open(
      model, at: url,
      options: [
        NSReadOnlyPersistentStoreOption: NSNumber(value: true),
        NSIgnorePersistentStoreVersioningOption: NSNumber(value: true),
      ])
    try reader.performAndWait {
      let players = try reader.all("Player")
      #expect(players.map { $0["name"] } == ["Ann"])
    }
  }
}
