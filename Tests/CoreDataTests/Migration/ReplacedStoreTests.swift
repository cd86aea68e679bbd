import Foundation
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Tests what can happen to a store while a migration copies its objects into the replacement.
@Suite("A store that a migration copies")
struct ReplacedStoreTests {
  private func makeStore(_ kind: TestedStore = .sqlite) throws -> MigratedStore {
    let store = try MigratedStore(kind)
    try store.with(LibraryModels.one()) { context in
      try LibraryModels.fill(context, shelves: 2, booksEach: 5)
    }
    return store
  }

  private func migrate(_ store: MigratedStore, _ meanwhile: @escaping () throws -> Void) throws {
    var isDone = false
    var failure: (any Error)?
    var migration = ProgressiveMigration(through: [LibraryModels.two()])
    migration.mappingModel = { _, _ in LibraryModels.mapping() }
    migration.knownModels = [LibraryModels.one()]
    migration.progress = { part in
      guard !isDone, part > 0, part < 1 else { return }
      isDone = true
      do { try meanwhile() } catch { failure = error }
    }
    defer {
      #expect(isDone)
      #expect(failure == nil)
    }
    try migration.run(at: store.url, type: .init(rawValue: store.kind.type))
  }

  @Test(
    "The store is not replaced if another coordinator has saved during the migration",
    arguments: TestedStore.fileKinds)
  func savedMeanwhile(_ kind: TestedStore) throws {
    let store = try makeStore(kind)
    let error = #expect(throws: NSError.self) {
      try migrate(store) {
        try store.with(LibraryModels.one(), migrates: false) { context in
          _ = context.insert("Shelf", ["name": "late"])
        }
      }
    }
    #expect(error?.localizedDescription.contains("changed or moved the store") == true)
    try store.with(LibraryModels.one(), migrates: false) { context in
      let names = try context.all("Shelf").compactMap { $0["name"] as String? }.sorted()
      #expect(names == ["late", "shelf 0", "shelf 1"])
    }
    // A second attempt succeeds.
    try migrate(store) {}
    try store.with(LibraryModels.two(), migrates: false) { context in
      let count = try context.all("Shelf").count
      #expect(count == 3)
    }
  }

  @Test(
    "The store can be read during the migration, with any page size",
    arguments: [1_024, 4_096, 8_192])
  func readMeanwhile(_ size: Int64) throws {
    let store = try makeStore()
    let database = try PlainDatabase(store.url)
    try database.execute("PRAGMA journal_mode = DELETE")
    try database.execute("PRAGMA page_size = \(size)")
    try database.execute("VACUUM")
    try database.execute("PRAGMA journal_mode = WAL")
    try migrate(store) {
      try store.with(LibraryModels.one(), migrates: false) { context in
        let count = try context.all("Book").count
        #expect(count == 10)
      }
    }
    try store.with(LibraryModels.two(), migrates: false) { context in
      let count = try context.all("Book").count
      #expect(count == 10)
    }
  }

  @Test("The store is not replaced if an external value cannot be read")
  func unreadableValue() throws {
    let (one, two) = (
      "P: name string; data data external", "P: name string; data data external; n i16"
    )
    let store = try MigratedStore()
    let bytes = Data(repeating: 7, count: 300_000)
    try store.with(one) { context in
      context.insert("P", ["name": "a", "data": bytes])
      context.insert("P", ["name": "b", "data": bytes])
    }
    let support = ExternalStorage(store: store.url).folder
    let names = try FileManager.default.contentsOfDirectory(atPath: support.path).sorted()
    #expect(names.count == 2)
    // The library cannot read the value, because it never follows a symbolic link. Removing permissions would have
    // no effect if the tests run as root.
    let file = support.appendingPathComponent(names[0])
    let moved = support.appendingPathComponent("moved")
    try FileManager.default.moveItem(at: file, to: moved)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: moved)
    let mapping = NSMappingModel()
    mapping.entityMappings = [
      LibraryModels.entityMapping(
        "PToP", "P", "P",
        attributes: ["name", "data"].map { LibraryModels.property($0, "$source.\($0)") },
        relationships: [])
    ]
    var migration = ProgressiveMigration(through: [ModelText.model(two)])
    migration.mappingModel = { _, _ in mapping }
    let error = #expect(throws: NSError.self) { try migration.run(at: store.url) }
    #expect(error?.code == NSMigrationManagerSourceStoreError)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: moved, to: file)
    try store.with(one, migrates: false) { context in
      let values = try context.all("P").compactMap { $0["data"] as Data? }
      #expect(values == [bytes, bytes])
    }
    try migration.run(at: store.url)
    try store.with(two, migrates: false) { context in
      let values = try context.all("P").compactMap { $0["data"] as Data? }
      #expect(values == [bytes, bytes])
    }
  }

  @Test(
    "The store stays at the last completed version if a later step fails, and the error says so")
  func laterStep() throws {
    let store = try MigratedStore()
    let models = ["P: a string", "P: b string was a", "P: b string; k string!"].map(ModelText.model)
    try store.with(models[0]) { _ = $0.insert("P", ["a": "x"]) }
    let error = #expect(throws: NSError.self) {
      try ProgressiveMigration(through: models).run(at: store.url)
    }
    #expect(
      error?.localizedDescription.hasPrefix(
        "step 2 of 2 failed; the store now has the model before that step: ") == true)
    try store.with(models[1], migrates: false) { context in
      let values = try context.all("P").map { $0["b"] as String? }
      #expect(values == ["x"])
    }
  }
}
