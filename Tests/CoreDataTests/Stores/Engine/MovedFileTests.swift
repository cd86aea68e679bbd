import Testing

@testable import CoreData

/// A file that is unlinked or replaced while it is open is written to for nobody ("How To Corrupt An
/// SQLite Database File", section 4.3).
@Suite("Files that are moved, deleted or replaced while they are open")
struct MovedFileTests {
  @Test("A deleted file is an error of each save and fetch, and nothing is written")
  func deleted() throws {
    let opened = try EngineStore()
    try opened.save("Ann")
    #expect(try opened.names() == ["Ann"])
    try FileManager.default.removeItem(at: opened.url)
    let error = #expect(throws: NSError.self) { try opened.save("Bob") }
    #expect(error?.code == NSFileNoSuchFileError)
    #expect(error?.localizedDescription.contains(opened.url.path) == true)
    Thread.sleep(forTimeInterval: 0.06)
    let reading = #expect(throws: NSError.self) { _ = try opened.names() }
    #expect(reading?.code == NSFileNoSuchFileError)
    #expect(!FileManager.default.fileExists(atPath: opened.url.path))
  }

  @Test("A replaced file is left as it is")
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

  @Test("A file that is back at its place goes on")
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
}
