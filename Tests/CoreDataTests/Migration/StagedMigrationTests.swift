import Foundation
import Testing

@testable import CoreData

/// Sources: Apple's article "Staged migrations", its pages for `NSStagedMigrationManager`,
/// `NSCustomMigrationStage` and `NSLightweightMigrationStage`, and the staged migrations of
/// CoreDataPlus.
@Suite("Staged migrations")
struct StagedMigrationTests {
  private static let first = "User: name string; petName string"
  private static let second =
    "User: name string; petName string; pet -> Pet.owner\nPet: name string; owner -> User.pet"
  private static let third =
    "User: name string; pet -> Pet.owner\nPet: name string!; owner -> User.pet"

  private func reference(_ text: String) -> NSManagedObjectModelReference {
    let model = ModelText.model(text)
    return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  private func filled(_ kind: TestedStore = .sqlite) throws -> MigratedStore {
    let store = try MigratedStore(kind)
    try store.with(Self.first) { context in
      for number in 1...3 {
        context.insert("User", ["name": "User \(number)", "petName": "Dog \(number)"])
      }
    }
    return store
  }

  /// Opens a store, migrating it through stages, and calls the body with a context of the store.
  private func open(
    _ store: MigratedStore, _ text: String, _ stages: [NSMigrationStage],
    _ body: (NSManagedObjectContext) throws -> Void = { _ in }
  ) throws {
    let container = NSPersistentContainer(
      name: "Users", managedObjectModel: ModelText.model(text))
    let description = NSPersistentStoreDescription(url: store.url)
    description.type = store.kind.type
    description.setOption(
      NSStagedMigrationManager(stages), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let context = container.newBackgroundContext()
    try context.performAndWait { try body(context) }
  }

  private func stages(_ log: Log) -> [NSMigrationStage] {
    let toSecond = NSCustomMigrationStage(
      migratingFrom: reference(Self.first), to: reference(Self.second))
    toSecond.label = "pets"
    toSecond.willMigrateHandler = { manager, _ in
      log.note("will \(manager.container?.managedObjectModel.entities.count ?? 0)")
    }
    toSecond.didMigrateHandler = { manager, stage in
      log.note("did \(stage.label)")
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        for user in try context.all("User") {
          user.setValue(
            context.insert("Pet", ["name": user["petName"] as String? as Any]), forKey: "pet")
        }
        try context.save()
      }
    }
    let toThird = NSCustomMigrationStage(
      migratingFrom: reference(Self.second), to: reference(Self.third))
    return [toSecond, toThird]
  }

  private final class Log: @unchecked Sendable {
    private(set) var lines: [String] = []
    func note(_ line: String) { lines.append(line) }
  }

  @Test(
    "Handlers run around each stage and can prepare rows for a required attribute",
    arguments: TestedStore.fileKinds)
  func handlers(_ kind: TestedStore) throws {
    let store = try filled(kind)
    let log = Log()
    let manager = stages(log)
    try open(store, Self.third, manager) { context in
      let users = try context.all("User", sort: ["name"])
      #expect(
        users.map { ($0.value(forKey: "pet") as? NSManagedObject)?["name"] } == [
          "Dog 1", "Dog 2", "Dog 3",
        ])
    }
    #expect(log.lines == ["will 1", "did pets"])
    // No stage is left to run.
    try open(store, Self.third, manager)
    #expect(log.lines.count == 2)
  }

  @Test("A staged migration starts at the store's model and ends at the container's")
  func places() throws {
    let store = try filled()
    let log = Log()
    try open(store, Self.second, stages(log)) { context in
      let count = try context.all("Pet").count
      #expect(count == 3)
    }
    #expect(log.lines == ["will 1", "did pets"])
    try open(store, Self.third, stages(log))
    #expect(log.lines.count == 2)
    let error = #expect(throws: NSError.self) { try open(store, Self.first, stages(log)) }
    #expect(error?.code == NSStagedMigrationBackwardMigrationError)
  }

  @Test("A lightweight stage finds its models by their checksums")
  func lightweight() throws {
    let store = try filled()
    let middle = ModelText.model("User: name string; petName string; age i16! = 4")
    let last = ModelText.model("User: name string; petName string; years i16! was age = 5")
    let log = Log()
    let custom = NSCustomMigrationStage(
      migratingFrom: NSManagedObjectModelReference(
        model: middle, versionChecksum: middle.versionChecksum),
      to: NSManagedObjectModelReference(model: last, versionChecksum: last.versionChecksum))
    custom.willMigrateHandler = { manager, _ in
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        for user in try context.all("User") { log.note("\(user.value(forKey: "age") ?? "none")") }
      }
    }
    try open(
      store, "User: name string; petName string; years i16! was age = 5",
      [
        NSLightweightMigrationStage([
          ModelText.model(Self.first).versionChecksum, middle.versionChecksum,
        ]), custom,
      ]
    ) { context in
      let users = try context.all("User")
      #expect(users.map { $0["years"] } == [4, 4, 4] as [Int16?])
    }
    #expect(log.lines == ["4", "4", "4"])
  }

  @Test("A staged migration never goes back, nor beyond the target model")
  func middle() throws {
    let texts = [
      "User: name string", "User: name string; age i16! = 4",
      "User: name string; age i16! = 4; rank i16! = 5",
      "User: name string; rank i16! = 5",
    ]
    let models = texts.map { ModelText.model($0) }
    let stage = NSLightweightMigrationStage(models.map(\.versionChecksum))
    // The custom stages make the models available to the migration.
    let known = zip(models, models.dropFirst()).map { current, next in
      NSCustomMigrationStage(
        migratingFrom: NSManagedObjectModelReference(
          model: current, versionChecksum: current.versionChecksum),
        to: NSManagedObjectModelReference(model: next, versionChecksum: next.versionChecksum))
    }
    let store = try MigratedStore()
    try store.with(texts[1]) { $0.insert("User", ["name": "Ann", "age": 30]) }
    try open(store, texts[2], [stage] + known) { context in
      let ages = try context.all("User").map { $0["age"] as Int16? }
      #expect(ages == [30])
    }
  }

  // The stages of Apple's session "Evolve your Core Data schema": the lightweight one refers only to the first model.
  @Test("A migration ends before a custom stage that begins at the target model")
  func beyond() throws {
    let texts = [
      Self.first, "User: name string; petName string; age i16! = 4",
      "User: name string; age i16! = 4",
    ]
    let log = Log()
    let custom = NSCustomMigrationStage(
      migratingFrom: reference(texts[1]), to: reference(texts[2]))
    custom.willMigrateHandler = { _, _ in log.note("will") }
    let stages: [NSMigrationStage] = [
      NSLightweightMigrationStage([ModelText.model(texts[0]).versionChecksum]), custom,
    ]
    let store = try filled()
    try open(store, texts[1], stages) { context in
      let names = try context.all("User", sort: ["name"]).map { $0["petName"] as String? }
      #expect(names == ["Dog 1", "Dog 2", "Dog 3"])
    }
    #expect(log.lines.isEmpty)
    try open(store, texts[2], stages) { context in
      let ages = try context.all("User").map { $0["age"] as Int16? }
      #expect(ages == [4, 4, 4])
    }
    #expect(log.lines == ["will"])
  }

  @Test("A store whose model is in no stage is rejected")
  func unknown() throws {
    let store = try MigratedStore()
    let text = "User: name string; petName string; mood string"
    try store.with(text) { $0.insert("User", ["mood": "calm"]) }
    let error = #expect(throws: NSError.self) {
      try open(store, Self.third, stages(Log()))
    }
    #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
    try store.with(text, migrates: false) { context in
      let moods = try context.all("User").map { $0["mood"] as String? }
      #expect(moods == ["calm"])
    }
  }

  @Test("A target model that is in no stage is rejected, because the stages may migrate beyond it")
  func unnamedTarget() throws {
    let texts = ["User: name string", "User: name string; age i16", "User: age i16"]
    let store = try MigratedStore()
    try store.with(texts[0]) { $0.insert("User", ["name": "Ann"]) }
    let stage = NSCustomMigrationStage(
      migratingFrom: reference(texts[0]), to: reference(texts[2]))
    let error = #expect(throws: NSError.self) { try open(store, texts[1], [stage]) }
    #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
    try store.with(texts[0], migrates: false) { context in
      let names = try context.all("User").map { $0["name"] as String? }
      #expect(names == ["Ann"])
    }
  }

  @Test("A handler's error ends the migration and keeps the completed stages")
  func failure() throws {
    let store = try filled()
    let stages = stages(Log())
    let custom = try #require(stages[0] as? NSCustomMigrationStage)
    custom.didMigrateHandler = { _, _ in throw CocoaError(.userCancelled) }
    let error = #expect(throws: NSError.self) { try open(store, Self.third, stages) }
    // The program's own error, unchanged.
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code == CocoaError.Code.userCancelled.rawValue)
    try store.with(Self.second, migrates: false) { context in
      let count = try context.all("User").count
      #expect(count == 3)
    }
  }

  @Test(
    "An unfinished handler runs again, before a later stage removes what it needs",
    arguments: [second, third])
  func unfinished(_ text: String) throws {
    let store = try filled()
    let broken = stages(Log())
    let custom = try #require(broken[0] as? NSCustomMigrationStage)
    let handler = custom.didMigrateHandler
    custom.didMigrateHandler = { manager, stage in
      try handler?(manager, stage)
      throw CocoaError(.userCancelled)
    }
    #expect(throws: CocoaError.self) { try open(store, Self.third, broken) }
    // The handler is called again at each opening until it finishes.
    let log = Log()
    let whole = stages(log)
    try open(store, text, whole) { context in
      let names = try context.all("User", sort: ["name"]).map { user in
        (user.value(forKey: "pet") as? NSManagedObject)?["name"] as String?
      }
      #expect(names == ["Dog 1", "Dog 2", "Dog 3"])
    }
    #expect(log.lines == ["did pets"])
    try open(store, Self.third, whole)
    #expect(log.lines == ["did pets"])
  }

  @Test(
    "An unfinished handler is remembered even if it replaced the store's metadata",
    arguments: TestedStore.fileKinds)
  func otherMetadata(_ kind: TestedStore) throws {
    let store = try filled(kind)
    let log = Log()
    let whole = stages(log)
    let custom = try #require(whole[0] as? NSCustomMigrationStage)
    let handler = custom.didMigrateHandler
    custom.didMigrateHandler = { manager, stage in
      let coordinator = try #require(manager.container?.persistentStoreCoordinator)
      for open in coordinator.persistentStores {
        coordinator.setMetadata(["mark": "set"], for: open)
      }
      try handler?(manager, stage)
      if log.lines.count == 2 { throw CocoaError(.userCancelled) }
    }
    #expect(throws: CocoaError.self) { try open(store, Self.second, whole) }
    #expect(log.lines.last == "did pets")
    try open(store, Self.second, whole)
    #expect(log.lines.dropFirst() == ["did pets", "did pets"])
    try open(store, Self.second, whole)
    #expect(log.lines.count == 3)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: kind.type, at: store.url, options: nil)
    #expect(metadata["mark"] as? String == "set")
    #expect(!metadata.keys.contains { $0.hasPrefix("OpenCoreData") })
  }

  @Test(
    "A store with an unfinished handler opens unchanged if no stage has the handler, or read-only"
  )
  func abandoned() throws {
    let store = try filled()
    let broken = stages(Log())
    let custom = try #require(broken[0] as? NSCustomMigrationStage)
    custom.didMigrateHandler = { _, _ in throw CocoaError(.userCancelled) }
    #expect(throws: CocoaError.self) { try open(store, Self.third, broken) }
    try open(store, Self.second, []) { context in
      let count = try context.all("User").count
      #expect(count == 3)
    }
    let log = Log()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.second))
    try coordinator.addPersistentStore(
      ofType: store.kind.type, configurationName: nil, at: store.url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSReadOnlyPersistentStoreOption: NSNumber(value: true),
        NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages(log)),
      ])
    #expect(log.lines.isEmpty)
  }

  @Test("A required attribute without a value fails the migration")
  func unprepared() throws {
    let store = try MigratedStore()
    try store.with(Self.second) { $0.insert("Pet") }
    let stage = NSCustomMigrationStage(
      migratingFrom: reference(Self.second), to: reference(Self.third))
    let error = #expect(throws: NSError.self) { try open(store, Self.third, [stage]) }
    #expect(error?.localizedDescription.contains("Pet.name") == true)
    try store.with(Self.second, migrates: false) { context in
      let count = try context.all("Pet").count
      #expect(count == 1)
    }
  }

  @Test("A reference into a bundle finds the model or version with its name and checksum")
  func named() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (ModelText.model(Self.first), ModelText.model(Self.second))
    let checksums = [first, second].map(\.versionChecksum)
    let versions = [("V1", first), ("V2", second)].map {
      VersionedModel.Version(name: $0, model: $1)
    }
    try VersionedModel(versions: versions).write(to: folder.file("One.momd"))
    let other = ModelText.model(Self.first)
    other.entitiesByName["User"]?.userInfo = ["from": "Two"]
    try other.write(to: folder.file("Two.mom"))
    let bundle = try #require(Bundle(path: folder.url.path))
    func origin(_ name: String, _ checksum: String) throws -> String? {
      let model = try NSManagedObjectModelReference(
        name: name, in: bundle, versionChecksum: checksum
      ).resolve()
      #expect(model.versionChecksum == checksum)
      return model.entitiesByName["User"]?.userInfo?["from"] as? String
    }
    #expect(try origin("One", checksums[0]) == nil)
    #expect(try origin("One", checksums[1]) == nil)
    #expect(try origin("V2", checksums[1]) == nil)
    #expect(try origin("Two", checksums[0]) == "Two")
    for (name, checksum) in [("Two", checksums[1]), ("V1", checksums[1]), ("3", checksums[0])] {
      let error = #expect(throws: NSError.self) { try origin(name, checksum) }
      #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
    }
  }

  @Test("The error of a reference to a file says which checksums the versions in it have")
  func file() throws {
    let folder = try TemporaryFolder()
    let models = [Self.first, Self.second].map(ModelText.model)
    let versions = zip(["V1", "V2"], models).map { VersionedModel.Version(name: $0, model: $1) }
    let (many, one) = (folder.file("Many.momd"), folder.file("One.mom"))
    let json = folder.file("Many.json")
    for file in [many, json] { try VersionedModel(versions: versions).write(to: file) }
    try models[0].write(to: one)
    let checksums = models.map(\.versionChecksum)
    func model(_ url: URL, _ checksum: String) throws -> NSManagedObjectModel {
      try NSManagedObjectModelReference(fileURL: url, versionChecksum: checksum).resolve()
    }
    for checksum in checksums {
      #expect(try model(many, checksum).versionChecksum == checksum)
      #expect(try model(json, checksum).versionChecksum == checksum)
    }
    #expect(try model(one, checksums[0]).versionChecksum == checksums[0])
    let nowhere = folder.file("Nowhere.momd")
    for (url, text) in [
      (many, "the versions of \(many.path) have the checksums \(checksums[0]), \(checksums[1])"),
      (json, "the versions of \(json.path) have the checksums \(checksums[0]), \(checksums[1])"),
      (one, "\(one.path) has the checksum \(checksums[0])"),
      (nowhere, "There is no model file at \(nowhere.path)"),
    ] {
      let error = #expect(throws: NSError.self) { try model(url, "other") }
      #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
      let message = error?.localizedDescription ?? ""
      #expect(message.hasPrefix("no model with the checksum other: "), "\(message)")
      #expect(message.contains(text), "\(message)")
    }
  }

  @Test("A reference that finds no model throws an error")
  func missing() throws {
    let store = try filled()
    let stage = NSCustomMigrationStage(
      migratingFrom: reference(Self.first),
      to: NSManagedObjectModelReference(name: "Nowhere", in: nil, versionChecksum: "none"))
    let error = #expect(throws: NSError.self) { try open(store, Self.third, [stage]) }
    #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
  }
}

/// Sources: Apple's pages for `NSPersistentStoreDeferredLightweightMigrationOptionKey` and
/// `finishDeferredLightweightMigration()`.
@Suite("Deferred migrations")
struct DeferredMigrationTests {
  private static let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
  private static let old = "P: name string; gone string; also i16\nQ: x i16"
  private static let new = "P: title string was name; more i16! = 2"

  @Test("A deferred migration leaves and reports old tables and columns, and removes them later")
  func cleaning() throws {
    let store = try MigratedStore()
    try store.with(Self.old) { context in
      context.insert("P", ["name": "Ann", "gone": "secret", "also": 3])
      context.insert("Q", ["x": 1])
    }
    var options = MigratedStore.migrating
    options[Self.key] = NSNumber(value: true)
    let model = ModelText.model(Self.new)
    let (opened, context) = try TestedStore.sqlite.open(model, at: store.url, options: options)
    #expect(opened.metadata[Self.key] != nil)
    let before = try SchemaPicture(store.url)
    #expect(before.columns["ZP"]?.contains("ZGONE VARCHAR") == true)
    let coordinator = try #require(context.persistentStoreCoordinator)
    try coordinator.finishDeferredLightweightMigrationTask()
    #expect(opened.metadata[Self.key] != nil)
    try context.performAndWait {
      context.insert("P", ["title": "Bob"])
      try context.save()
    }
    try coordinator.finishDeferredLightweightMigration()
    #expect(opened.metadata[Self.key] == nil)
    let fresh = try MigratedStore()
    try fresh.with(Self.new) { _ in }
    let (after, expected) = (try SchemaPicture(store.url), try SchemaPicture(fresh.url))
    #expect(after.columns == expected.columns)
    #expect(after.others == expected.others)
    try context.performAndWait {
      context.reset()
      let titles = try context.all("P", sort: ["title"]).map { $0["title"] as String? }
      #expect(titles == ["Ann", "Bob"])
    }
  }

  @Test(
    "A deferred migration removes a column that the user's view or index refers to",
    arguments: [
      "CREATE VIEW mine AS SELECT ZGONE FROM ZP", "CREATE INDEX mine ON ZP (lower(ZGONE))",
      "CREATE INDEX mine ON ZP (ZALSO) WHERE ZGONE IS NOT NULL",
    ])
  func ownSchema(_ statement: String) throws {
    let store = try MigratedStore()
    try store.with(Self.old) { $0.insert("P", ["name": "Ann", "gone": "secret", "also": 3]) }
    try PlainDatabase(store.url).execute(statement)
    var options = MigratedStore.migrating
    options[Self.key] = NSNumber(value: true)
    let (opened, context) = try TestedStore.sqlite.open(
      ModelText.model(Self.new), at: store.url, options: options)
    try #require(context.persistentStoreCoordinator).finishDeferredLightweightMigration()
    #expect(opened.metadata[Self.key] == nil)
    #expect(try SchemaPicture(store.url).columns["ZP"]?.contains("ZGONE VARCHAR") == false)
  }

  @Test func `A column that a trigger uses remains with its views, and others are removed`() throws
  {
    let store = try MigratedStore()
    try store.with(Self.old) { $0.insert("P", ["name": "Ann", "gone": "secret", "also": 3]) }
    var options = MigratedStore.migrating
    options[Self.key] = NSNumber(value: true)
    let (opened, context) = try TestedStore.sqlite.open(
      ModelText.model(Self.new), at: store.url, options: options)
    let database = try PlainDatabase(store.url)
    try database.execute(
      "CREATE TRIGGER used AFTER DELETE ON ZP BEGIN SELECT ZALSO FROM ZP; END;"
        + " CREATE VIEW seen AS SELECT ZALSO FROM ZP; CREATE INDEX sought ON ZP (abs(ZALSO))")
    try #require(context.persistentStoreCoordinator).finishDeferredLightweightMigration()
    #expect(opened.metadata[Self.key] == nil)
    let columns = try #require(try database.columns()["ZP"])
    #expect(columns.contains("ZALSO") && !columns.contains("ZGONE"))
    let names = try database.values(
      "SELECT name FROM sqlite_schema WHERE name IN ('used', 'seen', 'sought')"
        + " OR name GLOB 'OpenCoreData_remains_*' ORDER BY name")
    #expect(names.map { $0[0].text } == ["seen", "sought", "used"])
    #expect(try database.values("SELECT * FROM seen") == [[.integer(3)]])
  }

  @Test("A deferred migration copies a table if an attribute gets the name of a leftover column")
  func names() throws {
    let store = try MigratedStore()
    try store.with("P: a i16; x i16") { $0.insert("P", ["a": 1, "x": 2]) }
    var options = MigratedStore.migrating
    options[Self.key] = NSNumber(value: true)
    let (_, context) = try TestedStore.sqlite.open(
      ModelText.model("P: a i16 was x"), at: store.url, options: options)
    try context.performAndWait {
      let found = try context.all("P").map { $0["a"] as Int16? }
      #expect(found == [2])
    }
  }

  @Test("An unfinished deferred migration does not prevent the next migration")
  func again() throws {
    let store = try MigratedStore()
    try store.with(Self.old) { $0.insert("P", ["name": "Ann", "gone": "secret"]) }
    var options = MigratedStore.migrating
    options[Self.key] = NSNumber(value: true)
    _ = try TestedStore.sqlite.open(ModelText.model(Self.new), at: store.url, options: options)
    try store.with("P: title string; gone string; more i16! = 2\nQ: x i16") { context in
      let p = try #require(try context.all("P").first)
      #expect(p["title"] == "Ann")
      #expect(p["gone"] == nil as String?)
      let count = try context.all("Q").count
      #expect(count == 0)
    }
  }

  /// The number of external value files of a store.
  private func files(_ store: MigratedStore) throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: store.folder.url.path)
      .count { UUID(uuidString: ($0 as NSString).lastPathComponent) != nil }
  }

  @Test("Finishing a deferred migration removes only external files without an attribute")
  func externalFiles() throws {
    let store = try MigratedStore()
    let large = Data(repeating: 7, count: 200_000)
    try store.with("P: n i16; gone data external; kept data external\nQ: data data external") {
      for n in 1...3 { $0.insert("P", ["n": n, "gone": large, "kept": large]) }
      $0.insert("Q", ["data": large])
    }
    #expect(try files(store) == 7)
    var options = MigratedStore.migrating
    options[Self.key] = NSNumber(value: true)
    let (opened, context) = try TestedStore.sqlite.open(
      ModelText.model("P: n i16; kept data external"), at: store.url, options: options)
    #expect(opened.metadata[Self.key] != nil)
    // Deleting a row before the cleaning must also remove the files of its old columns, because no row refers to them
    // afterwards.
    try context.performAndWait {
      context.delete(try #require(try context.all("P", "n == 1").first))
      try context.save()
    }
    let coordinator = try #require(context.persistentStoreCoordinator)
    try coordinator.finishDeferredLightweightMigration()
    #expect(opened.metadata[Self.key] == nil)
    #expect(try files(store) == 2)
    try context.performAndWait {
      context.reset()
      let kept = try context.all("P").map { $0["kept"] as Data? }
      #expect(kept == [large, large])
    }
    let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: store.url)
    #expect(report.findings.isEmpty)
  }
}
