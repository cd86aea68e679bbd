import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Source: Apple's page for NSPersistentStoreDescription, whose properties are options of the store.
@Suite("A container opens a store as its description says")
struct StoreDescriptionTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
  }

  /// Returns a container that has opened the store, and the store.
  private func open(
    _ describe: (NSPersistentStoreDescription) -> Void
  ) throws -> (container: NSPersistentContainer, store: NSPersistentStore) {
    let container = NSPersistentContainer(
      name: "Sample", managedObjectModel: SampleStack.makeModel())
    let description = NSPersistentStoreDescription(url: url)
    describe(description)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in
      #expect(error == nil, "\(error?.localizedDescription ?? "")")
    }
    let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
    return (container, store)
  }

  private func save(_ name: String, _ container: NSPersistentContainer) throws {
    let context = container.newBackgroundContext()
    try context.performAndWait {
      context.insert("Player", ["name": name])
      try context.save()
    }
  }

  private func names(_ container: NSPersistentContainer) throws -> [String] {
    let context = container.newBackgroundContext()
    return try context.performAndWait { try context.column("Player", "name") }
  }

  @Test("isReadOnly: the store can be read, and not written")
  func readOnly() throws {
    let made = try open { _ in }
    #expect(!made.store.isReadOnly)
    try save("Ann", made.container)
    try made.container.persistentStoreCoordinator.remove(made.store)
    let before = try Data(contentsOf: url)
    let opened = try open { $0.isReadOnly = true }
    #expect(opened.store.isReadOnly)
    let error = #expect(throws: NSError.self) { try save("Bob", opened.container) }
    #expect(error?.code == NSFileWriteNoPermissionError)
    #expect(error?.localizedDescription.contains("reading only") == true)
    #expect(try names(opened.container) == ["Ann"])
    try opened.container.persistentStoreCoordinator.remove(opened.store)
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("timeout: a save waits for another connection for the given time")
  func timeout() throws {
    let opened = try open { $0.timeout = 0.3 }
    try save("Ann", opened.container)
    let other = try PlainDatabase(url)
    try other.execute("BEGIN IMMEDIATE")
    let start = Date()
    let error = #expect(throws: NSError.self) { try save("Bob", opened.container) }
    let waited = Date().timeIntervalSince(start)
    #expect(error?.code == NSPersistentStoreTimeoutError)
    #expect(waited > 0.2 && waited < 30, "\(waited)")
    try other.execute("COMMIT")
    try save("Cid", opened.container)
    #expect(try names(opened.container) == ["Ann", "Cid"])
  }

  @Test("setValue(_:forPragmaNamed:): the pragma applies to the file and to each connection")
  func pragmas() throws {
    let opened = try open {
      $0.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
      $0.setValue(8192 as NSNumber, forPragmaNamed: "page_size")
      $0.setValue(42 as NSNumber, forPragmaNamed: "user_version")
      $0.setValue(123 as NSNumber, forPragmaNamed: "cache_size")
      $0.setValue("NORMAL" as NSString, forPragmaNamed: "synchronous")
    }
    let engine = try #require(opened.store.engine as? SQLiteStore)
    func settings(_ connection: SQLiteConnection) throws -> [Int64?] {
      [
        try connection.integer("PRAGMA cache_size"), try connection.integer("PRAGMA synchronous"),
      ]
    }
    #expect(try engine.pool.read(settings) == [123, 1])
    #expect(try engine.pool.write(settings) == [123, 1])
    try save("Ann", opened.container)
    let plain = try PlainDatabase(url)
    #expect(try plain.values("PRAGMA journal_mode") == [[.text("delete")]])
    #expect(try plain.values("PRAGMA page_size") == [[.integer(8192)]])
    #expect(try plain.values("PRAGMA user_version") == [[.integer(42)]])
    #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
  }

  @Test("A pragma set to nil again has no effect")
  func pragmaSetToNil() throws {
    let opened = try open {
      $0.setValue(42 as NSNumber, forPragmaNamed: "user_version")
      $0.setValue(nil, forPragmaNamed: "user_version")
    }
    try save("Ann", opened.container)
    #expect(try PlainDatabase(url).values("PRAGMA user_version") == [[.integer(0)]])
  }

  @Test("setOption(_:forKey:): sets any other store option")
  func option() throws {
    let opened = try open {
      $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    }
    try save("Ann", opened.container)
    let coordinator = opened.container.persistentStoreCoordinator
    #expect(coordinator.currentPersistentHistoryToken(fromStores: [opened.store]) != nil)
    #expect(try PlainDatabase(url).values("SELECT COUNT(*) FROM ATRANSACTION") == [[.integer(1)]])
  }
}
