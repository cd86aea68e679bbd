import CoreData
import Foundation
import ObjectModel
import Testing

@Suite("A chain of models")
struct ProgressiveMigrationTests {
  private static let texts = [
    "P: name string; age i16",
    "P: name string; age i16; rank i16! = 3",
    "Person was P: title string was name; age i32; rank i16! = 3\nTag: name string",
    "Person: title string; years i32 was age; rank i16! = 3\nTag: name string",
  ]

  private func filled(_ kind: TestedStore, _ model: NSManagedObjectModel) throws -> MigratedStore {
    let store = try MigratedStore(kind)
    try store.with(model, migrates: false) { context in
      for number in 1...5 { context.insert("P", ["name": "P\(number)", "age": number]) }
    }
    return store
  }

  @Test(
    "A migration walks the chain from the store's model, in stores of every kind",
    arguments: TestedStore.fileKinds)
  func walking(_ kind: TestedStore) throws {
    let models = Self.texts.map(ModelText.model)
    let store = try filled(kind, models[0])
    var parts: [Double] = []
    var migration = ProgressiveMigration(through: models)
    migration.progress = { parts.append($0) }
    let rows = try migration.run(at: store.url, type: .init(rawValue: kind.type))
    #expect(
      rows == [
        ProgressiveMigration.RowCount(entity: "Person", before: 5, after: 5),
        ProgressiveMigration.RowCount(entity: "Tag", before: nil, after: 0),
      ])
    #expect(parts.last == 1 && parts == parts.sorted())
    try store.with(models[3], migrates: false) { context in
      let people = try context.all("Person", sort: ["title"])
      #expect(people.map { $0["title"] } == ["P1", "P2", "P3", "P4", "P5"])
      #expect(people.map { $0["years"] } == [1, 2, 3, 4, 5] as [Int32?])
      #expect(people.map { $0["rank"] } == [3, 3, 3, 3, 3] as [Int16?])
    }
    // A second run has no steps to perform, and no file is left over.
    try migration.run(at: store.url, type: .init(rawValue: kind.type))
    let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path)
    #expect(files.filter { $0.contains("migration") } == [])
  }

  @Test(
    "A rehearsal migrates a copy and does not change the store",
    arguments: TestedStore.fileKinds)
  func rehearsal(_ kind: TestedStore) throws {
    let models = Self.texts.map(ModelText.model)
    let store = try filled(kind, models[0])
    let before = try Data(contentsOf: store.url)
    let rows = try ProgressiveMigration(through: models).rehearse(
      at: store.url, type: .init(rawValue: kind.type))
    #expect(rows.first?.after == 5)
    #expect(try Data(contentsOf: store.url) == before)
    try store.with(models[0], migrates: false) { context in
      let count = try context.all("P").count
      #expect(count == 5)
    }
    // The error identifies the store, not its copy.
    let error = #expect(throws: NSError.self) {
      try ProgressiveMigration(through: [ModelText.model("P: name i16")]).rehearse(
        at: store.url, type: .init(rawValue: kind.type))
    }
    #expect(error?.localizedDescription.contains("migration-") == false)
    // Nor does the error claim that steps were completed.
    let late = #expect(throws: NSError.self) {
      try ProgressiveMigration(through: [models[0], models[1], ModelText.model("P: name i16")])
        .rehearse(at: store.url, type: .init(rawValue: kind.type))
    }
    #expect(late?.localizedDescription.contains("step") == false)
  }

  @Test(
    "Cancelling the current progress ends the migration and leaves no extra files",
    arguments: TestedStore.fileKinds, [false, true])
  func cancelling(_ kind: TestedStore, byCopying isMapped: Bool) throws {
    let models = Self.texts.map(ModelText.model)
    let store = try filled(kind, models[0])
    let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path).sorted()
    // Cancel before the first step, during the first step, and during the second step.
    for limit in [-1, 0, 0.5] {
      let progress = Progress(totalUnitCount: 1)
      if limit < 0 { progress.cancel() }
      var migration = ProgressiveMigration(through: Array(models.prefix(3)))
      if isMapped {
        migration.mappingModel = {
          try NSMappingModel.inferredMappingModel(forSourceModel: $0, destinationModel: $1)
        }
      }
      migration.progress = { if $0 > limit { progress.cancel() } }
      progress.becomeCurrent(withPendingUnitCount: 1)
      let error = #expect(throws: (any Error).self, "\(limit)") {
        try migration.run(at: store.url, type: .init(rawValue: kind.type))
      }
      progress.resignCurrent()
      let causes = sequence(first: error as NSError?) {
        $0?.userInfo[NSUnderlyingErrorKey] as? NSError
      }
      #expect(
        causes.contains { $0?.code == CocoaError.userCancelled.rawValue },
        "\(limit): \(error as Any)")
      // Completed steps are kept: the first step is half of the way.
      try store.with(models[limit < 0.5 ? 0 : 1], migrates: false) { context in
        let count = try context.all("P").count
        #expect(count == 5)
      }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path).sorted() == files
      )
    }
  }

  // Version 2.53 of wire-ios-data-model added a renaming identifier after stores of it existed.
  @Test("The program's renaming identifiers are used instead of those in the store's model")
  func laterIdentifiers() throws {
    let store = try filled(.sqlite, ModelText.model("P: name string; age i16"))
    let target = ModelText.model("P: title string was label; age i16")
    let ours = ModelText.model("P: name string was label; age i16")
    var migration = ProgressiveMigration(through: [target])
    migration.knownModels = [ours]
    try migration.run(at: store.url)
    try store.with(target, migrates: false) { context in
      let titles = try context.all("P", sort: ["age"]).map { $0["title"] as String? }
      #expect(titles == ["P1", "P2", "P3", "P4", "P5"])
    }
  }

  @Test("A chain of a hundred versions has the same result as a single step")
  func hundredVersions() throws {
    // Each version adds a property or changes the type of one. Each fifth version adds an entity, and each seventh
    // removes one.
    var properties = ["a0 i16"]
    var entities: [String] = []
    var models = [ModelText.model("P: name string; age i16; a0 i16")]
    for version in 1...99 {
      switch version % 3 {
      case 0: properties.append("a\(version) \(version % 2 == 0 ? "i32" : "string")")
      case 1: properties.append("b\(version) i64! = \(version)")
      default: properties[0] = "a0 \(version % 2 == 0 ? "i32" : "i64")"
      }
      if version % 5 == 0 { entities.append("E\(version): x i16; ps ->> P") }
      if version % 7 == 0, !entities.isEmpty { entities.removeFirst() }
      let person = (["P: name string; age i16"] + properties).joined(separator: "; ")
      models.append(ModelText.model(([person] + entities).joined(separator: "\n")))
    }
    #expect(models.count == 100)
    let hashes = models.map(\.entityVersionHashesByName)
    #expect(zip(hashes, hashes.dropFirst()).allSatisfy { $0 != $1 })
    let (one, other) = (try filled(.sqlite, models[0]), try filled(.sqlite, models[0]))
    try ProgressiveMigration(through: models).run(at: one.url)
    try ProgressiveMigration(through: [models[99]]).run(at: other.url)
    func content(_ store: MigratedStore) throws -> [[String]] {
      try store.with(models[99], migrates: false) { context in
        try context.all("P", sort: ["age"]).map { object in
          object.entity.attributesByName.keys.sorted().map {
            "\($0)=\(object.value(forKey: $0).map { "\($0)" } ?? "nil")"
          }
        }
      }
    }
    let steps = try content(one)
    #expect(steps.count == 5)
    #expect(steps.first?.contains("b1=1") == true && steps.first?.contains("name=P1") == true)
    #expect(try steps == content(other))
    for store in [one, other] {
      let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: store.url)
      #expect(report.findings.isEmpty)
    }
  }

  @Test("If a step fails, the store keeps the results of the steps before it")
  func failure() throws {
    var models = Self.texts.map(ModelText.model)
    models[2] = ModelText.model("P: name string; age date; rank i16! = 3")
    let store = try filled(.sqlite, models[0])
    #expect(throws: NSError.self) {
      try ProgressiveMigration(through: models).run(at: store.url)
    }
    try store.with(models[1], migrates: false) { context in
      let count = try context.all("P", "rank == 3").count
      #expect(count == 5)
    }
  }

  @Test("A step uses a mapping model if there is one for it")
  func mapping() throws {
    let models = Self.texts.map(ModelText.model)
    let store = try filled(.sqlite, models[0])
    var migration = ProgressiveMigration(through: models)
    var calls = 0
    migration.mappingModel = { source, destination in
      calls += 1
      guard calls == 2 else { return nil }
      return try NSMappingModel.inferredMappingModel(
        forSourceModel: source, destinationModel: destination)
    }
    try migration.run(at: store.url)
    #expect(calls == 3)
    try store.with(models[3], migrates: false) { context in
      let count = try context.all("Person", "years > 2").count
      #expect(count == 3)
    }
  }
}
