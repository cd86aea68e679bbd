import Testing

@testable import CoreData
@testable import SQLiteEngine

/// If another program damages an open file, the store must not return the damage as data.
@Suite("Files that are truncated while they are open")
struct TruncatedFileTests {
  /// A store with some rows in the file and some in the log.
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

  @Test("A fetch that needs the missing part of a truncated file throws")
  func file() throws {
    let opened = try store()
    let size = try opened.size("")
    #expect(size > 1_000_000)
    #expect(truncate(opened.url.path, 40_960) == 0)
    let error = #expect(throws: NSError.self) { _ = try opened.names() }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.localizedDescription.contains(opened.url.path) == true)
    // The file is not treated as an empty store.
    for coordinator in [opened.context.persistentStoreCoordinator].compactMap({ $0 }) {
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
    #expect(throws: NSError.self) {
      let again = try SampleStack(url: opened.url)
      try again.context.performAndWait { _ = try again.context.all("Player").count }
    }
  }

  @Test("A fetch with a truncated log throws or returns the earlier state")
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

  // SQLite regards a log beside an empty file as the remains of another database, and deletes it. A
  // connection that has it open would continue to write to it.
  // https://www.sqlite.org/walformat.html
  @Test("A save to an emptied file throws, even after another connection has opened it")
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

  /// A use of an open store.
  enum Action: String, CaseIterable, CustomTestStringConvertible {
    case save, batchInsertion, history

    var testDescription: String { rawValue }

    /// The number of the player that the action adds, or nil if the action only reads.
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
        // Two saves were made, and the history must contain both.
        #expect(transactions?.count ?? 0 >= 2)
      }
    }
  }

  /// Returns whether the body succeeded. If it throws, the error must identify the file.
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

  // Rows may still be available from the log, or from pages that were read before. If so, they must be
  // complete.
  @Test(
    "Each use of a truncated file succeeds completely or throws, and so does each later use",
    arguments: Action.allCases, [0, 4096, 40_960])
  func use(_ action: Action, _ size: Int) throws {
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
        let what = "\(action), \(journal), round \(round)"
        context.performAndWait {
          let wasDone = isDone(what, url) { try action.run(context) }
          context.reset()
          // The rows are complete or cannot be read. A fetch never returns fewer of them.
          _ = isDone("\(what), then a fetch", url) {
            let count = try context.all("Player").count
            #expect(count >= 401, "\(what)")
          }
          if wasDone, let number = action.number {
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
