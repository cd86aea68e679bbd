import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Sources: NSSQLitePragmasOption in Apple's NSPersistentStoreCoordinator.h; sqlite.org/pragma.html
/// on the pragmas that must precede a file's contents.
@Suite("Pragmas of a store")
struct PragmaTests {
  private func open(_ pragmas: [String: Any]) throws -> EngineStore {
    try EngineStore([NSSQLitePragmasOption: pragmas])
  }

  @Test("Reading connections have the pragmas as well")
  func readers() throws {
    let opened = try open(["cache_size": 123, "SYNCHRONOUS": "NORMAL"])
    func settings(_ connection: SQLiteConnection) throws -> [Int64?] {
      [
        try connection.integer("PRAGMA cache_size"), try connection.integer("PRAGMA synchronous"),
      ]
    }
    #expect(try opened.store.pool.read(settings) == [123, 1])
    #expect(try opened.store.pool.write(settings) == [123, 1])
  }

  @Test("A new file has the requested page size, vacuum mode and journal mode")
  func newFile() throws {
    let opened = try open([
      "page_size": 8192, "auto_vacuum": "FULL", "journal_mode": "DELETE",
    ])
    try opened.save("Ann")
    let plain = try PlainDatabase(opened.url)
    #expect(try plain.values("PRAGMA page_size")[0][0].integer == 8192)
    #expect(try plain.values("PRAGMA auto_vacuum")[0][0].integer == 1)
    #expect(try plain.values("PRAGMA journal_mode")[0][0].text == "delete")
    #expect(try opened.names() == ["Ann"])
  }

  @Test("An exclusively locked store is read and written through one connection")
  func exclusive() throws {
    let opened = try open(["locking_mode": "EXCLUSIVE"])
    try opened.save("Ann")
    #expect(try opened.names() == ["Ann"])
    try opened.save("Bob")
    #expect(try opened.names() == ["Ann", "Bob"])
  }

  @Test("A value that contains further SQL is rejected")
  func refused() throws {
    #expect(throws: NSError.self) { _ = try open(["cache_size": "1; DROP TABLE ZPLAYER"]) }
  }

  @Test("A store with a rejected pragma is not created")
  func nothingLeft() throws {
    let rejected: [[String: Any]] = [
      ["cache_size": "1; DROP TABLE ZPLAYER"], ["user_version": "1-2"],
      // SQLite applies the first pragma and then rejects the second one.
      ["query_only": 1, "application_id": 7],
    ]
    for pragmas in rejected {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      func create() throws {
        _ = try TestedStore.sqlite.open(
          SampleStack.makeModel(), at: url, options: [NSSQLitePragmasOption: pragmas])
      }
      #expect(throws: NSError.self, "\(pragmas)") { try create() }
      #expect(try folder.state().isEmpty, "\(pragmas)")
      try Data().write(to: url)
      let before = try folder.state()
      #expect(throws: NSError.self, "\(pragmas)") { try create() }
      #expect(try folder.state() == before, "\(pragmas)")
    }
  }
}
