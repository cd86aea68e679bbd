import FixtureSupport
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Prefetched members remain rows until they are accessed. The difference is not observable.
@Suite("Prefetched members", .onEveryStore)
struct PrefetchedMembersTests {
  /// Inserts two teams, one with three players and trophies and one with two of each. Fetches the
  /// teams in a new context, and prefetches their players and trophies.
  private func prefetched(
    _ body: (_ stack: SampleStack, _ context: NSManagedObjectContext, _ teams: [NSManagedObject])
      throws -> Void
  ) throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for (name, numbers) in [("a", [1, 2, 3]), ("b", [4, 5])] {
        let team = stack.context.insert("Team", ["name": name])
        for number in numbers {
          stack.context.insert("Player", ["number": number, "name": "old", "team": team])
          let trophy = stack.context.insert("Trophy", ["title": "t\(number)"])
          team.mutableOrderedSetValue(forKey: "trophies").insert(trophy, at: 0)
        }
      }
      try stack.context.save()
      stack.context.reset()
    }
    let context = stack.newContext()
    try context.performAndWait {
      try body(stack, context, try Self.prefetch(context))
    }
  }

  private static func prefetch(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.relationshipKeyPathsForPrefetching = ["players", "trophies"]
    return try context.fetch(request)
  }

  private func numbers(_ team: NSManagedObject) -> [Int] {
    let players = team.value(forKey: "players") as? Set<NSManagedObject> ?? []
    return players.compactMap { $0["number"] }.sorted()
  }

  private func titles(_ team: NSManagedObject) -> [String] {
    (team.value(forKey: "trophies") as? NSOrderedSet)?.compactMap {
      ($0 as? NSManagedObject)?.value(forKey: "title") as? String
    } ?? []
  }

  @Test("Prefetched members are counted without making objects, and read without a query")
  func counting() throws {
    try prefetched { stack, context, teams in
      let store = try #require(stack.coordinator.persistentStores.first)
      let queries = store.queryCount
      #expect(teams.map { $0.value(forKeyPath: "players.@count") as? Int } == [3, 2])
      #expect(teams[0].managedMemberCount(ManagedKey("trophies")) == 3)
      #expect(!teams[0].hasFault(forRelationshipNamed: "players"))
      if store.engine is SQLiteStore { #expect(context.registeredObjects.count == 2) }
      #expect(numbers(teams[0]) == [1, 2, 3])
      #expect(titles(teams[1]) == ["t5", "t4"])
      #expect(teams[1].objectIDs(forRelationshipNamed: "players").count == 2)
      #expect(store.queryCount == queries)
    }
  }

  @Test("Unsaved changes made before the members are accessed apply to them")
  func unsavedChanges() throws {
    try prefetched { _, context, teams in
      let second = try #require(try context.all("Player", "number == 2").first)
      second.setValue(teams[1], forKey: "team")
      let third = try #require(try context.all("Player", "number == 3").first)
      context.delete(third)
      context.insert("Player", ["number": 6, "team": teams[0]])
      context.processPendingChanges()
      #expect(teams.map { $0.value(forKeyPath: "players.@count") as? Int } == [2, 3])
      #expect(numbers(teams[0]) == [1, 6])
      #expect(numbers(teams[1]) == [2, 4, 5])
      context.rollback()
      #expect(numbers(teams[0]) == [1, 2, 3])
      #expect(numbers(teams[1]) == [4, 5])
    }
  }

  @Test("Members accessed after a save have the saved rows")
  func ownSave() throws {
    try prefetched { _, context, teams in
      func change() throws {
        let second = try #require(try context.all("Player", "number == 2").first)
        second.setValue("new", forKey: "name")
        let fourth = try #require(try context.all("Player", "number == 4").first)
        context.delete(fourth)
        try context.save()
      }
      try change()
      let players = teams[0].value(forKey: "players") as? Set<NSManagedObject> ?? []
      let names = players.compactMap { $0.value(forKey: "name") as? String }.sorted()
      #expect(names == ["new", "old", "old"])
      #expect(numbers(teams[1]) == [5])
    }
  }

  @Test(
    "Members accessed after a merge reflect the other context's save, also if they were accessed before",
    arguments: [false, true])
  func merging(isAccessedBefore: Bool) throws {
    try prefetched { stack, context, teams in
      if isAccessedBefore {
        #expect(teams.map(numbers) == [[1, 2, 3], [4, 5]])
      } else if stack.coordinator.persistentStores.first?.engine is SQLiteStore {
        #expect(context.registeredObjects.count == 2)
      }
      let recorder = Recorder(.NSManagedObjectContextDidSave, of: stack.context)
      try stack.context.performAndWait {
        let first = try #require(try stack.context.all("Player", "number == 1").first)
        first.setValue("theirs", forKey: "name")
        stack.context.delete(
          try #require(try stack.context.all("Player", "number == 5").first))
        stack.context.insert(
          "Player",
          ["number": 7, "team": try stack.context.all("Team", "name == 'b'").first as Any])
        try stack.context.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(recorder.notifications.first))
      let players = teams[0].value(forKey: "players") as? Set<NSManagedObject> ?? []
      let names = players.compactMap { $0.value(forKey: "name") as? String }.sorted()
      #expect(names == ["old", "old", "theirs"])
      #expect(numbers(teams[1]) == [4, 7])
    }
  }

  // This test repeats a bug that was found by reading the code: prefetched rows replaced the newer rows of faults that
  // had been fetched since.
  @Test(
    "Prefetched rows do not replace the rows of objects that were fetched later",
    .only([.sqlite, .memorySQLite], "members are read ahead from SQLite"), arguments: [false, true])
  func newerFaults(isRefreshed: Bool) throws {
    try prefetched { stack, context, teams in
      try stack.context.performAndWait {
        let first = try #require(try stack.context.all("Player", "number == 1").first)
        first.setValue("theirs", forKey: "name")
        try stack.context.save()
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.shouldRefreshRefetchedObjects = isRefreshed
      let players = try context.fetch(request)
      #expect(numbers(teams[0]) == [1, 2, 3])
      let first = players.first { $0["number"] == 1 }
      #expect(first?.value(forKey: "name") as? String == "theirs")
    }
  }

  @Test(
    "willChangeValue reads the prefetched members, without those that another context saved since",
    .only([.sqlite, .memorySQLite], "members are read ahead from SQLite"))
  func announcedChange() throws {
    try prefetched { stack, context, teams in
      try stack.context.performAndWait {
        stack.context.insert(
          "Player",
          ["number": 8, "team": try stack.context.all("Team", "name == 'a'").first as Any])
        try stack.context.save()
      }
      let new = context.insert("Player", ["number": 9])
      teams[0].willChangeValue(forKey: "players")
      let members = teams[0].primitiveValue(forKey: "players") as? NSSet ?? NSSet()
      teams[0].setPrimitiveValue(members.adding(new) as NSSet, forKey: "players")
      teams[0].didChangeValue(forKey: "players")
      #expect(numbers(teams[0]) == [1, 2, 3, 9])
      try context.save()
      stack.context.performAndWait { stack.context.reset() }
      try stack.context.performAndWait {
        let team = try #require(try stack.context.all("Team", "name == 'a'").first)
        #expect(numbers(team) == [1, 2, 3, 8, 9])
      }
    }
  }

  @Test("A reset releases prefetched members")
  func reset() throws {
    try prefetched { _, context, teams in
      context.reset()
      #expect(context.registeredObjects.isEmpty)
      #expect(context.reading.membersReadAhead.isEmpty)
      #expect(teams[0].managedObjectContext == nil)
    }
  }

  @Test("Prefetched rows fill faults that are in use")
  func faultsInUse() throws {
    try prefetched { stack, context, _ in
      context.reset()
      let faults = try context.all("Player")
      for fault in faults { context.refresh(fault, mergeChanges: false) }
      let again = try Self.prefetch(context)
      let store = try #require(stack.coordinator.persistentStores.first)
      let queries = store.queryCount
      #expect(faults.compactMap { $0["number"] as Int? }.sorted() == [1, 2, 3, 4, 5])
      #expect(again.map(numbers) == [[1, 2, 3], [4, 5]])
      #expect(store.queryCount == queries)
    }
  }

  @Test("Prefetching makes no observable difference to any sequence of changes")
  func random() throws {
    var random = SeededGenerator("prefetched members, \(StoreScope.current.kind)")
    for _ in 0..<WholeRun.steps(6, whole: 20) {
      let walk = try PrefetchWalk()
      for step in 0..<60 {
        let error = try walk.step(&random)
        #expect(error == nil, "seed \(random.seed), step \(step): \(walk.steps)")
        if error != nil { return }
      }
    }
  }
}
