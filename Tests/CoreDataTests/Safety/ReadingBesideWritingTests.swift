import Testing

@testable import CoreData

/// Source: "Write-Ahead Logging" on sqlite.org: readers do not block writers, nor writers readers.
@Suite("Reading beside writing")
struct ReadingBesideWritingTests {
  @Test("A fetch does not wait for a save that is being written")
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
    let start = Date()
    #expect(try opened.names() == ["Ann"])
    #expect(Date().timeIntervalSince(start) < 5)
  }

  @Test("A save does not wait for a fetch that is being read, nor for a generation that is pinned")
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

  @Test("Another process's lock ends a save in Apple's error after the time-out, and not before")
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
}
