import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Sources: NSPersistentStoreTimeoutOption and NSPersistentStoreConnectionPoolMaxSizeKey in
/// NSPersistentStoreCoordinator.h; NSPersistentStoreTimeoutError in CoreDataErrors.h.
@Suite("Waiting for a store's connections")
struct WaitingTests {
  private static var options: [AnyHashable: Any] {
    [NSPersistentStoreTimeoutOption: 0.2, NSPersistentStoreConnectionPoolMaxSizeKey: 1]
  }

  /// Calls `body` while another thread uses a connection.
  private func whileUsed(
    _ use: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, _ body: () throws -> Void
  ) rethrows {
    let began = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      use {
        began.signal()
        end.wait()
      }
      ended.signal()
    }
    began.wait()
    defer {
      end.signal()
      ended.wait()
    }
    try body()
  }

  @Test("A save that waits too long for another writer throws a timeout, and can be repeated")
  func writer() throws {
    let opened = try EngineStore(Self.options)
    try opened.save("Ann")
    let store = opened.store
    let context = opened.context
    whileUsed({ wait in
      try? store.pool.write { _ in wait() }
    }) {
      let error = #expect(throws: NSError.self) { try opened.save("Bob") }
      #expect(error?.code == NSPersistentStoreTimeoutError)
      #expect(error?.localizedDescription.contains(opened.url.path) == true)
    }
    try context.performAndWait { try context.save() }
    #expect(try opened.names() == ["Ann", "Bob"])
  }

  @Test("A fetch that waits too long for a reading connection throws a timeout")
  func readers() throws {
    let opened = try EngineStore(Self.options)
    try opened.save("Ann")
    let store = opened.store
    whileUsed({ wait in
      try? store.pool.read { _ in wait() }
    }) {
      let error = #expect(throws: NSError.self) { _ = try opened.names() }
      #expect(error?.code == NSPersistentStoreTimeoutError)
      // Writing uses another connection.
      #expect(throws: Never.self) { try opened.save("Bob") }
    }
    #expect(try opened.names() == ["Ann", "Bob"])
  }

  @Test("The option sets the number of connections that can read at the same time")
  func poolSize() throws {
    let opened = try EngineStore([
      NSPersistentStoreTimeoutOption: 0.2, NSPersistentStoreConnectionPoolMaxSizeKey: 2,
    ])
    try opened.save("Ann")
    let store = opened.store
    whileUsed({ wait in
      try? store.pool.read { _ in wait() }
    }) {
      #expect(throws: Never.self) { _ = try opened.names() }
    }
  }

  @Test("A connection that could not be rolled back is replaced, and its changes are not committed")
  func replacedWriter() throws {
    let opened = try EngineStore()
    try opened.save("Ann")
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try opened.store.pool.write { connection in
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("DELETE FROM ZPLAYER")
        // The transaction stays open, as if ROLLBACK had failed.
        throw Stop()
      }
    }
    #expect(try opened.names() == ["Ann"])
    try opened.save("Bob")
    #expect(try opened.names() == ["Ann", "Bob"])
    #expect(try PlainDatabase(opened.url).values("PRAGMA integrity_check")[0][0].text == "ok")
  }
}
