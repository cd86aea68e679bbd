import Testing

@testable import CoreData

/// What somebody else does to a file must not become what a program takes for its data.
@Suite("Files that are cut short while they are open")
struct TruncatedFileTests {
  /// Some rows in the file, and some in the log.
  private func store() throws -> EngineStore {
    let opened = try EngineStore([NSSQLitePragmasOption: ["wal_autocheckpoint": 0]])
    try opened.context.performAndWait {
      for number in 0..<3000 {
        opened.context.insert(
          "Player", ["name": "\(number)" + String(repeating: "x", count: 300), "number": number])
      }
      try opened.context.save()
    }
    try opened.store.pool.write { _ = try $0.text("PRAGMA wal_checkpoint(RESTART)") }
    try opened.save("in the log")
    return opened
  }

  @Test("A file that is cut short is an error of fetches that need what is gone")
  func file() throws {
    let opened = try store()
    let size = try opened.size("")
    #expect(size > 1_000_000)
    #expect(truncate(opened.url.path, 40_960) == 0)
    let error = #expect(throws: NSError.self) { _ = try opened.names() }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.localizedDescription.contains(opened.url.path) == true)
    // Nothing is taken for an empty store.
    for coordinator in [opened.context.persistentStoreCoordinator].compactMap({ $0 }) {
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
    #expect(throws: NSError.self) {
      let again = try SampleStack(url: opened.url)
      try again.context.performAndWait { _ = try again.context.all("Player").count }
    }
  }

  @Test("A log that is cut short is an error, or the state before it")
  func log() throws {
    let opened = try store()
    #expect(truncate(opened.url.path + "-wal", 100) == 0)
    do {
      let names = try opened.names()
      #expect(names.count == 3000 || names.count == 3001)
    } catch {
      #expect((error as NSError).domain == NSCocoaErrorDomain)
    }
  }
}
