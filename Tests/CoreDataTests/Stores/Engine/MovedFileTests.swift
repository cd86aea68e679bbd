import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Writes to a file that was unlinked or replaced while it is open are lost ("How To Corrupt An
/// SQLite Database File", section 4.3).
@Suite("Files that are moved, deleted or replaced while they are open")
struct MovedFileTests {
  @Test("Every save and fetch throws after the file is deleted, and nothing is written")
  func deleted() throws {
    let opened = try EngineStore()
    try opened.save("Ann")
    #expect(try opened.names() == ["Ann"])
    try FileManager.default.removeItem(at: opened.url)
    let error = #expect(throws: NSError.self) { try opened.save("Bob") }
    #expect(error?.code == NSFileNoSuchFileError)
    #expect(error?.localizedDescription.contains(opened.url.path) == true)
    // Reading checks the file at intervals, so the first reads may succeed.
    let reading = #expect(throws: NSError.self) { while true { _ = try opened.names() } }
    #expect(reading?.code == NSFileNoSuchFileError)
    #expect(!FileManager.default.fileExists(atPath: opened.url.path))
  }

  @Test("A file that replaced the open one is not changed")
  func replaced() throws {
    let opened = try EngineStore()
    try opened.save("Ann")
    let other = try EngineStore()
    try other.save("Other")
    let coordinator = try #require(other.context.persistentStoreCoordinator)
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    try FileManager.default.removeItem(at: opened.url)
    for suffix in ["-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: opened.url.path + suffix)
    }
    try FileManager.default.moveItem(at: other.url, to: opened.url)
    let error = #expect(throws: NSError.self) { try opened.save("Bob") }
    #expect(error?.code == NSPersistentStoreOpenError)
    let names = try PlainDatabase(opened.url).values("SELECT ZNAME FROM ZPLAYER")
    #expect(names.map { $0[0].text } == ["Other"])
  }

  @Test("A file that is moved back can be used again")
  func movedBack() throws {
    let opened = try EngineStore()
    try opened.save("Ann")
    let aside = opened.folder.file("aside")
    try FileManager.default.moveItem(at: opened.url, to: aside)
    #expect(throws: NSError.self) { try opened.save("Bob") }
    try FileManager.default.moveItem(at: aside, to: opened.url)
    try opened.context.performAndWait { try opened.context.save() }
    #expect(try opened.names() == ["Ann", "Bob"])
  }

  /// Makes a store in a separate file and closes it.
  private func closedStore(_ name: String, in folder: TemporaryFolder) throws -> URL {
    let url = folder.file("\(name).sqlite")
    let (store, context) = try TestedStore.sqlite.open(SampleStack.makeModel(), at: url)
    try context.performAndWait {
      context.insert("Player", ["name": name])
      try context.save()
    }
    try context.persistentStoreCoordinator?.remove(store)
    return url
  }

  private func requireReplaced(_ what: String, _ body: () throws -> Void) {
    let error = #expect(throws: NSError.self, "\(what)") { try body() }
    #expect(error?.code == NSPersistentStoreOpenError, "\(what): \(String(describing: error))")
  }

  // A new connection opens the file that is at the path now, even if it is not the file that the store opened.
  @Test("No new connection reads a file that replaced the open one")
  func replacedBeforeReading() throws {
    let folder = try TemporaryFolder()
    for isCopy in [false, true] {
      let opened = try EngineStore()
      let other = try closedStore("Other", in: folder)
      if isCopy {
        // The copy has the same UUID, but is another file.
        try FileManager.default.removeItem(at: other)
        try NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
          .replacePersistentStore(
            at: other, withPersistentStoreFrom: opened.url, ofType: NSSQLiteStoreType)
      }
      let pool = opened.store.pool
      try pool.read { first in
        _ = try first.integer("SELECT COUNT(*) FROM ZPLAYER")
        #expect(rename(other.path, opened.url.path) == 0)
        requireReplaced("the second reader") { try pool.read { _ in } }
      }
      requireReplaced("a snapshot") { _ = try opened.store.snapshot() }
    }
    let opened = try EngineStore()
    #expect(rename(try closedStore("Late", in: folder).path, opened.url.path) == 0)
    requireReplaced("the first fetch") { _ = try opened.names() }
  }

  @Test("No new connection writes a file that replaced the open one")
  func replacedBeforeWriting() throws {
    let opened = try EngineStore()
    // The pool closes a connection that is left in a transaction, so the save must open a new one.
    try opened.store.pool.write { try $0.execute("BEGIN") }
    let other = try closedStore("Other", in: opened.folder)
    #expect(rename(other.path, opened.url.path) == 0)
    requireReplaced("a save") { try opened.save("Bob") }
    let names = try PlainDatabase(opened.url).values("SELECT ZNAME FROM ZPLAYER")
    #expect(names == [[.text("Other")]])
  }
}
