import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Which changes are recorded, and the cost of reading them.
@Suite(
  "Recording persistent history",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores keep persistent history"))
struct HistoryRecordingTests {
  @Test("A save without changes records no transaction")
  func nothing() throws {
    let stack = try HistoryStack()
    let context = stack.context
    let team = context.insert("Team", ["name": "A"])
    try context.save()
    try context.save()
    context.insert("Team")
    context.rollback()
    try context.save()
    context.delete(context.insert("Team"))
    try context.save()
    try context.batchUpdate("Player", nil, ["age": 3])
    try context.batchDelete("Player")
    try context.batchInsert("Player", [])
    #expect(try stack.changes() == ["+Team p1"])
    team.setValue("B", forKey: "name")
    try context.save()
    #expect(try stack.transactions().map(\.transactionNumber) == [1, 2])
  }

  @Test("An archived token equals the original, whatever the UUIDs of its stores are")
  func archivedTokens() throws {
    let positions: [[String: Int64]] = [
      [:], ["A-1": 5], ["": 0], ["": 1, "a b": 2, "50%20": 3, "é": 4],
    ]
    for numbers in positions {
      let token = NSPersistentHistoryToken(numbers)
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: token, requiringSecureCoding: true)
      let restored = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSPersistentHistoryToken.self, from: data)
      #expect(restored == token, "\(numbers)")
    }
  }

  @Test("A failed save records nothing and leaves no gap in the numbers")
  func failure() throws {
    let model = SampleStack.makeUniqueModel()
    let stack = try HistoryStack(model: model)
    stack.context.insert("Player", ["number": 1])
    try stack.context.save()
    stack.context.insert("Team")
    let second = stack.context.insert("Player", ["number": 1])
    #expect(throws: (any Error).self) { try stack.context.save() }
    #expect(try stack.transactions().count == 1)
    #expect(throws: (any Error).self) {
      try stack.context.batchInsert("Player", [["number": 5], ["number": 1]])
    }
    second.setValue(2, forKey: "number")
    try stack.context.save()
    #expect(try stack.transactions().map(\.transactionNumber) == [1, 2])
  }

  @Test("A save whose conflict a merge policy resolves is one transaction")
  func settled() throws {
    let stack = try HistoryStack()
    let other = try stack.another()
    stack.context.insert("Team", ["name": "A", "founded": Date.distantPast])
    try stack.context.save()
    let (here, there) = (
      try #require(try stack.context.all("Team").first),
      try #require(try other.context.all("Team").first)
    )
    other.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    here.setValue("B", forKey: "name")
    there.setValue("C", forKey: "name")
    try stack.context.save()
    try other.context.save()
    #expect(try stack.changes() == ["+Team p1", "~Team p1 name", "~Team p1 name"])
    #expect(try stack.transactions().count == 3)
    // A deleted row that a save writes again under its old key is recorded as an insertion.
    stack.context.refreshAllObjects()
    stack.context.delete(here)
    try stack.context.save()
    there.setValue("D", forKey: "name")
    try other.context.save()
    #expect(try stack.changes().suffix(2) == ["-Team p1", "+Team p1"])
  }

  @Test("A changed link is recorded for both sides; a changed order only for its owner")
  func links() throws {
    let stack = try HistoryStack()
    let context = stack.context
    let player = context.insert("Player")
    let tags = ["a", "b"].map { context.insert("Tag", ["label": $0]) }
    let team = context.insert("Team")
    let trophies = (0..<3).map { _ in context.insert("Trophy", ["winner": team]) }
    try context.save()
    let token = stack.token
    player.setValue(Set(tags), forKey: "tags")
    try context.save()
    team.setValue(NSOrderedSet(array: trophies.reversed()), forKey: "trophies")
    try context.save()
    #expect(
      Set(try stack.changes(.fetchHistory(after: token))) == [
        "~Player p1 tags", "~Tag p1 players", "~Tag p2 players", "~Team p1 trophies",
      ])
    #expect(
      try stack.transactions(.fetchHistory(after: token)).map { $0.changes?.count } == [3, 1])
  }

  @Test("A child context records nothing until its root saves, with the root's author")
  func children() throws {
    let stack = try HistoryStack()
    stack.context.transactionAuthor = "root"
    let child = NSManagedObjectContext.confined(to: nil)
    child.parent = stack.context
    child.transactionAuthor = "child"
    child.insert("Team")
    try child.save()
    #expect(try stack.transactions().isEmpty)
    try stack.context.save()
    #expect(try stack.transactions().map(\.author) == ["root"])
  }

  @Test("A batch request of a child context is recorded with the author and name of its root")
  func batchesOfChildren() throws {
    let stack = try HistoryStack()
    stack.context.transactionAuthor = "root"
    stack.context.name = "above"
    let middle = NSManagedObjectContext.confined(to: nil)
    middle.parent = stack.context
    let child = NSManagedObjectContext.confined(to: nil)
    child.parent = middle
    middle.transactionAuthor = "middle"
    child.transactionAuthor = "child"
    try child.batchInsert("Player", [["name": "A", "age": 1]])
    try child.batchUpdate("Player", "age == 1", ["name": "B"])
    try child.batchDelete("Player", "age == 1")
    #expect(try stack.transactions().map(\.author) == ["root", "root", "root"])
    #expect(try stack.transactions().map(\.contextName) == ["above", "above", "above"])
  }

  @Test("Each name is stored once, and the columns of the first OS versions stay empty")
  func strings() throws {
    let stack = try HistoryStack.onFile()
    for author in ["a", "b", nil, "a"] {
      stack.context.transactionAuthor = author
      stack.context.insert("Team")
      try stack.context.save()
    }
    let database = try PlainDatabase(stack.url)
    let names = try database.values("SELECT ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK")
      .compactMap { $0[0].text }
    #expect(Set(names).count == names.count)
    #expect(Set(names).isSuperset(of: ["a", "b", ProcessInfo.processInfo.processName]))
    #expect(
      try database.values(
        "SELECT COUNT(*) FROM ATRANSACTION WHERE ZAUTHOR IS NOT NULL OR ZPROCESSID IS NOT NULL"
          + " OR Z_ENT != 16002 OR Z_OPT IS NOT NULL OR ZQUERYGEN IS NOT NULL") == [[.integer(0)]])
    #expect(
      try database.values("SELECT ZAUTHORTS IS NULL FROM ATRANSACTION ORDER BY Z_PK")
        == [[.integer(0)], [.integer(0)], [.integer(1)], [.integer(0)]])
    #expect(try stack.transactions().map(\.author) == ["a", "b", nil, "a"])
    // Only updates set ZCOLUMNS, and all changes here are insertions.
    #expect(
      try database.values("SELECT COUNT(*) FROM ACHANGE WHERE ZCOLUMNS IS NOT NULL") == [
        [.integer(0)]
      ])
  }

  @Test("A model that preserves further values adds columns for them")
  func laterTombstones() throws {
    let folder = try TemporaryFolder()
    let url = TestedStore.sqlite.url(in: folder)
    let first = try HistoryStack(url)
    first.context.insert("Team", ["name": "A"])
    try first.context.save()
    try first.close()
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.attributesByName["name"]?.preservesValueInHistoryOnDeletion = true
    var options = HistoryStack.tracking
    options[NSIgnorePersistentStoreVersioningOption] = true as NSNumber
    let second = try HistoryStack(url, model: model, options: options, in: folder)
    second.context.delete(try #require(try second.context.all("Team").first))
    try second.context.save()
    let change = try #require(try second.transactions().last?.changes?.first)
    #expect(change.tombstone as? NSDictionary == ["name": "A"])
  }

  @Test("A copied store starts with an empty history and records from then on")
  func moving() throws {
    let folder = try TemporaryFolder()
    let stack = try HistoryStack(TestedStore.sqlite.url(in: folder))
    stack.context.insert("Team", ["name": "A"])
    try stack.context.save()
    let token = stack.token
    let moved = try stack.coordinator.migratePersistentStore(
      stack.store, to: folder.file("moved.sqlite"), options: HistoryStack.tracking,
      withType: NSSQLiteStoreType)
    #expect(!moved.isReadOnly)
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    request.resultType = .count
    func count() throws -> Int? {
      (try stack.context.execute(request) as? NSPersistentHistoryResult)?.result as? Int
    }
    #expect(try count() == 0)
    #expect(token != stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
    stack.context.insert("Team")
    try stack.context.save()
    #expect(try count() == 1)
    // Without the option, the copy is an ordinary store.
    let plain = try stack.coordinator.migratePersistentStore(
      moved, to: folder.file("plain.sqlite"), options: nil, withType: NSSQLiteStoreType)
    #expect(!plain.isReadOnly)
    try stack.context.save()
  }

  @Test("A replaced store has the history of its replacement")
  func replacing() throws {
    let folder = try TemporaryFolder()
    let stack = try HistoryStack(TestedStore.sqlite.url(in: folder))
    stack.context.insert("Team")
    try stack.context.save()
    let copy = folder.file("copy.sqlite")
    try stack.coordinator.replacePersistentStore(
      at: copy, withPersistentStoreFrom: stack.url, ofType: NSSQLiteStoreType)
    let other = try HistoryStack(copy)
    #expect(
      try other.transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?)).count == 1)
    #expect(other.token == stack.token)
  }

  @Test("Metadata written by two coordinators is merged key by key")
  func metadata() throws {
    let stack = try HistoryStack.onFile()
    let other = try stack.another()
    func set(_ stack: HistoryStack, _ key: String, _ value: Any?) throws {
      var metadata: [String: Any] = stack.coordinator.metadata(for: stack.store)
      metadata[key] = value
      stack.coordinator.setMetadata(metadata, for: stack.store)
      try stack.context.save()
    }
    try set(stack, "a", 1)
    try set(other, "b", 2)
    try set(stack, "c", 3)
    try set(other, "b", nil)
    try set(stack, "a", 4)
    let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: stack.url)
    #expect(read["a"] as? Int == 4)
    #expect(read["b"] == nil)
    #expect(read["c"] as? Int == 3)
    #expect(read[NSStoreUUIDKey] as? String == stack.store.identifier)
    #expect(stack.store.metadata["c"] as? Int == 3)
  }

  @Test("Changes after a transaction omit the coordinator's own, and list each object once")
  func news() throws {
    let stack = try HistoryStack()
    let other = try stack.another()
    let engine = try #require(stack.store.engine as? SQLiteStore)
    let theirs = ["A", "B", "C"].map { other.context.insert("Team", ["name": $0]) }
    try other.context.save()
    stack.context.insert("Team")
    try stack.context.save()
    let start = try #require(try engine.lastTransaction())
    theirs[0].setValue("A2", forKey: "name")
    let gone = other.context.insert("Player")
    try other.context.save()
    stack.context.insert("Team")
    try stack.context.save()
    theirs[0].setValue("A3", forKey: "name")
    other.context.delete(theirs[1])
    other.context.delete(gone)
    let kept = other.context.insert("Player")
    try other.context.save()
    kept.setValue("K", forKey: "name")
    try other.context.save()
    let news = try #require(try engine.withHistoryState { try $0.news(after: start) })
    #expect(news.isComplete)
    #expect(news.last == start + 4)
    #expect(news.rows.inserted.ids.map { "\($0.entity.name ?? "")\($0.key)" } == ["Player2"])
    #expect(news.rows.updated.ids.map(\.key) == [theirs[0].objectID.key])
    #expect(news.rows.deleted.ids.map(\.key) == [theirs[1].objectID.key])
    let more = try engine.withHistoryState { try $0.news(after: news.last) }
    #expect(more?.rows.isEmpty == true)
    _ = try other.result(.deleteHistory(before: .distantFuture))
    let all = try engine.withHistoryState { try $0.news(after: start) }
    #expect(all?.isComplete == false)
    let rest = try engine.withHistoryState { try $0.news(after: news.last) }
    #expect(rest?.isComplete == true)
  }

  @Test("The cost of reading the newest changes does not depend on the length of the history")
  func costOfReading() throws {
    let stack = try HistoryStack.onFile()
    try stack.context.batchInsert("Player", (0..<30_000).map { ["age": $0 % 50] })
    for _ in 0..<3 { try stack.context.batchUpdate("Player", nil, ["score": 1.0]) }
    let token = stack.token
    stack.context.insert("Team")
    try stack.context.save()
    #expect(try stack.transactions().count == 5)
    #expect(try stack.transactions(.fetchHistory(after: token)).count == 1)
    // The index finds the changes since the token, so that no older ones are read.
    let plan = try PlainDatabase(stack.url).values(
      "EXPLAIN QUERY PLAN SELECT * FROM ACHANGE WHERE ZTRANSACTIONID > 4"
    ).compactMap { $0[3].text }
    #expect(plan.first?.contains("ACHANGE_ZTRANSACTIONID_INDEX") == true, "\(plan)")
  }

  // Source: persistent history in DifferencesFromApple.md: the remaining history must be complete, so a deletion ends
  // before the first transaction that is not older than the date.
  @Test("With a clock set back, dates compare as recorded and a deletion leaves no gap")
  func clockSetBack() throws {
    let stack = try HistoryStack.onFile()
    for name in ["A", "B", "C", "D"] {
      stack.context.insert("Team", ["name": name])
      try stack.context.save()
    }
    let database = try PlainDatabase(stack.url)
    for (number, time) in [(1, 100), (2, 300), (3, 200), (4, 400)] {
      try database.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = \(time) WHERE Z_PK = \(number)")
    }
    func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
    func numbers(after seconds: Double) throws -> [Int64] {
      try stack.transactions(.fetchHistory(after: date(seconds))).map(\.transactionNumber)
    }
    #expect(try numbers(after: 250) == [2, 4])
    #expect(try numbers(after: 150) == [2, 3, 4])
    _ = try stack.result(.deleteHistory(before: date(250)))
    #expect(try numbers(after: 0) == [2, 3, 4])
    _ = try stack.result(.deleteHistory(before: date(350)))
    #expect(try numbers(after: 0) == [4])
    try stack.close()
  }

  @Test("Cancelling the current progress ends a request, before it starts or while it runs")
  func cancellation() throws {
    let stack = try HistoryStack.onFile()
    try stack.context.batchInsert("Player", [["age": 1]])
    let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
    func run(_ progress: Progress) throws {
      progress.becomeCurrent(withPendingUnitCount: 1)
      defer { progress.resignCurrent() }
      #expect(try stack.transactions(.fetchHistory(withFetch: fetch)).count == 1)
    }
    try run(Progress(totalUnitCount: 1))
    let before = Progress(totalUnitCount: 1)
    before.cancel()
    expectError(CocoaError.userCancelled.rawValue) { try run(before) }
    let during = Progress(totalUnitCount: 1)
    fetch.predicate = NSPredicate { _, _ in
      during.cancel()
      return true
    }
    expectError(CocoaError.userCancelled.rawValue) { try run(during) }
    try run(Progress(totalUnitCount: 1))
  }

  @Test("A coordinator without the option cannot write once another has started the history")
  func startedByAnother() throws {
    let kinds = [TestedStore.sqlite, .memorySQLite]
    for kind in kinds {
      let folder = try TemporaryFolder()
      let url = kind == .sqlite ? kind.url(in: folder) : TestedStore.newNamedURL()
      let early = try HistoryStack(url, options: nil, in: folder)
      early.context.insert("Player", ["name": "early"])
      try early.context.save()
      let late = try HistoryStack(url, in: folder)
      // The history has no records yet, so an unrecorded save leaves no gap.
      early.context.insert("Player", ["name": "still early"])
      try early.context.save()
      late.context.insert("Player", ["name": "late"])
      try late.context.save()
      let before = try late.transactions().count
      early.context.insert("Player", ["name": "unrecorded"])
      expectError(NSPersistentStoreSaveError) { try early.context.save() }
      early.context.rollback()
      expectError(NSPersistentStoreSaveError) {
        try early.context.batchUpdate("Player", nil, ["name": "unrecorded"])
      }
      #expect(try late.transactions().count == before)
      late.context.refreshAllObjects()
      #expect(try late.context.column("Player", "name") == ["early", "late", "still early"])
      // A coordinator that opens the store with the option continues the history.
      try early.close()
      let again = try HistoryStack(url, in: folder)
      again.context.insert("Player", ["name": "again"])
      try again.context.save()
      #expect(try late.transactions().count == before + 1)
    }
  }
}
