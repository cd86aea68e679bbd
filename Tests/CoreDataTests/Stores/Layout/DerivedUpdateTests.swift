import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// Updates of derived values by saves and batch requests. The reports to contexts are this library's design.
@Suite(
  "Updates of derived values",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores support derived attributes"))
struct DerivedUpdateTests {
  @Test("Values that a program sets are not stored")
  func ownValues() throws {
    try SampleStack.withContext(model: DerivedSample.model()) { context in
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert(
        "Player", ["name": "Ann", "score": 1.0, "team": team, "alias": "x", "letters": 70])
      let locker = context.insert("Locker", ["owner": player, "teamName": "x", "fellows": 70])
      try context.save()
      #expect(player.derivedText == "Ann 3.0 2.0 RED 3.0" && locker.derivedText == "Red RED 1.0")
      for (object, key) in [(player, "shout"), (locker, "teamName")] {
        object.setValue("wrong", forKey: key)
      }
      player.setValue(4.0, forKey: "score")
      try context.save()
      #expect(player.derivedText == "Ann 3.0 8.0 RED 3.0" && locker.derivedText == "Red RED 1.0")
      context.refreshAllObjects()
      #expect(player.derivedText == "Ann 3.0 8.0 RED 3.0" && locker.derivedText == "Red RED 1.0")
    }
  }

  @Test("Rows with only derived changes are refreshed and reported, and do not conflict")
  func reported() throws {
    let stack = try SampleStack(model: DerivedSample.model())
    let (context, other) = (stack.context, stack.newContext())
    other.automaticallyMergesChangesFromParent = true
    let id = try onQueues(of: context, other) {
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["name": "Ann", "team": team])
      let locker = context.insert("Locker", ["owner": player])
      try context.save()
      let twin = try other.existingObject(with: locker.objectID)
      #expect(twin.derivedText == "Red RED 1.0")
      let saved = Recorder(.NSManagedObjectContextDidSave, of: context)
      team.setValue("Blue", forKey: "name")
      #expect(!locker.hasChanges && !player.hasChanges)
      try context.save()
      #expect(locker.derivedText == "Blue BLUE 1.0")
      let info = try #require(saved.notifications.first?.userInfo)
      #expect(info[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [team])
      #expect(info[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [player, locker])
      // A change to such a row does not conflict.
      locker.setValue(7, forKey: "number")
      try context.save()
      return locker.objectID
    }
    try other.performAndWait {
      let twin = try other.existingObject(with: id)
      #expect(twin.derivedText == "Blue BLUE 1.0")
    }
  }

  @Test("Batch requests update derived values")
  func batches() throws {
    try SampleStack.withContext(model: DerivedSample.model()) { context in
      context.automaticallyMergesChangesFromParent = true
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["name": "Ann", "age": 20, "team": team])
      let locker = context.insert("Locker", ["owner": player])
      try context.save()
      try context.batchInsert("Player", [["name": "Robert", "score": 2.0, "letters": 70]])
      let inserted = try #require(try context.all("Player", "name == 'Robert'").first)
      #expect(inserted.derivedText == "Robert 6.0 4.0 nil nil")
      try context.batchUpdate("Team", nil, ["name": "Blue"])
      #expect(locker.derivedText == "Blue BLUE 1.0")
      try context.batchUpdate("Player", nil, ["score": 9.0])
      #expect(inserted.derivedText == "Robert 6.0 18.0 nil nil")
      inserted.setValue(team, forKey: "team")
      inserted.setValue(29, forKey: "age")
      try context.save()
      #expect(team.derivedText == "9.0" && locker.derivedText == "Blue BLUE 2.0")
      try context.batchDelete("Player", "name == 'Robert'")
      #expect(team.derivedText == "0.0" && locker.derivedText == "Blue BLUE 1.0")
    }
  }

  // SQLite ignores case in the names of triggers.
  @Test("Derived attributes whose names differ only in case have separate values")
  func similarNames() throws {
    let model = ModelText.model(
      """
      Team: Total i64 derived players.@count; total i64 derived players.@sum.age; \
      players ->> Player.team
      Side < Team: n i64 derived players.@count
      SIDE < Team: n i64 derived players.@sum.age
      Player: age i64; team -> Team.players
      """)
    try SampleStack.withContext(model: model) { context in
      let teams = ["Team", "Side", "SIDE"].map { context.insert($0) }
      let players = teams.flatMap { team in
        [20, 30].map { context.insert("Player", ["age": $0, "team": team]) }
      }
      func values(_ name: String, of teams: ArraySlice<NSManagedObject>) -> [Int?] {
        teams.map { $0[name] as Int? }
      }
      for change in [0, 1] {
        for player in players { player["age"] = (player["age"] as Int? ?? 0) + change }
        try context.save()
        context.refreshAllObjects()
        #expect(values("Total", of: teams[...]) == [2, 2, 2])
        let sum = 50 + 2 * change
        #expect(values("total", of: teams[...]) == [sum, sum, sum])
        #expect(values("n", of: teams[1...]) == [2, sum])
      }
    }
  }
}
