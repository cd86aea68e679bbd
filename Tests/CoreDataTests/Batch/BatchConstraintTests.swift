import CoreData
import Testing

// Sources: WWDC 2019 session 230 (a batch insertion with a trump policy is an UPSERT);
// augmentedcode.io 2021/01/05 (omitted columns keep their values); tests of CoreDataPlus.

@Suite(
  "Batch insertion and uniqueness",
  .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct BatchConstraintTests {
  private func withContext(
    _ policy: NSMergePolicy, _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    try SampleStack.withContext(model: SampleStack.makeUniqueModel()) { context in
      context.mergePolicy = policy
      try context.batchInsert("Player", [["number": 1, "name": "old", "score": 1.5]])
      try body(context)
    }
  }

  private func rows(_ context: NSManagedObjectContext) throws -> [String] {
    context.refreshAllObjects()
    return try context.all("Player", sort: ["number"]).map {
      "\($0.value(forKey: "number") ?? "-") \($0.value(forKey: "name") ?? "-")"
        + " \($0.value(forKey: "score") ?? "-")"
    }
  }

  @Test("With the error policy, a violation fails the request, and no row is written")
  func errorPolicy() throws {
    try withContext(.error) { context in
      let many =
        (2..<90).map { ["number": $0] } + [["number": 1]] + (100..<150).map { ["number": $0] }
      do {
        try context.batchInsert("Player", many)
        Issue.record("no error was thrown")
      } catch {
        #expect((error as NSError).code == NSManagedObjectConstraintMergeError)
        #expect(error.localizedDescription.contains("row 89"))
        #expect(error.localizedDescription.contains("the same number as Player p1"))
      }
      expectError(NSManagedObjectConstraintMergeError) {
        try context.batchInsert("Player", [["number": 5], ["number": 5]])
      }
      let present = try rows(context)
      #expect(present == ["1 old 1.5"])
    }
  }

  @Test(
    "With a policy that prefers the store, existing rows stay unchanged",
    arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
  func storeWins(policy: NSMergePolicy) throws {
    try withContext(policy) { context in
      let ids = try context.batchInsert(
        "Player", [["number": 1, "name": "new"], ["number": 2], ["number": 2, "name": "twice"]])
      #expect(ids.count == 1)
      #expect(try rows(context) == ["1 old 1.5", "2 - -"])
    }
  }

  @Test(
    "With a policy that prefers the object, the values are written into the existing row",
    arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func objectWins(policy: NSMergePolicy) throws {
    try withContext(policy) { context in
      let old = try #require(try context.all("Player").first)
      _ = old.value(forKey: "name")
      let ids = try context.batchInsert(
        "Player",
        [
          ["number": 1, "name": "new"], ["number": 2], ["number": 2, "name": "twice"],
          ["number": 3, "score": 2.5], ["number": 3],
        ])
      #expect(ids.count == 3)
      #expect(Set(ids).contains(old.objectID))
      #expect(old["name"] == "old")
      // The row has a new version, so saving a change to the row as it was read before is a conflict.
      context.mergePolicy = NSMergePolicy.error
      old["score"] = 9.0
      expectError(NSManagedObjectMergeError) { try context.save() }
      context.rollback()
      #expect(try rows(context) == ["1 new 1.5", "2 twice -", "3 - 2.5"])
    }
  }

  // Source: augmentedcode.io 2021/01/05 (omitted columns stay). The rule holds for every form of the request.
  @Test(
    "Attributes that an object handler does not set stay unchanged in the existing row",
    arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func objectHandler(policy: NSMergePolicy) throws {
    try withContext(policy) { context in
      var count = 0
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player") { (object: NSManagedObject) in
          count += 1
          object.setValue(count, forKey: "number")
          return count == 3
        })
      #expect(try rows(context) == ["1 old 1.5", "2 - -"])
    }
  }

  @Test(
    "An attribute that an object handler sets to nil becomes nil in the row of that object alone")
  func objectHandlerSetsNil() throws {
    try withContext(.mergeByPropertyObjectTrump) { context in
      try context.batchInsert(
        "Player", (2...3).map { ["number": $0, "name": "n\($0)", "score": Double($0)] })
      var count = 0
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player") { (object: NSManagedObject) in
          count += 1
          object.setValue(count, forKey: "number")
          switch count {
          case 1: object.setValue(nil, forKey: "name")
          case 2: object.setValue("new", forKey: "name")
          case 3: object.setPrimitiveValue(nil, forKey: "score")
          default: break
          }
          return count == 5
        })
      #expect(try rows(context) == ["1 - 1.5", "2 new 2.0", "3 n3 -", "4 - -"])
    }
  }

  @Test(
    "Dictionary and row handlers leave attributes they do not set unchanged, and can write nil"
  )
  func otherHandlers() throws {
    try withContext(.mergeByPropertyObjectTrump) { context in
      try context.batchInsert("Player", [["number": 2, "name": "two", "score": 2.5]])
      var count = 0
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player") { (row: NSMutableDictionary) in
          count += 1
          row["number"] = count
          if count == 1 { row["name"] = NSNull() }
          return count == 3
        })
      #expect(try rows(context) == ["1 - 1.5", "2 two 2.5"])
      count = 0
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player", properties: ["name", "score", "number"]) { row in
          count += 1
          row.set(count, at: 2)
          if count == 1 { row.set("one", at: 0) }
          if count == 2 { row.set(any: nil, at: 1) }
          return count == 4
        })
      #expect(try rows(context) == ["1 one 1.5", "2 two -", "3 - -"])
    }
  }

  @Test("The row handler writes the listed attributes")
  func rowHandler() throws {
    try withContext(.mergeByPropertyObjectTrump) { context in
      var count = 0
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player", properties: ["name", "number"]) { row in
          count += 1
          row.set("r\(count)", at: 0)
          row.set(count, at: 1)
          return count == 3
        })
      #expect(try rows(context) == ["1 r1 1.5", "2 r2 -"])
    }
  }

  @Test("A conflicting row of another entity is an error about that row, and stays unchanged")
  func otherEntity() throws {
    try withContext(.mergeByPropertyObjectTrump) { context in
      do {
        try context.batchInsert("Captain", [["number": 7], ["number": 1, "name": "captain"]])
        Issue.record("no error was thrown")
      } catch {
        #expect((error as NSError).code == NSManagedObjectConstraintMergeError)
        #expect(error.localizedDescription.contains("row 2"))
        #expect(error.localizedDescription.contains("Player p1"))
      }
      let present = try rows(context)
      #expect(present == ["1 old 1.5"])
    }
  }

  @Test("A row that conflicts with two rows by different constraints is an error")
  func twoRows() throws {
    try withContext(.mergeByPropertyObjectTrump) { context in
      try context.batchInsert("Player", [["number": 2, "name": "b", "age": 3]])
      expectError(NSManagedObjectConstraintMergeError) {
        try context.batchInsert("Player", [["number": 1, "name": "b", "age": 3]])
      }
      #expect(try rows(context) == ["1 old 1.5", "2 b -"])
    }
  }

  @Test("An update may move unique values between rows, but not make them equal")
  func updates() throws {
    try withContext(.error) { context in
      try context.batchInsert("Player", (2...50).map { ["number": $0] })
      let ids = try context.batchUpdate(
        "Player", nil, ["number": NSExpression(format: "number + 1")])
      #expect(ids.count == 50)
      context.refreshAllObjects()
      #expect(try context.all("Player", "number == 1").isEmpty)
      #expect(try context.all("Player", "number == 51").count == 1)
      expectError(NSManagedObjectConstraintMergeError) {
        try context.batchUpdate("Player", "number < 10", ["number": 5])
      }
      context.refreshAllObjects()
      #expect(try context.all("Player", "number == 5").count == 1)
      #expect(try context.all("Player", "number == nil").isEmpty)
    }
  }
}
