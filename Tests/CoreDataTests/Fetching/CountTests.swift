import CoreData
import Testing

/// Source: Apple's page "count(for:)": "the number of objects a given fetch request would have returned if it
/// had been passed to fetch(_:)".
@Suite("The count of a request equals the number of its results", .onEveryStore)
struct CountTests {
  private func filled() throws -> SampleStack {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let teams = ["Red", "Blue"].map { context.insert("Team", ["name": $0]) }
      for (index, name) in ["Ann", "Bob", "Ann", "Cem", "Bob", "Ann"].enumerated() {
        context.insert(
          index == 5 ? "Captain" : "Player",
          ["name": name, "age": 20 + index, "team": index == 4 ? nil : teams[index % 2]])
      }
      try context.save()
    }
    return stack
  }

  private func rows(_ properties: [Any]?) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Player")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = properties
    return request
  }

  private func column(_ name: String, _ format: String) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = NSExpression(format: format)
    column.expressionResultType = .integer64AttributeType
    return column
  }

  @Test(
    "for dictionaries that are distinct, grouped, filtered by groups or aggregated",
    .only(TestedStore.allCases, "the custom stores of the tests do not group"))
  func dictionaries() throws {
    let stack = try filled()
    try stack.context.performAndWait {
      var wanted: [(request: NSFetchRequest<NSDictionary>, count: Int)] = []
      func add(_ count: Int, _ properties: [Any]?, _ change: (NSFetchRequest<NSDictionary>) -> Void)
      {
        let request = rows(properties)
        change(request)
        wanted.append((request, count))
      }
      add(6, ["name"]) { _ in }
      add(6, nil) { _ in }
      add(3, ["name"]) { $0.returnsDistinctResults = true }
      add(3, ["team.name"]) { $0.returnsDistinctResults = true }
      add(2, ["name"]) {
        $0.returnsDistinctResults = true
        $0.fetchOffset = 1
      }
      add(1, ["name"]) {
        $0.returnsDistinctResults = true
        $0.fetchLimit = 5
        $0.fetchOffset = 2
        $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      }
      add(2, ["name"]) {
        $0.returnsDistinctResults = true
        $0.predicate = NSPredicate(format: "age > 22")
        $0.includesSubentities = false
      }
      add(3, ["name", column("n", "count:(age)")]) { $0.propertiesToGroupBy = ["name"] }
      add(2, ["name", column("n", "count:(age)")]) {
        $0.propertiesToGroupBy = ["name"]
        $0.havingPredicate = NSPredicate(format: "$n > 1")
        $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      }
      add(1, ["name", column("n", "count:(age)")]) {
        $0.propertiesToGroupBy = ["name"]
        $0.havingPredicate = NSPredicate(format: "$n > 1")
        $0.fetchLimit = 1
      }
      add(1, [column("n", "count:(age)")]) { _ in }
      add(1, [column("n", "count:(age) + 1")]) { _ in }
      add(1, [column("n", "count:(age)")]) { $0.predicate = NSPredicate(value: false) }
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = stack.context
      stack.context.insert("Player", ["name": "Zoe"])
      try child.performAndWait {
        child.insert("Player", ["name": "Yan"])
        for context in [stack.context, child] {
          for (request, count) in wanted {
            let found = try context.fetch(request)
            #expect(found.count == count, "\(request)")
            #expect(try context.count(for: request) == count, "\(request)")
          }
        }
      }
    }
  }

  @Test(
    "for distinct values, if a count request requires them",
    .only(TestedStore.allCases, "the custom stores of the tests do not group"))
  func distinctCounts() throws {
    let stack = try filled()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSNumber>(entityName: "Player")
      request.resultType = .countResultType
      request.returnsDistinctResults = true
      func counted() throws -> [Int] { try stack.context.fetch(request).map(\.intValue) }
      let all = try counted()
      #expect(all == [6])
      request.propertiesToFetch = ["name"]
      #expect(try counted() == [3])
      #expect(try stack.context.count(for: request) == 3)
      request.returnsDistinctResults = false
      #expect(try counted() == [6])
    }
  }

  @Test("for objects and IDs, with unsaved changes of a context and its parent, limit and offset")
  func objects() throws {
    let stack = try filled()
    let parent = stack.context
    try parent.performAndWait {
      parent.insert("Player", ["name": "Ann", "age": 90])
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = parent
      try child.performAndWait {
        try child.all("Player", "name == 'Bob'").forEach { $0.setValue("Ann", forKey: "name") }
        child.insert("Captain", ["name": "Ann"])
        if let gone = try child.all("Player", "age == 22").first { child.delete(gone) }
        for (context, count) in [(parent, 4), (child, 6)] {
          for (limit, offset) in [(0, 0), (2, 0), (0, 3), (3, 3), (9, 5), (1, 90)] {
            for type in [
              NSFetchRequestResultType.managedObjectResultType, .managedObjectIDResultType,
            ] {
              let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
              request.predicate = NSPredicate(format: "name == 'Ann'")
              request.resultType = type
              // Objects are always distinct.
              request.returnsDistinctResults = true
              request.propertiesToFetch = ["name"]
              request.fetchLimit = limit
              request.fetchOffset = offset
              let rest = max(0, count - offset)
              let wanted = limit == 0 ? rest : min(limit, rest)
              let found = try context.fetch(request)
              #expect(found.count == wanted)
              #expect(try context.count(for: request) == wanted)
              request.includesPendingChanges = false
              let count = try context.fetch(request).count
              #expect(try context.count(for: request) == count)
            }
          }
        }
      }
    }
  }

  @Test(
    "with empty lists of properties to fetch (all attributes), to group by (none) and to prefetch (none)",
    .only(TestedStore.allCases, "the custom stores of the tests do not group"))
  func emptyLists() throws {
    let stack = try filled()
    try stack.context.performAndWait {
      let request = rows([])
      request.propertiesToGroupBy = []
      request.relationshipKeyPathsForPrefetching = []
      request.fetchLimit = 1
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      #expect(try stack.context.fetch(request) == [["name": "Ann", "age": 20]])
      #expect(try stack.context.count(for: request) == 1)
      request.fetchLimit = 0
      request.returnsDistinctResults = true
      let rows = try stack.context.fetch(request)
      #expect(rows.count == 6)
      let objects = NSFetchRequest<NSManagedObject>(entityName: "Player")
      objects.propertiesToFetch = []
      objects.propertiesToGroupBy = []
      objects.relationshipKeyPathsForPrefetching = []
      #expect(try stack.context.fetch(objects).count == 6)
      #expect(try stack.context.count(for: objects) == 6)
    }
  }

  @Test(
    "for rows grouped by the number of members at a key path",
    .only(TestedStore.allCases, "the custom stores of the tests do not group"))
  func groupedByCounts() throws {
    let stack = try filled()
    try stack.context.performAndWait {
      let size = NSExpressionDescription()
      size.name = "size"
      size.expression = NSExpression(forKeyPath: "team.players.@count")
      size.expressionResultType = .integer64AttributeType
      for (properties, groups) in [
        (["team.players.@count"] as [Any], ["team.players.@count"] as [Any]), ([size], [size]),
        ([size], ["team.players.@count"]), ([column("size", "team.players.@count")], [size]),
      ] {
        let request = rows(properties + [column("n", "count:(objectID)")])
        request.propertiesToGroupBy = groups
        request.sortDescriptors = [NSSortDescriptor(key: "team.players.@count", ascending: true)]
        let found = try stack.context.fetch(request)
        let key = properties.first as? String ?? "size"
        #expect(found.map { $0[key] as? Int } == [0, 2, 3])
        #expect(found.map { $0["n"] as? Int } == [1, 2, 3])
        #expect(try stack.context.count(for: request) == 3)
      }
    }
  }

  @Test("An expression description without an expression causes an error with its name")
  func missingExpressions() throws {
    let stack = try filled()
    stack.context.performAndWait {
      let empty = NSExpressionDescription()
      empty.name = "nothing"
      for (properties, groups) in [([empty], []), (["name"], [empty]), ([empty], [empty])]
        as [([Any], [Any])]
      {
        let request = rows(properties)
        request.propertiesToGroupBy = groups
        let error = #expect(throws: NSError.self) { try stack.context.fetch(request) }
        #expect(error?.code == NSCoreDataError)
        #expect(error?.localizedDescription.contains("\"nothing\" has no expression") == true)
        #expect(throws: NSError.self) { try stack.context.count(for: request) }
      }
    }
  }

  // Sources: tests that pass with Apple's Core Data. In a test of CoreStore, the request has an entity, and names read
  // back as attributes. In a test of PredicateKit, it has only an entity name, and names read back as names.
  @Test(
    "Names in propertiesToGroupBy read back as properties of the entity; other values are unchanged"
  )
  func groupsReadBack() throws {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let size = column("size", "tags.@count")
    let request = NSFetchRequest<NSDictionary>(entityName: "Player")
    request.propertiesToGroupBy = ["name", "team.name"]
    #expect(request.propertiesToGroupBy as? [String] == ["name", "team.name"])
    request.entity = player
    request.propertiesToGroupBy = ["name", "team.name", size]
    let found = try #require(request.propertiesToGroupBy)
    #expect(found.count == 3)
    #expect(found[0] as? NSAttributeDescription === player.attributesByName["name"])
    #expect(found[1] as? String == "team.name")
    #expect(found[2] as? NSExpressionDescription === size)
    let attributes = try #require(player.attributesByName["age"])
    request.propertiesToGroupBy = [attributes]
    #expect(request.propertiesToGroupBy?.first as? NSAttributeDescription === attributes)
    request.propertiesToGroupBy = nil
    #expect(request.propertiesToGroupBy == nil)
  }

  // Source: Apple's page for propertiesToFetch: it contains names or descriptions, and the request's entity must be set
  // first. As with propertiesToGroupBy, names read back as names in tests of PredicateKit and others, whose requests
  // have only an entity name.
  @Test(
    "Names in propertiesToFetch read back as properties of the entity; other values are unchanged")
  func columnsReadBack() throws {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let size = column("size", "tags.@count")
    let request = NSFetchRequest<NSDictionary>(entityName: "Player")
    request.propertiesToFetch = ["name", "team.name"]
    request.entity = player
    #expect(request.propertiesToFetch as? [String] == ["name", "team.name"])
    request.propertiesToFetch = ["name", "team", "team.name", size]
    let found = try #require(request.propertiesToFetch)
    #expect(found.count == 4)
    #expect(found[0] as? NSAttributeDescription === player.attributesByName["name"])
    #expect(found[1] as? NSRelationshipDescription === player.relationshipsByName["team"])
    #expect(found[2] as? String == "team.name")
    #expect(found[3] as? NSExpressionDescription === size)
    request.propertiesToFetch = []
    #expect(request.propertiesToFetch?.isEmpty == true)
    request.propertiesToFetch = nil
    #expect(request.propertiesToFetch == nil)
  }
}
