import CoreData
import CoreDataTestSupport
import Testing

@Suite(
  "Batch requests and contexts",
  .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct BatchMergingTests {
  private func makeController(
    _ context: NSManagedObjectContext, batchSize: Int = 0
  ) throws -> (NSFetchedResultsController<NSManagedObject>, RecordingTable) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    request.fetchBatchSize = batchSize
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    let table = RecordingTable(traps: false)
    controller.delegate = table
    try controller.performFetch()
    table.load(controller)
    return (controller, table)
  }

  private func numbers(_ controller: NSFetchedResultsController<NSManagedObject>) -> [Int] {
    (controller.fetchedObjects ?? []).compactMap { $0.value(forKey: "number") as? Int }
  }

  // Source: the example on Apple's page for NSBatchDeleteRequest, and "Loading and Displaying a Large
  // Data Feed" for insertions and updates.
  @Test(
    "Merging the result into a context updates its live results, as on Apple's page",
    arguments: [0, 2])
  func pages(batchSize: Int) throws {
    let stack = try SampleStack()
    let view = stack.newContext()
    let background = stack.context
    try onQueues(of: view, background) {
      let ids = try background.batchInsert("Player", (1...6).map { ["number": $0] })
      let (controller, table) = try makeController(view, batchSize: batchSize)
      #expect(numbers(controller) == [1, 2, 3, 4, 5, 6])
      let deleted = try background.batchDelete("Player", "number IN {2, 5}")
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [view])
      #expect(numbers(controller) == [1, 3, 4, 6])
      let updated = try background.batchUpdate("Player", "number == 1", ["number": 9])
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectsKey: updated], into: [view])
      #expect(numbers(controller) == [3, 4, 6, 9])
      let inserted = try background.batchInsert("Player", [["number": 5]])
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectsKey: inserted], into: [view])
      #expect(numbers(controller) == [3, 4, 5, 6, 9])
      #expect(table.violations.isEmpty)
      #expect(ids.count == 6)
    }
  }

  @Test("Contexts that merge automatically update their live results", arguments: [0, 2])
  func automatic(batchSize: Int) throws {
    let stack = try SampleStack()
    let view = stack.newContext()
    view.automaticallyMergesChangesFromParent = true
    let (controller, table) = try view.performAndWait {
      () throws -> (NSFetchedResultsController<NSManagedObject>, RecordingTable) in
      try stack.context.performAndWait {
        _ = try stack.context.batchInsert("Player", (1...6).map { ["number": $0] })
      }
      return try makeController(view, batchSize: batchSize)
    }
    let steps: [((NSManagedObjectContext) throws -> Void, [Int])] = [
      ({ try $0.batchDelete("Player", "number < 3") }, [3, 4, 5, 6]),
      (
        {
          try $0.batchUpdate(
            "Player", "number > 4", ["number": NSExpression(format: "10 - number")])
        },
        [3, 4, 4, 5]
      ),
      ({ try $0.batchInsert("Captain", [["number": 1], ["number": 8]]) }, [1, 3, 4, 4, 5, 8]),
    ]
    for (step, expected) in steps {
      try stack.context.performAndWait { try step(stack.context) }
      view.performAndWait {
        let present = numbers(controller)
        #expect(present == expected)
      }
      #expect(table.violations.isEmpty)
    }
    // The executing context merges as well, and merging a second time changes nothing.
    try view.performAndWait {
      let ids = try view.batchInsert("Player", [["number": 2]])
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [view])
      let gone = try view.batchDelete("Player", "number > 4")
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: gone], into: [view])
      #expect(numbers(controller) == [1, 2, 3, 4, 4])
      #expect(table.violations.isEmpty)
    }
  }

  @Test(
    "Children that merge automatically update their live results, whichever context executes the request",
    arguments: 0..<4)
  func children(executor: Int) throws {
    let stack = try SampleStack()
    let child = ChildContextTests.child(of: stack.context)
    let contexts = [stack.context, child, ChildContextTests.child(of: child)]
    try stack.context.performAndWait {
      _ = try stack.context.batchInsert("Player", (1...4).map { ["number": $0] })
    }
    for context in contexts { context.automaticallyMergesChangesFromParent = true }
    let lists = try contexts.map { context in
      try context.performAndWait { try makeController(context) }
    }
    let executing = executor < 3 ? contexts[executor] : stack.newContext()
    try executing.performAndWait {
      try executing.batchUpdate("Player", "number == 1", ["number": 9])
      try executing.batchDelete("Player", "number == 2")
      try executing.batchInsert("Player", [["number": 5]])
      // The executing context has merged the changes immediately.
      if executor < 3 { #expect(numbers(lists[executor].0) == [3, 4, 5, 9]) }
    }
    for (context, (controller, table)) in zip(contexts, lists) {
      // This block follows the merges of the context, which its parent has enqueued.
      context.performAndWait {
        let present = numbers(controller)
        #expect(present == [3, 4, 5, 9])
        #expect(table.violations.isEmpty, "\(table.violations)")
      }
    }
  }

  @Test("A child that does not merge automatically keeps its values, and its own children merge")
  func childWithoutMerging() throws {
    let stack = try SampleStack()
    let child = ChildContextTests.child(of: stack.context)
    let grandchild = ChildContextTests.child(of: child)
    for context in [stack.context, grandchild] {
      context.automaticallyMergesChangesFromParent = true
    }
    let id = try stack.context.performAndWait {
      try #require(try stack.context.batchInsert("Player", [["number": 1]]).first)
    }
    try child.performAndWait {
      let player = try child.existingObject(with: id)
      try stack.reading { _ = try $0.batchUpdate("Player", nil, ["number": 2]) }
      stack.context.performAndWait {}
      #expect(player["number"] == 1)
      child.refresh(player, mergeChanges: false)
    }
    let (controller, table) = try grandchild.performAndWait { try makeController(grandchild) }
    try stack.reading { _ = try $0.batchInsert("Player", [["number": 3]]) }
    for context in [stack.context, grandchild] { context.performAndWait {} }
    grandchild.performAndWait {
      let present = numbers(controller)
      #expect(present == [2, 3])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("Live results that have not created objects yet remove the rows whose deletion is merged")
  func unseenRows() throws {
    let stack = try SampleStack()
    let view = stack.newContext()
    try onQueues(of: view, stack.context) {
      try stack.context.batchInsert("Player", (1...6).map { ["number": $0] })
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      request.fetchBatchSize = 2
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: view, sectionNameKeyPath: nil, cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      #expect(view.registeredObjects.isEmpty)
      let deleted = try stack.context.batchDelete("Player", "number > 4")
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [view])
      #expect(numbers(controller) == [1, 2, 3, 4])
    }
  }

  @Test(
    "An automatically merging context creates no objects for many new rows that no observer needs"
  )
  func manyRows() throws {
    let stack = try SampleStack()
    stack.context.automaticallyMergesChangesFromParent = true
    try stack.context.performAndWait {
      try stack.context.batchInsert("Player", (0..<10_001).map { ["number": $0] })
      #expect(stack.context.registeredObjects.isEmpty)
      try stack.context.batchInsert("Player", [["number": -1]])
      let count = try stack.context.count(for: NSFetchRequest(entityName: "Player"))
      #expect(count == 10_002)
    }
  }

  // Source: Apple's pages for batch requests, which change no context and post no context notifications.
  @Test("Contexts that do not merge keep their values and post no notifications")
  func noMerging() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let context = stack.context
      let player = context.insert("Player", ["name": "old"])
      try context.save()
      let recorder = Recorder(
        [
          .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
          .NSManagedObjectContextDidMergeChangesObjectIDs,
        ], of: context)
      try context.batchUpdate("Player", nil, ["name": "new"])
      #expect(player["name"] == "old")
      try context.batchDelete("Player")
      #expect(player["name"] == "old")
      #expect(recorder.notifications.isEmpty)
    }
  }

  @Test("In a merging context, owners lose deleted members, and members lose a deleted owner")
  func relationships() throws {
    let stack = try SampleStack()
    stack.context.automaticallyMergesChangesFromParent = true
    try stack.context.performAndWait {
      let context = stack.context
      let team = context.insert("Team", ["name": "red"])
      let players = (1...3).map { context.insert("Player", ["number": $0, "team": team]) }
      try context.save()
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.count == 3)
      try context.batchDelete("Player", "number == 2")
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.count == 2)
      try context.batchDelete("Team")
      #expect(players[0].value(forKey: "team") == nil)
      try context.save()
    }
  }

  /// Collects the statements that a store's connections run.
  private final class Statements: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []

    func add(_ text: String) { lock.withLock { texts.append(text) } }

    /// Returns the statements collected since the last call.
    func drain() -> [String] {
      lock.withLock {
        defer { texts = [] }
        return texts
      }
    }
  }

  /// Returns the statements of an insertion, an update and a deletion of this many rows.
  private func statements(_ count: Int) throws -> [[String]] {
    let ran = Statements()
    let folder = try TemporaryFolder()
    // A store in memory gets no name here, because a named database, which coordinators share, reports no statements
    // to an observer.
    let kind = StoreScope.current.kind
    let (_, context) = try kind.open(
      SampleStack.makeModel(), at: kind.url(in: folder),
      options: [statementObserverOption: StatementObserver { ran.add($0.sql) }])
    return try context.performAndWait { () throws -> [[String]] in
      _ = ran.drain()
      let inserted = try context.batchInsert("Player", (0..<count).map { ["number": $0] })
      let insertion = ran.drain()
      let updated = try context.batchUpdate("Player", "number >= 10", ["age": 4])
      let update = ran.drain()
      let deleted = try context.batchDelete("Player", "number >= 10")
      let deletion = ran.drain()
      #expect([inserted, updated, deleted].map(\.count) == [count, count - 10, count - 10])
      #expect(context.registeredObjects.isEmpty)
      return [insertion, update, deletion]
    }
  }

  @Test("A request creates no objects, and runs as many statements for many rows as for few")
  func noObjects() throws {
    let few = try statements(50)
    let many = try statements(5000)
    #expect(few.allSatisfy { $0.count > 2 })
    #expect(many[1].count == few[1].count)
    #expect(many[2].count == few[2].count)
    // Each INSERT statement writes up to 32 rows. The number of other statements does not depend on the rows.
    func isRows(_ sql: String) -> Bool { sql.hasPrefix("INSERT INTO \"ZPLAYER\"") }
    #expect(few[0].count(where: isRows) == 2)
    #expect(many[0].count(where: isRows) == (5000 + 31) / 32)
    #expect(many[0].count { !isRows($0) } == few[0].count { !isRows($0) })
  }

  // The deletion also nullifies relationships in the store, but the example on Apple's page for NSBatchDeleteRequest
  // merges only the deleted IDs.
  @Test(
    "After a merge of deleted IDs, rows that referred to them are as in the store",
    arguments: [0, 2], ["team == nil", "team.name == \"A\"", "team != nil", "TRUEPREDICATE"])
  func referrers(batchSize: Int, predicate: String) throws {
    let stack = try SampleStack()
    let view = stack.newContext()
    let background = stack.context
    try onQueues(of: view, background) {
      for name in ["A", "B"] {
        let team = background.insert("Team", ["name": name])
        for number in 1...3 {
          background.insert("Player", ["name": "\(name)\(number)", "number": number, "team": team])
        }
      }
      try background.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = ["team.name", "number"].map {
        NSSortDescriptor(key: $0, ascending: true)
      }
      request.predicate = NSPredicate(format: predicate)
      request.fetchBatchSize = batchSize
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: view, sectionNameKeyPath: "team.name",
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      let players = try view.fetch(NSFetchRequest<NSManagedObject>(entityName: "Player"))
      let teams = players.map { $0.value(forKeyPath: "team.name") as? String }
      #expect(Set(teams) == ["A", "B"])
      let deleted = try background.batchDelete("Team", "name == \"A\"")
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [view])
      let fresh = stack.newContext()
      let expected = try fresh.performAndWait {
        try fresh.fetch(request).map(\.objectID)
      }
      #expect(table.sections.flatMap { $0.rows.map(\.objectID) } == expected)
      let free = players.filter { $0.value(forKey: "team") == nil }
      #expect(Set(free.compactMap { $0["name"] as String? }) == ["A1", "A2", "A3"])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test(
    "Results that count members update when the members' deletion is merged", arguments: [0, 2])
  func owners(batchSize: Int) throws {
    let stack = try SampleStack()
    let view = stack.newContext()
    let background = stack.context
    try onQueues(of: view, background) {
      for (name, count) in [("A", 3), ("B", 1)] {
        let team = background.insert("Team", ["name": name])
        for number in 0..<count {
          background.insert("Player", ["number": number, "team": team])
        }
      }
      try background.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.predicate = NSPredicate(format: "players.@count > 1")
      request.fetchBatchSize = batchSize
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: view, sectionNameKeyPath: nil, cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      #expect(table.sections.map(\.rows.count) == [1])
      let deleted = try background.batchDelete("Player", "number > 0")
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [view])
      #expect(table.sections.map(\.rows.count) == [0])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }
}
