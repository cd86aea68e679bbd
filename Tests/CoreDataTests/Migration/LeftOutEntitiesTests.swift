import FixtureSupport
import Foundation
import ObjectModel
import Testing

@testable import CoreData

/// Apple's Core Data carries out only the entity mappings that exist. Its "Core Data Model
/// Versioning and Data Migration Programming Guide" migrates large data with several mapping models
/// between the same two models, each with some of the entities ("Multiple Passes—Dealing With Large
/// Datasets"). After one pass alone, the other rows are gone.
@Suite("An entity that a mapping model leaves out")
struct LeftOutEntitiesTests {
  private static let models = ["P: name string\nQ: x i16", "P: name string; n i16\nQ: x i16"].map(
    ModelText.model)

  private func filled(_ kind: TestedStore = .sqlite, rowsOfQ count: Int = 3) throws -> MigratedStore
  {
    let store = try MigratedStore(kind)
    try store.with(Self.models[0]) { context in
      context.insert("P", ["name": "Ann"])
      for x in 0..<count { context.insert("Q", ["x": x]) }
    }
    return store
  }

  private static func mapping(_ more: [NSEntityMapping] = []) -> NSMappingModel {
    let mapping = NSMappingModel()
    mapping.entityMappings =
      [
        LibraryModels.entityMapping(
          "PToP", "P", "P", attributes: [LibraryModels.property("name", "$source.name")],
          relationships: [])
      ] + more
    return mapping
  }

  private func migrate(
    _ store: MigratedStore, by mapping: NSMappingModel, rehearses: Bool = false
  ) throws {
    var migration = ProgressiveMigration(through: Self.models)
    migration.mappingModel = { _, _ in mapping }
    let type = NSPersistentStore.StoreType(rawValue: store.kind.type)
    if rehearses {
      _ = try migration.rehearse(at: store.url, type: type)
    } else {
      try migration.run(at: store.url, type: type)
    }
  }

  @Test(
    "A replacing migration fails before any write if an omitted entity has rows",
    arguments: TestedStore.fileKinds, [false, true])
  func refused(_ kind: TestedStore, rehearsed: Bool) throws {
    let store = try filled(kind)
    let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path).sorted()
    let error = #expect(throws: NSError.self) {
      try migrate(store, by: Self.mapping(), rehearses: rehearsed)
    }
    #expect(error?.code == NSMigrationError)
    #expect(error?.localizedDescription.contains("no entity mapping for Q (3 rows)") == true)
    #expect(error?.localizedRecoverySuggestion?.contains("of the type remove") == true)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path).sorted() == files)
    try store.with(Self.models[0], migrates: false) { context in
      let counts = [try context.all("P").count, try context.all("Q").count]
      #expect(counts == [1, 3])
    }
  }

  @Test("A mapping model may omit an entity without rows")
  func withoutRows() throws {
    let store = try filled(rowsOfQ: 0)
    try migrate(store, by: Self.mapping())
    try store.with(Self.models[1], migrates: false) { context in
      let names = try context.all("P").map { $0["name"] as String? }
      #expect(names == ["Ann"])
    }
  }

  @Test("An entity is not omitted if a mapping removes its rows or selects some of them")
  func decided() throws {
    let removal = NSEntityMapping()
    removal.name = "Remove"
    removal.mappingType = .removeEntityMappingType
    removal.sourceEntityName = "Q"
    let some = LibraryModels.entityMapping(
      "Some", "Q", "Q", attributes: [LibraryModels.property("x", "$source.x")], relationships: [],
      predicate: "x > 1")
    for (mapping, rest) in [(removal, 0), (some, 1)] {
      let store = try filled()
      try migrate(store, by: Self.mapping([mapping]))
      try store.with(Self.models[1], migrates: false) { context in
        let count = try context.all("Q").count
        #expect(count == rest)
      }
    }
  }

  @Test("A manager run by the program skips rows of omitted entities, like Apple's Core Data")
  func manager() throws {
    let store = try filled()
    let destination = store.folder.file("new.sqlite")
    try NSMigrationManager(sourceModel: Self.models[0], destinationModel: Self.models[1])
      .migrateStore(
        from: store.url, type: .sqlite, mapping: Self.mapping(), to: destination, type: .sqlite)
    let rows = try Rows(destination, Self.models[1])
    #expect(try rows.count("P") == 1 && rows.count("Q") == 0)
    try rows.close()
    try store.with(Self.models[0], migrates: false) { context in
      let count = try context.all("Q").count
      #expect(count == 3)
    }
  }

  @Test("An omitted entity is in both models, possibly renamed, and can have rows of its own")
  func entities() {
    func names(_ old: String, _ new: String, _ mappings: [NSEntityMapping]) -> [String] {
      LeftOutEntities(mappings, from: ModelText.model(old), to: ModelText.model(new)).names
    }
    let old = "B abstract: x i16\nS < B: y i16\nT < B: z i16\nGone: n i16\nU: n i16"
    let new = "B abstract: x i16\nS < B: y i16\nT < B: z i16\nV was U: n i16\nAdded: n i16"
    func mapping(_ source: String?, _ expression: String? = nil) -> NSEntityMapping {
      let mapping = LibraryModels.entityMapping(
        "m", source, "S", attributes: [], relationships: [])
      if let expression { mapping.sourceExpression = NSExpression(format: expression) }
      return mapping
    }
    #expect(names(old, new, []) == ["S", "T", "U"])
    #expect(names(old, new, [mapping("S"), mapping("T"), mapping("U")]) == [])
    // An entity mapping covers only its own entity, not subentities, unless its source expression
    // is custom.
    #expect(names(old, new, [mapping("B"), mapping("U")]) == ["S", "T"])
    let own = "FETCH(FUNCTION($manager, 'everything:', 'B'), $manager.sourceContext, NO)"
    #expect(names(old, new, [mapping("B", own)]) == ["U"])
    #expect(names(old, new, [mapping(nil, own)]) == [])
  }

  @Test("A mapping model that omits an entity ranks below one that does not")
  func choice() throws {
    let store = try filled()
    let folder = store.folder.url.appendingPathComponent("mappings")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let whole = Self.mapping([
      LibraryModels.entityMapping(
        "QToQ", "Q", "Q", attributes: [LibraryModels.property("x", "$source.x")],
        relationships: [])
    ])
    let finder = MappingFinder(source: Self.models[0], destination: Self.models[1])
    try Self.mapping().write(to: folder.appendingPathComponent("1.cdm"))
    #expect(try finder.found(in: [folder])?.url.lastPathComponent == "1.cdm")
    try whole.write(to: folder.appendingPathComponent("2.cdm"))
    #expect(try finder.found(in: [folder])?.url.lastPathComponent == "2.cdm")
  }

  @Test(
    "No mapping model of the fixtures omits an entity",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func fixtures() throws {
    let models = try Self.versions(below: Fixtures.url("models"))
    var checked: Set<String> = []
    for path in MappingFixtures.sources + MappingFixtures.compiled {
      let mappings = try NSMappingModel(validating: Fixtures.url(path)).entityMappings ?? []
      let sources = Set(mappings.compactMap(\.sourceEntityName))
      for versions in models {
        for old in versions where sources.isSubset(of: old.entitiesByName.keys) {
          for new in versions
          where old !== new && MappingFinder(source: old, destination: new).fits(mappings) {
            checked.insert(path)
            #expect(LeftOutEntities(mappings, from: old, to: new).names == [], "\(path)")
          }
        }
      }
    }
    #expect(checked.count >= 10)
  }

  /// Returns the readable versions of each versioned model.
  private static func versions(below folder: URL) throws -> [[NSManagedObjectModel]] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    let bundles = (paths ?? []).filter { $0.hasSuffix(".xcdatamodeld") }
    return bundles.map { path in
      let bundle = folder.appendingPathComponent(path)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle.path)) ?? []
      return names.filter { $0.hasSuffix(".xcdatamodel") }.compactMap {
        try? NSManagedObjectModel(validating: bundle.appendingPathComponent($0))
      }
    }.filter { $0.count > 1 }
  }
}

@Suite("A chain of models is checked before its first step")
struct PlannedMigrationTests {
  private static let models = [
    "P: name string\nQ: x i16", "P: name string; n i16\nR was Q: x i16",
    "P: name string; n i16; m i16\nR: x i16",
  ].map(ModelText.model)

  private func filled() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.with(Self.models[0]) { context in
      context.insert("P", ["name": "Ann"])
      context.insert("Q", ["x": 1])
    }
    return store
  }

  /// A migration whose second step uses a mapping model.
  private func migration(_ change: (NSMappingModel) -> Void) throws -> ProgressiveMigration {
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: Self.models[1], destinationModel: Self.models[2])
    change(mapping)
    var migration = ProgressiveMigration(through: Self.models)
    migration.mappingModel = { source, _ in source === Self.models[1] ? mapping : nil }
    return migration
  }

  private func requireUntouched(_ store: MigratedStore) throws {
    try store.with(Self.models[0], migrates: false) { context in
      let counts = [try context.all("P").count, try context.all("Q").count]
      #expect(counts == [1, 1])
    }
  }

  @Test(
    "A missing policy class fails the migration before its first step", arguments: [false, true])
  func policies(rehearsed: Bool) throws {
    let store = try filled()
    let migration = try migration {
      $0.entityMappings[0].entityMigrationPolicyClassName = "Elsewhere.NobodysPolicy"
    }
    let error = #expect(throws: NSError.self) {
      _ =
        rehearsed
        ? try migration.rehearse(at: store.url) : try migration.run(at: store.url)
    }
    #expect(error?.code == NSEntityMigrationPolicyError)
    #expect(error?.localizedDescription.hasPrefix("step 2 of 2 would fail: ") == true)
    #expect(error?.localizedDescription.contains("Elsewhere.NobodysPolicy") == true)
    try requireUntouched(store)
  }

  @Test("Rows that a later mapping omits fail the migration, with the entity's name at that step")
  func rows() throws {
    let store = try filled()
    let migration = try migration { mapping in
      mapping.entityMappings.removeAll { $0.sourceEntityName == "R" }
    }
    let error = #expect(throws: NSError.self) { try migration.run(at: store.url) }
    #expect(error?.localizedDescription.hasPrefix("step 2 of 2 would fail: ") == true)
    #expect(error?.localizedDescription.contains("R (1 row)") == true)
    try requireUntouched(store)
  }
}
