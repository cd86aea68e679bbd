import Testing

@testable import CoreData
@testable import SQLiteEngine

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

  // SQLite takes the log beside an empty file for one that was left of another, and deletes it: a
  // connection that has it open would go on writing to it. https://www.sqlite.org/walformat.html
  @Test("A save to a file that was cut to nothing is an error, whoever looked at the file since")
  func nothing() throws {
    for isSeenByOthers in [false, true] {
      let opened = try store()
      #expect(truncate(opened.url.path, 0) == 0)
      if isSeenByOthers {
        let other = try SQLiteConnection(
          path: opened.url.path, mode: .readWrite, busyTimeout: 1)
        _ = try other.text("SELECT count(*) FROM sqlite_schema")
        #expect(access(opened.url.path + "-wal", F_OK) != 0)
      }
      for _ in 1...2 {
        let error = #expect(throws: NSError.self) { try opened.save("lost") }
        #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
        #expect(error?.localizedDescription.contains(opened.url.path) == true)
        #expect(throws: NSError.self) { _ = try opened.names() }
      }
    }
  }

  /// What a program does with a store that it has open.
  enum Deed: String, CaseIterable, CustomTestStringConvertible {
    case save, batchInsertion, history

    var testDescription: String { rawValue }

    /// The number of the player that it adds; nil where it only reads.
    var number: Int? { self == .history ? nil : 77_777 }

    func run(_ context: NSManagedObjectContext) throws {
      switch self {
      case .save:
        context.insert("Player", ["number": 77_777])
        try context.save()
      case .batchInsertion: try context.batchInsert("Player", [["number": 77_777]])
      case .history:
        let result = try context.execute(
          NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        let transactions =
          (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        // Two saves were made; a history without them would be one that lost them.
        #expect(transactions?.count ?? 0 >= 2)
      }
    }
  }

  /// Whether something was done; what was not says so in an error that names the file.
  private func isDone(_ what: String, _ url: URL, _ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      let error = error as NSError
      #expect(error.domain == NSCocoaErrorDomain, "\(what): \(error)")
      #expect(error.localizedDescription.contains(url.path), "\(what): \(error)")
      return false
    }
  }

  // What is in the log, or was read before, may still be had: then it is what was saved, and all of it.
  @Test(
    "What is done with a file that is cut short is done, or an error, and so is what comes after",
    arguments: Deed.allCases, [0, 4096, 40_960])
  func use(_ deed: Deed, _ size: Int) throws {
    for journal in ["WAL", "DELETE"] {
      let pragmas: [String: Any] =
        journal == "WAL" ? ["wal_autocheckpoint": 0] : ["journal_mode": journal]
      let opened = try EngineStore([
        NSPersistentHistoryTrackingKey: true as NSNumber, NSSQLitePragmasOption: pragmas,
      ])
      let (context, url) = (opened.context, opened.url)
      try context.performAndWait {
        for number in 0..<400 {
          context.insert(
            "Player", ["name": "\(number)" + String(repeating: "x", count: 300), "number": number])
        }
        try context.save()
        context.reset()
      }
      if journal == "WAL" {
        try opened.store.pool.write { _ = try $0.text("PRAGMA wal_checkpoint(RESTART)") }
      }
      try opened.save("late")
      try #require(try opened.size("") > 100_000)
      try #require(truncate(url.path, off_t(size)) == 0)

      for round in 1...2 {
        let what = "\(deed), \(journal), round \(round)"
        context.performAndWait {
          let wasDone = isDone(what, url) { try deed.run(context) }
          context.reset()
          // Rows are there or cannot be read: no fetch gives fewer of them.
          _ = isDone("\(what), then a fetch", url) {
            let count = try context.all("Player").count
            #expect(count >= 401, "\(what)")
          }
          if wasDone, let number = deed.number {
            _ = isDone("\(what), then a look at what it wrote", url) {
              let written = try context.all("Player", "number == \(number)")
              #expect(!written.isEmpty, "\(what)")
            }
          }
          context.reset()
        }
      }
      let coordinator = try #require(context.persistentStoreCoordinator)
      for store in coordinator.persistentStores {
        _ = isDone("closing, \(journal)", url) { try coordinator.remove(store) }
      }
      withExtendedLifetime(opened.folder) {}
    }
  }
}
