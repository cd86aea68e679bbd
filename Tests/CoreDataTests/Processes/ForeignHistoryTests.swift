import CoreDataTestSupport
import Testing

@testable import CoreData
@testable import SQLiteEngine

@Suite("Other coordinators' saves in a store with history")
struct ForeignHistoryTests {
  private let option: [AnyHashable: Any] = [
    NSPersistentHistoryTrackingKey: true as NSNumber,
    NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber,
  ]

  @Test("The history determines which rows of a save are merged, including inserted rows")
  func names() throws {
    let opened = try SharedStore.writeAheadLog.open(options: option)
    let there = opened.there
    let noticed = Recorder(.NSPersistentStoreRemoteChange, of: opened.here)
    try there.performAndWait {
      for number in 1...3 { there.insert("Player", ["number": number]) }
      try there.save()
    }
    // The first save must be complete and reported before the follower starts.
    for _ in 0..<300_000 where noticed.notifications.isEmpty { usleep(1000) }
    try #require(!noticed.notifications.isEmpty)
    let follower = try Follower(opened.here, sort: ["number"])
    let recorder = Recorder(
      .NSManagedObjectContextDidMergeChangesObjectIDs, of: follower.context)
    try there.performAndWait {
      let players = try there.all("Player", sort: ["number"])
      there.insert("Player", ["number": 4])
      players[0].setValue("new", forKey: "name")
      there.delete(players[1])
      try there.save()
    }
    follower.wait { follower.table.calls.last == "did" }
    #expect(follower.calls() == ["will", "-0.1", "+0.2", "~0.0=0.0", "did"])
    follower.wait { recorder.notifications.count == 1 }
    let info = recorder.notifications.first?.userInfo
    func keys(_ key: String) -> [Int64] {
      ((info?[key] as? Set<NSManagedObjectID>) ?? []).compactMap(\.primaryKey).sorted()
    }
    #expect(keys(NSInsertedObjectIDsKey) == [4])
    #expect(keys(NSUpdatedObjectIDsKey).count == 1)
    #expect(keys(NSDeletedObjectIDsKey).count == 1)
    // The save is not reported a second time.
    opened.waitForPolls()
    #expect(follower.calls().isEmpty)
    #expect(recorder.notifications.count == 1)
  }

  @Test("The coordinator's own saves are not merged again")
  func ownSaves() throws {
    let opened = try SharedStore.writeAheadLog.open(options: option)
    let follower = try Follower(opened.here, sort: ["number"])
    let own = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    own.persistentStoreCoordinator = opened.here
    let recorder = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, of: follower.context)
    try own.performAndWait {
      for number in 1...5 {
        own.insert("Player", ["number": number])
        try own.save()
      }
      try own.batchUpdate("Player", nil, ["name": "x"])
    }
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 9])
      try opened.there.save()
    }
    follower.wait { follower.table.sections[0].rows.count == 6 }
    opened.waitForPolls()
    // The notifications are for five saves, one batch request, and the other coordinator's save.
    #expect(recorder.notifications.count == 7)
    let inserted = recorder.notifications.flatMap {
      $0.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> ?? []
    }
    #expect(inserted.count == 6)
  }

  @Test("A save between reading the version and reading the history is reported once")
  func betweenLooks() throws {
    // The stores' own watches must not poll here: of two concurrent polls, one finds the connection
    // in use.
    var options = option
    options[storePollingIntervalOption] = 3600
    let opened = try SharedStore.writeAheadLog.open(options: options)
    let engine = try #require(opened.here.persistentStores.first?.engine as? SQLiteStore)
    var token = engine.openingToken()
    func save(_ number: Int) throws {
      try opened.there.performAndWait {
        opened.there.insert("Player", ["number": number])
        try opened.there.save()
      }
    }
    func version(since version: Int64?) throws -> Int64? {
      if case .changed(let present) = try engine.poll(since: version) { present } else { version }
    }
    try save(1)
    let seen = try version(since: engine.openedVersion)
    #expect(seen != engine.openedVersion)
    try save(2)
    let own = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    own.persistentStoreCoordinator = opened.here
    try own.performAndWait {
      own.insert("Player", ["number": 3])
      try own.save()
    }
    token.version = seen
    let news = engine.changes(since: &token)
    #expect(news.isSave)
    #expect(news.changes.map(\.ids.inserted.count) == [2])
    #expect(news.changes.allSatisfy { $0.unnamed.isEmpty })
    // No changes are left to read.
    #expect(try version(since: token.version) == token.version)
    #expect(token.version != seen)
    let isLeft = try !engine.news(since: &token).isEmpty
    #expect(!isLeft)
    // A change that was not read is not marked as read.
    try save(4)
    #expect(try version(since: token.version) != token.version)
    let next = try engine.news(since: &token)
    #expect(next.changes.map(\.ids.inserted.count) == [1])
  }

  @Test("Merging continues after the history was deleted or a writer recorded none")
  func lostHistory() throws {
    let opened = try SharedStore.writeAheadLog.open(options: option)
    let there = opened.there
    let follower = try Follower(opened.here, sort: ["number"])
    let database = try PlainDatabase(opened.url)
    _ = try database.values("PRAGMA busy_timeout = 5000")
    try there.performAndWait {
      there.insert("Player", ["number": 1])
      try there.save()
    }
    follower.wait { follower.table.sections[0].rows.count == 1 }
    // This writer does not record history.
    try database.execute("UPDATE ZPLAYER SET ZNUMBER = 7, Z_OPT = Z_OPT + 1")
    follower.wait { follower.column("number") == ["7"] }
    #expect(follower.context.performAndWait { follower.column("number") } == ["7"])
    // This save deletes its own history in the same transaction.
    try database.execute(
      """
      BEGIN IMMEDIATE;
      UPDATE ZPLAYER SET ZNUMBER = 8, Z_OPT = Z_OPT + 1;
      UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 5 WHERE Z_ENT = 16002;
      DELETE FROM ACHANGE; DELETE FROM ATRANSACTION;
      COMMIT;
      """)
    follower.wait { follower.column("number") == ["8"] }
    #expect(follower.context.performAndWait { follower.column("number") } == ["8"])
    try there.performAndWait {
      there.refreshAllObjects()
      there.insert("Player", ["number": 9])
      try there.save()
    }
    follower.wait { follower.column("number") == ["8", "9"] }
    #expect(follower.context.performAndWait { follower.column("number") } == ["8", "9"])
  }

  // Source: tests of CoreDataPlus. The user info has the history token if history tracking is on.
  @Test("The remote change notification has the new history token")
  func token() throws {
    let opened = try SharedStore.writeAheadLog.open(options: option)
    let recorder = Recorder(.NSPersistentStoreRemoteChange, of: opened.here)
    let before = opened.here.currentPersistentHistoryToken(fromStores: nil)
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 9])
      try opened.there.save()
    }
    for _ in 0..<300_000 where recorder.notifications.isEmpty { usleep(2000) }
    let token = recorder.notifications.last?.userInfo?[NSPersistentHistoryTokenKey]
    #expect(token as? NSPersistentHistoryToken != nil)
    #expect(token as? NSPersistentHistoryToken != before)
    #expect(
      token as? NSPersistentHistoryToken
        == opened.here.currentPersistentHistoryToken(fromStores: nil))
  }
}
