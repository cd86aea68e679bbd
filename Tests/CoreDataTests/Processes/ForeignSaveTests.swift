import CoreDataTestSupport
import Testing

@testable import CoreData

@Suite("Saves of another coordinator or process")
struct ForeignSaveTests {
  @Test(
    "A save is merged automatically, and live results report it like a save of their own coordinator",
    arguments: SharedStore.allCases, [0, 2])
  func reports(_ shared: SharedStore, batchSize: Int) throws {
    let opened = try shared.open()
    let there = opened.there
    try there.performAndWait {
      for number in 1...5 { there.insert("Player", ["number": number, "name": "p\(number)"]) }
      try there.save()
    }
    let follower = try Follower(opened.here, sort: ["number"], batchSize: batchSize)
    #expect(
      follower.context.performAndWait { follower.column("number") } == ["1", "2", "3", "4", "5"])
    func save(_ body: () throws -> Void) throws {
      try there.performAndWait {
        try body()
        try there.save()
      }
    }
    func player(_ number: Int) throws -> NSManagedObject {
      try #require(try there.all("Player", "number == \(number)").first)
    }
    let steps: [(String, () throws -> Void, [String])] = [
      (
        "insert", { there.insert("Player", ["number": 6, "name": "p6"]) }, ["will", "+0.5", "did"]
      ),
      ("delete", { there.delete(try player(2)) }, ["will", "-0.1", "did"]),
      ("update", { try player(3).setValue("new", forKey: "name") }, ["will", "~0.1=0.1", "did"]),
      ("move", { try player(1).setValue(9, forKey: "number") }, ["will", "0.0>0.4", "did"]),
    ]
    for (name, step, expected) in steps {
      try save(step)
      var calls: [String] = []
      follower.wait {
        calls = follower.table.calls
        return calls.last == "did"
      }
      #expect(calls == expected, "\(name)")
      _ = follower.calls()
    }
    follower.context.performAndWait {
      #expect(follower.column("number") == ["3", "4", "5", "6", "9"])
      #expect(follower.column("name") == ["new", "p4", "p5", "p6", "p1"])
      #expect(follower.table.violations.isEmpty)
    }
  }

  @Test("A save that arrives during a long merge is merged after a pause as long as that merge")
  func pause() throws {
    let stack = try SampleStack()
    let context = stack.context
    let id = try context.performAndWait {
      let player = context.insert("Player")
      try context.save()
      return player.objectID
    }
    let changes = ForeignChanges(ids: ChangedObjectIDs(updated: [id]))
    let merges = MergeTimes()
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: context, queue: nil
    ) { _ in
      guard merges.add() == 1 else { return }
      Thread.sleep(forTimeInterval: 0.1)
      context.foreign.inbox.add(changes, for: context)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.foreign.inbox.add(changes, for: context)
    // The first merge takes 100 ms from here on, and the pause after it takes just as long.
    #expect(merges.nanosecondsBetweenFirstTwo() > 190_000_000)
  }

  @Test("A merge does not affect a new object with a permanent ID and no row yet")
  func newObjects() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let follower = try Follower(opened.here, sort: ["number"])
    let context = follower.context
    let new = try context.performAndWait {
      let new = context.insert("Player", ["number": 7])
      try context.obtainPermanentIDs(for: [new])
      context.processPendingChanges()
      return new
    }
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 1])
      try opened.there.save()
    }
    follower.wait { follower.controller.fetchedObjects?.count == 2 }
    try context.performAndWait {
      #expect(follower.column("number") == ["1", "7"])
      #expect(new.isInserted)
      #expect(!new.isDeleted)
      try context.save()
    }
    let saved = try opened.there.performAndWait {
      try opened.there.all("Player", sort: ["number"]).map { $0["number"] ?? 0 }
    }
    #expect(saved == [1, 7])
  }

  @Test("A merge updates members that were read, even if the owner's row is unchanged")
  func members() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let there = opened.there
    try there.performAndWait {
      let team = there.insert("Team", ["name": "red"])
      let tag = there.insert("Tag", ["label": "x"])
      there.insert("Player", ["number": 1, "team": team, "tags": NSSet(array: [tag])])
      there.insert("Player", ["number": 2])
      let trophies = (1...3).map { there.insert("Trophy", ["title": "t\($0)"]) }
      team.setValue(NSOrderedSet(array: trophies), forKey: "trophies")
      try there.save()
    }
    let follower = try Follower(opened.here, sort: ["number"])
    let context = follower.context
    let (team, tag) = try context.performAndWait {
      let team = try #require(try context.all("Team").first)
      let tag = try #require(try context.all("Tag").first)
      #expect((team.value(forKey: "players") as? NSSet)?.count == 1)
      #expect((tag.value(forKey: "players") as? NSSet)?.count == 1)
      #expect((team.value(forKey: "trophies") as? NSOrderedSet)?.count == 3)
      return (team, tag)
    }
    func titles() -> [String] {
      ((team.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject] ?? [])
        .compactMap { $0.value(forKey: "title") as? String }
    }
    let recorder = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
    try there.performAndWait {
      let player = try #require(try there.all("Player", "number == 2").first)
      player.setValue(NSSet(array: try there.all("Tag")), forKey: "tags")
      try there.save()
    }
    follower.wait { (tag.value(forKey: "players") as? NSSet)?.count == 2 }
    context.performAndWait {
      #expect((tag.value(forKey: "players") as? NSSet)?.count == 2)
      let refreshed = recorder.notifications.flatMap {
        $0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []
      }
      #expect(refreshed.contains(tag))
      #expect(!refreshed.contains(team))
    }
    try there.performAndWait {
      let player = try #require(try there.all("Player", "number == 2").first)
      player.setValue(try there.all("Team").first, forKey: "team")
      try there.save()
    }
    follower.wait { (team.value(forKey: "players") as? NSSet)?.count == 2 }
    context.performAndWait { #expect((team.value(forKey: "players") as? NSSet)?.count == 2) }
    try there.performAndWait {
      let owner = try #require(try there.all("Team").first)
      owner.mutableOrderedSetValue(forKey: "trophies").moveObjects(at: IndexSet(integer: 2), to: 0)
      try there.save()
    }
    follower.wait { titles() == ["t3", "t1", "t2"] }
    context.performAndWait { #expect(titles() == ["t3", "t1", "t2"]) }
  }

  @Test("A merge keeps unsaved changes")
  func unsavedChanges() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let there = opened.there
    try there.performAndWait {
      for number in 1...3 { there.insert("Player", ["number": number, "name": "old", "age": 1]) }
      try there.save()
    }
    let follower = try Follower(opened.here, sort: ["number"])
    let context = follower.context
    let players = try context.performAndWait {
      let players = try context.all("Player", sort: ["number"])
      players[0].setValue("mine", forKey: "name")
      players[1].setValue("mine", forKey: "name")
      context.insert("Player", ["number": 10, "name": "unsaved"])
      context.processPendingChanges()
      return players
    }
    _ = follower.calls()
    try there.performAndWait {
      let players = try there.all("Player", sort: ["number"])
      players[0].setValue("theirs", forKey: "name")
      players[0].setValue(7, forKey: "age")
      there.delete(players[1])
      try there.save()
    }
    follower.wait { players[0].value(forKey: "age") as? Int == 7 }
    context.performAndWait {
      // Sources: Apple's page for `refresh(_:mergeChanges:)`, which reloads values and reapplies local
      // changes; tests of FreeCoreData and CoreDataPlus, where a merge also deletes a deleted object that
      // the receiving context still uses.
      #expect(players[0].value(forKey: "name") as? String == "mine")
      #expect(players[0].value(forKey: "age") as? Int == 7)
      #expect(players[0].isUpdated)
      #expect(players[1].isDeleted)
      #expect(follower.column("number") == ["1", "3", "10"])
      #expect(follower.table.violations.isEmpty)
    }
    // Merged changes do not conflict.
    try context.performAndWait { try context.save() }
    try there.performAndWait {
      there.refreshAllObjects()
      let column = try there.column("Player", "name")
      #expect(column == ["mine", "old", "unsaved"])
    }
  }

  @Test("A merge moves a pinned context to the new state")
  func pinnedContext() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let there = opened.there
    try there.performAndWait {
      there.insert("Player", ["number": 1])
      try there.save()
    }
    let follower = try Follower(opened.here, sort: ["number"])
    let context = follower.context
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      _ = try context.all("Player")
    }
    try there.performAndWait {
      there.insert("Player", ["number": 2])
      try there.save()
    }
    // Source: NSManagedObjectContext.h: a merge advances a pinned generation.
    follower.wait { follower.table.sections[0].rows.count == 2 }
    try context.performAndWait {
      let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player"))
      #expect(count == 2)
    }
  }

  @Test("Maintenance of the file is not reported as a change")
  func tidying() throws {
    for shared in [SharedStore.writeAheadLog, .rollbackJournal] {
      let opened = try shared.open()
      let there = opened.there
      try there.performAndWait {
        for number in 1...50 { there.insert("Player", ["number": number]) }
        try there.save()
      }
      let follower = try Follower(opened.here, sort: ["number"])
      let recorder = Recorder(
        [
          .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidMergeChangesObjectIDs,
        ], of: follower.context)
      let database = try PlainDatabase(opened.url)
      // The other coordinator polls the file, and each poll holds a read lock for some microseconds.
      _ = try database.values("PRAGMA busy_timeout = 5000")
      _ = try database.values("PRAGMA wal_checkpoint(TRUNCATE)")
      try database.execute("VACUUM")
      try database.execute("ANALYZE")
      opened.waitForPolls()
      #expect(follower.calls().isEmpty)
      #expect(recorder.notifications.isEmpty)
      // Later changes are reported.
      try there.performAndWait {
        there.insert("Player", ["number": 0])
        try there.save()
      }
      follower.wait { follower.table.sections[0].rows.count == 51 }
      #expect(follower.calls() == ["will", "+0.0", "did"])
    }
  }

  @Test("A change by a program that does not use this library is reported")
  func plainSQL() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let there = opened.there
    try there.performAndWait {
      there.insert("Player", ["number": 1, "name": "a"])
      try there.save()
    }
    let follower = try Follower(opened.here, sort: ["number"])
    let database = try PlainDatabase(opened.url)
    try database.execute("UPDATE ZPLAYER SET ZNAME = 'b', Z_OPT = Z_OPT + 1")
    follower.wait { follower.table.calls.last == "did" }
    #expect(follower.calls() == ["will", "~0.0=0.0", "did"])
    follower.context.performAndWait { #expect(follower.column("name") == ["b"]) }
  }

  @Test("A save between two steps of a merge is reported with the current values")
  func duringMerge() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let there = opened.there
    try there.performAndWait {
      for number in 1...4 { there.insert("Player", ["number": number, "name": "old"]) }
      try there.save()
    }
    let follower = try Follower(opened.here, sort: ["number"])
    let context = follower.context
    try context.performAndWait {
      // This block occupies the context's queue, so the save below is not merged before the block ends.
      try there.performAndWait {
        let players = try there.all("Player", sort: ["number"])
        players[0].setValue("new", forKey: "name")
        players[1].setValue(9, forKey: "number")
        players[1].setValue("moved", forKey: "name")
        try there.save()
      }
      // A merge first compares the objects with the store, and then reads the rows. This is the second step of a merge
      // that began before the save.
      context.pending.noteUnnamedChanges()
      context.processPendingChanges()
      #expect(follower.table.calls.prefix(3) == ["will", "0.1>0.3", "did"])
      #expect(follower.column("name") == ["old", "old", "old", "moved"])
      follower.table.clear()
    }
    follower.wait { follower.column("name")[0] == "new" }
    context.performAndWait {
      #expect(follower.column("number") == ["1", "3", "4", "9"])
      #expect(follower.column("name") == ["new", "old", "old", "moved"])
      #expect(follower.table.calls.contains("~0.0=0.0"))
      #expect(follower.table.violations.isEmpty)
    }
  }

  @Test("A merge of very many rows creates no objects that are not in use", arguments: [0, 20])
  func manyRows(batchSize: Int) throws {
    let opened = try SharedStore.writeAheadLog.open()
    let there = opened.there
    let follower = try Follower(opened.here, sort: ["number"], batchSize: batchSize)
    follower.context.performAndWait { follower.controller.delegate = nil }
    final class Counter: NSFetchedResultsControllerDelegate {
      var inserted = 0
      var lastCount = 0
      func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
      ) {
        if type == .insert { inserted += 1 }
      }
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
      ) {
        lastCount = controller.sections?.first?.numberOfObjects ?? 0
      }
    }
    let counter = Counter()
    follower.context.performAndWait { follower.controller.delegate = counter }
    try there.performAndWait {
      _ = try there.batchInsert("Player", (0..<20_000).map { ["number": $0] })
    }
    follower.wait { counter.lastCount == 20_000 }
    follower.context.performAndWait {
      #expect(counter.inserted == 20_000)
      if batchSize > 0 { #expect(follower.context.registeredObjects.count < 200) }
      follower.controller.delegate = nil
    }
  }

  @Test("Contexts that do not merge automatically are not changed")
  func notMerging() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let follower = try Follower(opened.here, sort: ["number"])
    follower.context.performAndWait {
      follower.context.automaticallyMergesChangesFromParent = false
    }
    let merging = try Follower(opened.here, sort: ["number"])
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 1])
      try opened.there.save()
    }
    merging.wait { merging.table.calls.last == "did" }
    #expect(follower.calls().isEmpty)
  }

  @Test("Turning on automatic merging merges saves that the coordinator has not noticed yet")
  func mergingAgain() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let follower = try Follower(opened.here, sort: ["number"])
    follower.context.performAndWait {
      follower.context.automaticallyMergesChangesFromParent = false
    }
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 1])
      try opened.there.save()
    }
    follower.context.performAndWait { follower.context.automaticallyMergesChangesFromParent = true }
    follower.wait { follower.table.calls.last == "did" }
    #expect(follower.calls() == ["will", "+0.0", "did"])
  }
}

/// The times of a context's merges.
private final class MergeTimes: @unchecked Sendable {
  private let lock = NSLock()
  private var times: [UInt64] = []
  private let hasTwo = DispatchSemaphore(value: 0)

  /// Adds the present time, and returns the number of merges.
  func add() -> Int {
    let count = lock.withLock { () -> Int in
      times.append(DispatchTime.now().uptimeNanoseconds)
      return times.count
    }
    if count == 2 { hasTwo.signal() }
    return count
  }

  /// Waits for the second merge, and returns the time between the first two.
  func nanosecondsBetweenFirstTwo() -> UInt64 {
    hasTwo.wait()
    return lock.withLock { () -> UInt64 in times[1] - times[0] }
  }
}
