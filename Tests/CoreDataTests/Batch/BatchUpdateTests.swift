import CoreData
import Testing

// Sources: Apple's pages for NSBatchUpdateRequest, propertiesToUpdate and includesSubentities;
// NSBatchUpdateRequest.h.

@Suite("Batch update", .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct BatchUpdateTests {
  private func withPlayers(_ body: (NSManagedObjectContext) throws -> Void) throws {
    try SampleStack.withContext { context in
      let red = context.insert("Team", ["name": "red"])
      let blue = context.insert("Team", ["name": "blue"])
      for number in 1...6 {
        context.insert(
          number > 4 ? "Captain" : "Player",
          ["name": "p\(number)", "number": number, "team": number % 2 == 0 ? red : blue])
      }
      try context.save()
      context.reset()
      try body(context)
    }
  }

  @Test("The result is a status, the IDs or their count; subentities are included by default")
  func resultTypes() throws {
    try withPlayers { context in
      let request = NSBatchUpdateRequest(entityName: "Player")
      #expect(request.includesSubentities)
      #expect(request.resultType == .statusOnlyResultType)
      #expect(request.requestType == .batchUpdateRequestType)
      request.propertiesToUpdate = ["age": 20]
      let status = try context.execute(request) as? NSBatchUpdateResult
      #expect(status?.result as? Bool == true)
      request.resultType = .updatedObjectsCountResultType
      let all = try context.execute(request) as? NSBatchUpdateResult
      #expect(all?.result as? Int == 6)
      request.includesSubentities = false
      request.propertiesToUpdate = ["age": 30]
      let own = try context.execute(request) as? NSBatchUpdateResult
      #expect(own?.result as? Int == 4)
      #expect(context.registeredObjects.isEmpty)
      #expect(try context.column("Captain", "age") == ["20", "20"])
      let ids = try context.batchUpdate("Captain", nil, ["age": 40])
      #expect(ids.map { $0.entity.name } == ["Captain", "Captain"])
      #expect(request.entity.name == "Player")
    }
  }

  @Test("Requests made with an entity and with its name update the same rows")
  func entities() throws {
    try withPlayers { context in
      let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
      let captain = try #require(model.entitiesByName["Captain"])
      let described = NSBatchUpdateRequest(entity: captain)
      #expect(described.entity === captain)
      for (age, request) in [(50, NSBatchUpdateRequest(entityName: "Captain")), (60, described)] {
        #expect(request.entityName == "Captain")
        request.predicate = NSPredicate(format: "number >= 2")
        request.propertiesToUpdate = ["age": age]
        request.resultType = .updatedObjectIDsResultType
        let result = try context.execute(request) as? NSBatchUpdateResult
        let ids = try #require(result?.result as? [NSManagedObjectID])
        #expect(ids.map { $0.entity.name } == ["Captain", "Captain"])
        #expect(request.entity.name == "Captain")
        let ages = try context.column("Player", "age")
        #expect(ages == ["-", "-", "-", "-", "\(age)", "\(age)"])
        context.reset()
      }
    }
  }

  @Test("A predicate may follow relationships in both directions")
  func predicates() throws {
    try withPlayers { context in
      #expect(try context.batchUpdate("Player", "team.name == 'red'", ["score": 1.5]).count == 3)
      let teams = try context.batchUpdate("Team", "ANY players.number > 5", ["name": "RED"])
      #expect(teams.count == 1)
      #expect(try context.column("Team", "name") == ["RED", "blue"])
      #expect(try context.column("Player", "score") == ["-", "-", "-", "1.5", "1.5", "1.5"])
    }
  }

  @Test(
    "Values are constants, nil, or expressions of the old row; keys are names or property descriptions"
  )
  func expressions() throws {
    try withPlayers { context in
      let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
      let score = try #require(model.entitiesByName["Player"]?.propertiesByName["score"])
      try context.batchUpdate(
        "Player", "number <= 2",
        [
          score: NSExpression(format: "number * 1.5"),
          "number": NSExpression(format: "number + 10"),
          "name": NSNull(), "isActive": true, "age": NSExpression(forConstantValue: 3),
        ])
      #expect(try context.all("Player", "number > 10 AND score IN {1.5, 3.0}").count == 2)
      #expect(try context.column("Player", "number") == ["11", "12", "3", "4", "5", "6"])
      #expect(try context.column("Player", "name", "number > 10") == ["-", "-"])
      #expect(try context.all("Player", "age == 3 AND isActive == YES").count == 2)
      try context.batchUpdate(
        "Player", "number == 3", ["age": NSExpression(format: "number * 2.9")])
      #expect(try context.column("Player", "age", "number == 3") == ["8"])
      try context.batchUpdate("Player", "number == 4", ["name": NSExpression(format: "team.name")])
      #expect(try context.column("Player", "name", "number == 4") == ["red"])
    }
  }

  @Test("An update can write nil to a mandatory attribute, because it does not validate")
  func mandatory() throws {
    try SampleStack.withContext { context in
      try context.batchInsert("Tag", [["label": "a"]])
      try context.batchUpdate("Tag", nil, ["label": NSNull()])
      #expect(try context.column("Tag", "label") == ["-"])
    }
  }

  @Test(
    "Invalid updates throw before anything is written",
    arguments: ["team", "nmae", "tags"])
  func invalidUpdates(key: String) throws {
    try withPlayers { context in
      #expect(throws: NSError.self) {
        try context.batchUpdate("Player", nil, ["name": "x", key: NSNull()])
      }
      #expect(throws: NSError.self) { try context.batchUpdate("Player", nil, ["age": "text"]) }
      #expect(throws: NSError.self) { try context.batchUpdate("Player", nil, [:]) }
      #expect(throws: NSError.self) {
        try context.batchUpdate("Player", nil, ["name": NSExpression(format: "number + 1")])
      }
      #expect(throws: NSError.self) { try context.batchUpdate("Nobody", nil, ["name": "x"]) }
      let written = try context.all("Player", "name == 'x'")
      #expect(written.isEmpty)
    }
  }

  @Test("Rows get new versions, so a context that read them before has a conflict")
  func versions() throws {
    try withPlayers { context in
      let player = try #require(try context.all("Player", "number == 1").first)
      _ = player.value(forKey: "name")
      try context.batchUpdate("Player", nil, ["age": 9])
      player["score"] = 3.0
      expectError(NSManagedObjectMergeError) { try context.save() }
    }
  }
}
