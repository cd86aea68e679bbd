import CoreData
import Testing

/// Sources: Apple's page "NSFetchRequest" and those of its properties; tests of FreeCoreData and CoreDataPlus, which
/// assert the behavior of Apple's Core Data.
@Suite("Fetches behave as Apple's documentation says")
struct FetchFactTests {
  @Test(
    "without pending changes, a fetch matches the stored values, and objects keep their unsaved ones"
  )
  func withoutPendingChanges() throws {
    try onEveryStore { kind, folder in
      let (_, context) = try kind.open(SampleStack.makeModel(), at: kind.url(in: folder))
      try context.performAndWait {
        let ann = context.insert("Player", ["name": "Ann"])
        let bob = context.insert("Player", ["name": "Bob"])
        try context.save()
        ann.setValue("Zoe", forKey: "name")
        context.delete(bob)
        context.insert("Player", ["name": "Ann"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.includesPendingChanges = false
        request.predicate = NSPredicate(format: "name == 'Ann'")
        #expect(try context.fetch(request) == [ann])
        #expect(ann["name"] == "Zoe")
        #expect(try context.count(for: request) == 1)
        request.predicate = NSPredicate(format: "name == 'Bob'")
        #expect(try context.fetch(request) == [bob])
      }
    }
  }

  @Test("objects, IDs and counts include unsaved changes, dictionaries never do")
  func overlays() throws {
    try onEveryStore { kind, folder in
      let (_, context) = try kind.open(SampleStack.makeModel(), at: kind.url(in: folder))
      try context.performAndWait {
        let ann = context.insert("Player", ["name": "Ann"])
        try context.save()
        ann.setValue("Zoe", forKey: "name")
        let bob = context.insert("Player", ["name": "Bob"])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
        ids.resultType = .managedObjectIDResultType
        ids.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let found = try context.fetch(ids)
        #expect(found == [bob.objectID, ann.objectID])
        #expect(found[0].isTemporaryID && !found[1].isTemporaryID)
        #expect(try context.count(for: ids) == 2)
        let rows = NSFetchRequest<NSDictionary>(entityName: "Player")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["name"]
        #expect(try context.fetch(rows) == [["name": "Ann"]])
      }
    }
  }

  @Test(
    "dictionaries have all attributes by default; a to-one relationship in propertiesToFetch is an ID"
  )
  func dictionaries() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Red"])
      context.insert(
        "Player",
        ["name": "Ann", "age": 1, "score": 2.5, "isActive": true, "number": 3, "team": team])
      try context.save()
      let rows = NSFetchRequest<NSDictionary>(entityName: "Player")
      rows.resultType = .dictionaryResultType
      let row = try #require(try context.fetch(rows).first as? [String: Any])
      #expect(row.keys.sorted() == ["age", "isActive", "name", "number", "score"])
      rows.propertiesToFetch = ["team"]
      #expect(try context.fetch(rows).first?["team"] as? NSManagedObjectID == team.objectID)
      rows.propertiesToFetch = ["tags"]
      let error = #expect(throws: NSError.self) { try context.fetch(rows) }
      #expect(
        error?.localizedDescription
          == "Invalid to-many relationship in setPropertiesToFetch: (tags)")
    }
  }

  @Test("an aggregate without groups returns one row, even without objects")
  func aggregates() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let count = NSExpressionDescription()
      count.name = "count"
      count.expression = NSExpression(
        forFunction: "count:", arguments: [NSExpression(forKeyPath: "name")])
      count.expressionResultType = .integer64AttributeType
      let rows = NSFetchRequest<NSDictionary>(entityName: "Player")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = [count]
      #expect(try context.fetch(rows).map { $0["count"] as? Int } == [0])
      for name in ["a", "b"] { context.insert("Player", ["name": name]) }
      try context.save()
      #expect(try context.fetch(rows).map { $0["count"] as? Int } == [2])
    }
  }

  @Test("only dictionaries can be grouped, and columns must be grouped by or aggregated")
  func grouping() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      context.insert("Player", ["name": "a", "age": 1])
      try context.save()
      let objects = NSFetchRequest<NSManagedObject>(entityName: "Player")
      objects.propertiesToGroupBy = ["age"]
      let first = #expect(throws: NSError.self) { try context.fetch(objects) }
      #expect(first?.localizedDescription.contains("NSDictionaryResultType") == true)
      let rows = NSFetchRequest<NSDictionary>(entityName: "Player")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["name", "age"]
      rows.propertiesToGroupBy = ["age"]
      let second = #expect(throws: NSError.self) { try context.fetch(rows) }
      #expect(second?.localizedDescription.contains("name is neither") == true)
      rows.propertiesToFetch = ["age"]
      #expect(try context.fetch(rows) == [["age": 1]])
    }
  }

  @Test("a fetch does not refresh registered objects unless requested")
  func refetching() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      try other.performAndWait {
        try other.existingObject(with: ann.objectID).setValue("Bea", forKey: "name")
        try other.save()
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      #expect(try context.fetch(request) == [ann])
      #expect(ann["name"] == "Ann")
      request.shouldRefreshRefetchedObjects = true
      #expect(try context.fetch(request) == [ann])
      #expect(ann["name"] == "Bea")
    }
  }

  @Test(
    "limit and offset apply to fetches and counts; returnsObjectsAsFaults applies to results")
  func limits() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for number in 0..<5 { context.insert("Player", ["number": number]) }
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      request.fetchOffset = 1
      request.fetchLimit = 3
      let faults = try context.fetch(request)
      #expect(faults.count == 3 && faults.allSatisfy(\.isFault))
      #expect(try context.count(for: request) == 3)
      #expect(faults.map { $0["number"] as Int? } == [1, 2, 3])
      context.reset()
      request.returnsObjectsAsFaults = false
      let filled = try context.fetch(request)
      #expect(filled.count == 3 && filled.allSatisfy { !$0.isFault })
    }
  }

  @Test("a request can be converted to another result type")
  func converting() throws {
    let stack = try SampleStack()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate(format: "age > 1")
    request.fetchLimit = 2
    let typed = NSFetchRequest<NSManagedObject>(request)
    #expect(typed.entityName == "Player" && typed.fetchLimit == 2)
    #expect(typed.predicate == request.predicate)
    #expect(try stack.context.performAndWait { try stack.context.fetch(typed) } == [])
  }
}
