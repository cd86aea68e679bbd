import Foundation
import ObjectModel
import Testing

@testable import CoreData

/// Sources: Apple's pages for `addPersistentStore(ofType:configurationName:at:options:)` and
/// `isConfiguration(withName:compatibleWithStoreMetadata:)`. A store of a configuration records
/// only the entities of that configuration.
@Suite("A store of one configuration")
struct ConfigurationMigrationTests {
  private static let texts = [
    "A: x i16\nB: y i16", "A: x i16; name string\nB: y i16",
    "A: x i16; label string was name\nB: y i16",
  ]

  /// Versions of a model, with the entities of each configuration.
  private static func models(
    _ configurations: [String: [String]] = ["Local": ["A"], "Cloud": ["B"]]
  ) -> [NSManagedObjectModel] {
    texts.map { model($0, configurations) }
  }

  private static func model(
    _ text: String, _ configurations: [String: [String]]
  ) -> NSManagedObjectModel {
    let model = ModelText.model(text)
    for (name, entities) in configurations.sorted(by: { $0.key < $1.key }) {
      model.setEntities(
        entities.compactMap { model.entitiesByName[$0] }, forConfigurationName: name)
    }
    return model
  }

  private func add(
    _ kind: TestedStore, _ model: NSManagedObjectModel, _ configuration: String?, at url: URL,
    migrates: Bool = false
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: kind.type, configurationName: configuration, at: url,
      options: migrates ? MigratedStore.migrating : nil)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func filled(
    _ kind: TestedStore, _ model: NSManagedObjectModel, _ configuration: String = "Local",
    in folder: TemporaryFolder
  ) throws -> URL {
    let url = kind.url(in: folder)
    let context = try add(kind, model, configuration, at: url)
    try context.performAndWait {
      for x in 1...3 { context.insert("A", ["x": x]) }
      try context.save()
    }
    for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
      try context.persistentStoreCoordinator?.remove(store)
    }
    return url
  }

  @Test(
    "A store of one configuration migrates through a chain, in place and by mapping models",
    arguments: TestedStore.fileKinds,
    [false, true])
  func chain(_ kind: TestedStore, mapped: Bool) throws {
    let folder = try TemporaryFolder()
    let models = Self.models()
    let url = try filled(kind, models[0], in: folder)
    var migration = ProgressiveMigration(through: models)
    if mapped {
      migration.mappingModel = {
        try NSMappingModel.inferredMappingModel(forSourceModel: $0, destinationModel: $1)
      }
    }
    let type = NSPersistentStore.StoreType(rawValue: kind.type)
    #expect(try migration.path(from: url, type: type).count == 3)
    let expected = [ProgressiveMigration.RowCount(entity: "A", before: 3, after: 3)]
    #expect(try migration.rehearse(at: url, type: type) == expected)
    #expect(try migration.run(at: url, type: type) == expected)
    // The store still belongs to that configuration, and to no other.
    let context = try add(kind, models[2], "Local", at: url)
    try context.performAndWait {
      let values = try context.all("A", sort: ["x"]).map { $0["x"] as Int16? }
      #expect(values == [1, 2, 3])
    }
    #expect(throws: NSError.self) { try add(kind, models[2], nil, at: url) }
    #expect(try migration.path(from: url, type: type).count == 1)
  }

  @Test(
    "A migration can specify the new model's configuration when the old name is gone",
    arguments: TestedStore.fileKinds)
  func opened(_ kind: TestedStore) throws {
    let folder = try TemporaryFolder()
    let models = [
      Self.models()[0], Self.model(Self.texts[1], ["Private": ["A"], "Cloud": ["B"]]),
    ]
    let url = try filled(kind, models[0], in: folder)
    var migration = ProgressiveMigration(through: models)
    let type = NSPersistentStore.StoreType(rawValue: kind.type)
    let unknown = #expect(throws: NSError.self) { try migration.run(at: url, type: type) }
    #expect(unknown?.localizedDescription.contains("has the configuration Local") == true)
    migration.configuration = "Missing"
    let wrong = #expect(throws: NSError.self) { try migration.run(at: url, type: type) }
    #expect(wrong?.localizedDescription.contains("it has Cloud, Private") == true)
    migration.configuration = "Private"
    let rows = try migration.run(at: url, type: type)
    #expect(rows == [ProgressiveMigration.RowCount(entity: "A", before: 3, after: 3)])
    _ = try add(kind, models[1], "Private", at: url)
  }

  @Test("A configuration must be specified if several fit and the choice matters")
  func ambiguous() throws {
    let folder = try TemporaryFolder()
    let first = Self.model(Self.texts[0], ["One": ["A"], "Two": ["A"]])
    let url = try filled(.sqlite, first, "One", in: folder)
    let same = Self.model(Self.texts[1], ["One": ["A"], "Two": ["A"]])
    try ProgressiveMigration(through: [first, same]).run(at: url)
    let apart = Self.model(Self.texts[2], ["One": ["A"], "Two": ["A", "B"]])
    var migration = ProgressiveMigration(through: [first, same, apart])
    let error = #expect(throws: NSError.self) { try migration.run(at: url) }
    #expect(
      error?.localizedDescription.contains("One or Two: set the configuration to use") == true)
    migration.configuration = "Two"
    try migration.run(at: url)
    let context = try add(.sqlite, apart, "Two", at: url)
    try context.performAndWait {
      let counts = [try context.all("A").count, try context.all("B").count]
      #expect(counts == [3, 0])
    }
  }

  @Test("A store needs no migration if only entities of other configurations differ")
  func others() throws {
    let folder = try TemporaryFolder()
    let configurations = ["Local": ["A"], "Cloud": ["B"]]
    let models = ["A: x i16\nB: y i16", "A: x i16\nB: y i16; z i16"].map {
      Self.model($0, configurations)
    }
    let url = try filled(.sqlite, models[0], in: folder)
    let before = try Data(contentsOf: url)
    let migration = ProgressiveMigration(through: models)
    #expect(try migration.path(from: url).count == 1)
    try migration.run(at: url)
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("A store migrates to the whole model if the new model has no configurations")
  func whole() throws {
    let folder = try TemporaryFolder()
    let models = [Self.models()[0], ModelText.model(Self.texts[1])]
    let url = try filled(.sqlite, models[0], in: folder)
    try ProgressiveMigration(through: models).run(at: url)
    let context = try add(.sqlite, models[1], nil, at: url)
    try context.performAndWait {
      let counts = [try context.all("A").count, try context.all("B").count]
      #expect(counts == [3, 0])
    }
  }

  @Test("A store without a copy of its model matches a known model that has the configuration")
  func withoutCopy() throws {
    let folder = try TemporaryFolder()
    let models = Self.models()
    let url = try filled(.sqlite, models[0], in: folder)
    try PlainDatabase(url).execute("DELETE FROM Z_MODELCACHE")
    var migration = ProgressiveMigration(through: [models[2]])
    #expect(throws: NSError.self) { try migration.run(at: url) }
    migration.knownModels = [models[0]]
    try migration.run(at: url)
    _ = try add(.sqlite, models[2], "Local", at: url)
  }
}
