import CoreData
import Testing

// Sources: Apple's page for NSBatchDeleteRequest; WWDC 2015 session 220 (delete rules are applied in the
// store).

@Suite("Batch deletion", .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct BatchDeleteTests {
  @Test("The result is a status, the IDs or their count")
  func resultTypes() throws {
    try SampleStack.withContext { context in
      try context.batchInsert("Player", (0..<9).map { ["number": $0] })
      func request(_ format: String) -> NSBatchDeleteRequest {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
        fetch.predicate = NSPredicate(format: format)
        return NSBatchDeleteRequest(fetchRequest: fetch)
      }
      let status = request("number < 2")
      #expect(status.requestType == .batchDeleteRequestType)
      #expect(status.fetchRequest.entityName == "Player")
      #expect((try context.execute(status) as? NSBatchDeleteResult)?.result as? Bool == true)
      let count = request("number < 5")
      count.resultType = .resultTypeCount
      #expect((try context.execute(count) as? NSBatchDeleteResult)?.result as? Int == 3)
      let ids = try context.batchDelete(request("number < 7"))
      #expect(ids.map { $0.uriRepresentation().lastPathComponent } == ["p6", "p7"])
      #expect(try context.column("Player", "number") == ["7", "8"])
      #expect(try context.batchDelete(request("number < 7")).isEmpty)
    }
  }

  @Test("The fetch request's order, limit and offset apply")
  func limits() throws {
    try SampleStack.withContext { context in
      try context.batchInsert("Player", (0..<9).map { ["number": $0] })
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      fetch.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
      fetch.fetchLimit = 3
      fetch.fetchOffset = 2
      #expect(try context.batchDelete(NSBatchDeleteRequest(fetchRequest: fetch)).count == 3)
      #expect(try context.column("Player", "number") == ["0", "1", "2", "3", "7", "8"])
    }
  }

  @Test(
    "Object IDs may be of one entity and its subentities; unrelated entities and temporary IDs are errors"
  )
  func objectIDs() throws {
    try SampleStack.withContext { context in
      let players = try context.batchInsert("Player", [["number": 1], ["number": 2]])
      let captains = try context.batchInsert("Captain", [["number": 3]])
      let teams = try context.batchInsert("Team", [["name": "t"]])
      #expect(throws: NSError.self) {
        try context.batchDelete(NSBatchDeleteRequest(objectIDs: players + teams))
      }
      #expect(throws: NSError.self) {
        try context.batchDelete(
          NSBatchDeleteRequest(objectIDs: [context.insert("Player").objectID]))
      }
      #expect(try context.batchDelete(NSBatchDeleteRequest(objectIDs: [])).isEmpty)
      #expect(throws: NSError.self) {
        try context.batchDelete(NSBatchDeleteRequest(fetchRequest: NSFetchRequest()))
      }
      context.rollback()
      #expect(
        try context.batchDelete(NSBatchDeleteRequest(objectIDs: [players[0]] + captains))
          == [players[0]] + captains)
      #expect(try context.column("Player", "number") == ["2"])
    }
  }

  @Test("Cascade deletes members, Nullify clears the inverse, and many-to-many pairs are removed")
  func rules() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let context = stack.context
      let team = context.insert("Team", ["name": "red"])
      let other = context.insert("Team", ["name": "blue"])
      for title in ["a", "b"] { context.insert("Trophy", ["title": title, "winner": team]) }
      context.insert("Trophy", ["title": "c", "winner": other])
      let tag = context.insert("Tag", ["label": "x"])
      let player = context.insert("Player", ["name": "p", "team": team])
      player.mutableSetValue(forKey: "tags").add(tag)
      try context.save()
      let ids = try context.batchDelete("Team", "name == 'red'")
      #expect(ids.map { $0.entity.name } == ["Team", "Trophy", "Trophy"])
    }
    try stack.reading { context in
      #expect(try context.column("Trophy", "title") == ["c"])
      let player = try #require(try context.all("Player").first)
      #expect(player.value(forKey: "team") == nil)
      #expect((player.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1)
      try context.batchDelete("Tag")
    }
    try stack.reading { context in
      let player = try #require(try context.all("Player").first)
      #expect((player.value(forKey: "tags") as? Set<NSManagedObject>)?.isEmpty == true)
      try context.batchDelete("Player")
    }
    try stack.reading { context in
      let players = try context.all("Player")
      #expect(players.isEmpty)
    }
  }

  @Test("Deny fails the request while a member exists, and no longer once the member is deleted")
  func deny() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "p"])
      context.insert("Locker", ["number": 1, "owner": player])
      context.insert("Locker", ["number": 2])
      try context.save()
      expectError(NSValidationRelationshipDeniedDeleteError) { try context.batchDelete("Locker") }
      context.reset()
      #expect(try context.all("Locker").count == 2)
      try context.batchDelete("Player")
      #expect(try context.batchDelete("Locker").count == 2)
    }
  }

  @Test("A deletion that would leave a row without a mandatory destination is an error")
  func mandatory() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.relationshipsByName["team"]?.isOptional = false
    try SampleStack.withContext(model: model) { context in
      let team = context.insert("Team", ["name": "red"])
      context.insert("Player", ["name": "p", "team": team])
      context.insert("Team", ["name": "empty"])
      try context.save()
      expectError(NSValidationMissingMandatoryPropertyError) { try context.batchDelete("Team") }
      #expect(try context.batchDelete("Team", "name == 'empty'").count == 1)
    }
  }

  @Test("Cascade follows cycles, to any depth")
  func circles() throws {
    let node = NSEntityDescription()
    node.name = "Node"
    let children = SampleStack.relationship(
      "children", to: node, toMany: true, rule: .cascadeDeleteRule)
    let parent = SampleStack.relationship("parent", to: node, rule: .cascadeDeleteRule)
    children.inverseRelationship = parent
    parent.inverseRelationship = children
    node.properties = [SampleStack.attribute("number", .integer32AttributeType), children, parent]
    let model = NSManagedObjectModel()
    model.entities = [node]
    try SampleStack.withContext(model: model) { context in
      var last = context.insert("Node", ["number": 0])
      for number in 1...40 { last = context.insert("Node", ["number": number, "parent": last]) }
      context.insert("Node", ["number": 100])
      try context.save()
      #expect(try context.batchDelete("Node", "number == 20").count == 41)
      context.reset()
      #expect(try context.column("Node", "number") == ["100"])
    }
  }

  // Source: NSBatchDeleteRequest.h has one `fetchRequest` for the request's life; public programs set its
  // predicate, sort descriptors and limit after creating the request.
  @Test
  func `Changes to the request's fetch request apply, and later changes to the original do not`()
    throws
  {
    try SampleStack.withContext { context in
      try context.batchInsert("Player", (0..<9).map { ["number": $0] })
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      let request = NSBatchDeleteRequest(fetchRequest: fetch)
      #expect(request.fetchRequest === request.fetchRequest)
      request.fetchRequest.predicate = NSPredicate(format: "number > 2")
      request.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
      request.fetchRequest.fetchLimit = 2
      request.fetchRequest.fetchOffset = 1
      fetch.predicate = NSPredicate(value: true)
      fetch.fetchLimit = 0
      #expect(try context.batchDelete(request).count == 2)
      #expect(try context.column("Player", "number") == ["0", "1", "2", "3", "4", "5", "8"])
    }
  }

  @Test func `A predicate set on a request made from object IDs applies`() throws {
    try SampleStack.withContext { context in
      let ids = try context.batchInsert("Player", (0..<3).map { ["number": $0] })
      let request = NSBatchDeleteRequest(objectIDs: ids)
      let chosen = try #require(request.fetchRequest.predicate)
      request.fetchRequest.predicate = NSCompoundPredicate(
        andPredicateWithSubpredicates: [chosen, NSPredicate(format: "number == 1")])
      #expect(try context.batchDelete(request) == [ids[1]])
    }
  }

  @Test func `The stores of the fetch request apply unless the request has its own`() throws {
    let stack = try SampleStack()
    let store = try #require(stack.coordinator.persistentStores.first)
    let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Player"))
    #expect(request.affectedStores == nil)
    request.fetchRequest.affectedStores = [store]
    #expect(request.affectedStores == [store])
    request.affectedStores = []
    #expect(request.affectedStores == [])
  }
}
