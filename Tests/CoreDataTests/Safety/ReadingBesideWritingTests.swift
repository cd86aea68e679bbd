import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Source: "Write-Ahead Logging" on sqlite.org: readers do not block writers, and a writer does not
/// block readers.
@Suite("Reading during a write")
struct ReadingBesideWritingTests {
  @Test("A fetch does not wait for a save in progress")
  func fetch() throws {
    let opened = try EngineStore([NSPersistentStoreTimeoutOption: 20])
    try opened.save("Ann")
    let store = opened.store
    let began = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? store.pool.write { connection in
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("UPDATE ZPLAYER SET ZNAME = 'half'")
        began.signal()
        end.wait()
        try connection.execute("ROLLBACK")
      }
      ended.signal()
    }
    began.wait()
    defer {
      end.signal()
      ended.wait()
    }
    // The writer finishes only when this test does, so a fetch that waited for the writer would fail.
    #expect(try opened.names() == ["Ann"])
  }

  @Test("A save does not wait for a fetch in progress, nor for a pinned generation")
  func save() throws {
    let opened = try EngineStore([NSPersistentStoreTimeoutOption: 5])
    try opened.save("Ann")
    let pinned = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    pinned.persistentStoreCoordinator = opened.context.persistentStoreCoordinator
    try pinned.performAndWait { try pinned.setQueryGenerationFrom(.current) }
    let before = try pinned.performAndWait { try pinned.all("Player").count }
    try opened.store.pool.read { reader in
      let rows = try reader.statement("SELECT Z_PK FROM ZPLAYER")
      defer { rows.reset() }
      #expect(try rows.step())
      try opened.save("Bob")
    }
    #expect(before == 1)
    #expect(try pinned.performAndWait { try pinned.all("Player").count } == 1)
    #expect(try opened.names() == ["Ann", "Bob"])
  }

  @Test("A save throws Apple's error when another process's lock outlasts the timeout")
  func timeout() throws {
    let opened = try EngineStore([NSPersistentStoreTimeoutOption: 0.3])
    try opened.save("Ann")
    let other = try PlainDatabase(opened.url)
    try other.execute("BEGIN IMMEDIATE")
    let start = Date()
    let error = #expect(throws: NSError.self) { try opened.save("Bob") }
    let waited = Date().timeIntervalSince(start)
    #expect(error?.code == NSPersistentStoreTimeoutError)
    #expect(waited > 0.2 && waited < 30)
    try other.execute("COMMIT")
    try opened.context.performAndWait { try opened.context.save() }
    #expect(try opened.names() == ["Ann", "Bob"])
  }

  /// A use of the file by a program, and the names in the store after it.
  enum Use: CaseIterable {
    case fetch, count, batchInsertion, batchUpdate, batchDeletion, opening

    func run(_ opened: EngineStore, _ options: [AnyHashable: Any]) throws {
      let context = opened.context
      switch self {
      case .opening:
        let (store, other) = try TestedStore.sqlite.open(
          SampleStack.makeModel(), at: opened.url, options: options)
        try other.persistentStoreCoordinator?.remove(store)
      default: try context.performAndWait { try run(context) }
      }
    }

    private func run(_ context: NSManagedObjectContext) throws {
      switch self {
      case .fetch: _ = try context.all("Player")
      case .count: _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player"))
      case .batchInsertion: try context.batchInsert("Player", [["name": "Bob"]])
      case .batchUpdate: try context.batchUpdate("Player", nil, ["name": "Bob"])
      case .batchDeletion: try context.batchDelete("Player")
      case .opening: break
      }
    }

    var names: [String] {
      switch self {
      case .fetch, .count, .opening: ["Ann"]
      case .batchInsertion: ["Ann", "Bob"]
      case .batchUpdate: ["Bob"]
      case .batchDeletion: []
      }
    }
  }

  /// Source: "File Locking And Concurrency In SQLite Version 3" (sqlite.org/lockingv3.html).
  /// Without a write-ahead log, a writer has exclusive access to the file.
  @Test(
    "Every use throws Apple's error when an exclusive lock outlasts the timeout",
    arguments: Use.allCases)
  func exclusive(_ use: Use) throws {
    let options: [AnyHashable: Any] = [
      NSPersistentStoreTimeoutOption: 0.3, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
    ]
    let opened = try EngineStore(options)
    try opened.save("Ann")
    let other = try PlainDatabase(opened.url)
    try other.execute("BEGIN EXCLUSIVE")
    let start = Date()
    let error = #expect(throws: NSError.self) { try use.run(opened, options) }
    let waited = Date().timeIntervalSince(start)
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code == NSPersistentStoreTimeoutError, "\(String(describing: error))")
    #expect(error?.localizedDescription.contains(opened.url.path) == true)
    #expect(waited > 0.2 && waited < 30, "\(waited)")
    try other.execute("COMMIT")
    // The use had no effect, and succeeds now.
    #expect(try other.values("SELECT ZNAME FROM ZPLAYER") == [[.text("Ann")]])
    try use.run(opened, options)
    let rows = try other.values("SELECT ZNAME FROM ZPLAYER ORDER BY Z_PK")
    #expect(rows.compactMap { $0[0].text } == use.names)
  }
}
