import CoreData
import Testing

@Suite("Fetches") struct FetchOracleTests {
  @Test func `Without pending changes, a fetch matches the stored values`() throws {
    try OracleStack.withContext { context in
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      ann.setValue("Zoe", forKey: "name")
      context.insert("Player", ["name": "Ann"])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "name == 'Ann'")
      request.includesPendingChanges = false
      #expect(try context.fetch(request) == [ann])
      #expect(ann.value(forKey: "name") as? String == "Zoe")
      #expect(try context.count(for: request) == 1)
    }
  }

  @Test func `Objects include unsaved changes, and dictionaries do not`() throws {
    try OracleStack.withContext { context in
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      ann.setValue("Zoe", forKey: "name")
      context.insert("Player", ["name": "Bob"])
      #expect(try context.players() == ["Bob", "Zoe"])
      let rows = NSFetchRequest<NSDictionary>(entityName: "Player")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["name"]
      #expect(try context.fetch(rows) == [["name": "Ann"] as NSDictionary])
    }
  }

  @Test func `An aggregate returns one row, even without objects`() throws {
    try OracleStack.withContext { context in
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

  @Test func `A limit and an offset apply to fetches and counts`() throws {
    try OracleStack.withContext { context in
      for age in 0..<5 { context.insert("Player", ["age": age]) }
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      request.fetchOffset = 1
      request.fetchLimit = 3
      #expect(try context.fetch(request).map { $0.value(forKey: "age") as? Int } == [1, 2, 3])
      #expect(try context.count(for: request) == 3)
    }
  }

  @Test func `Missing values come first, and match no comparison with a value`() throws {
    try OracleStack.withContext { context in
      context.insert("Player", ["name": "Ann", "age": 1])
      context.insert("Player", ["name": "Bob"])
      context.insert("Player", ["name": "Cem", "age": 2])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let ages = try context.fetch(request).map { $0.value(forKey: "age") as? Int }
      #expect(ages == [nil, 1, 2])
      #expect(try context.players("age != 1") == ["Cem"])
      #expect(try context.players("age < 2") == ["Ann"])
      #expect(try context.players("age == nil") == ["Bob"])
    }
  }

  /// The expected names for each condition.
  static let conditions: [(String, [String])] = [
    ("name BEGINSWITH 'an'", ["anna"]),
    ("name BEGINSWITH[c] 'an'", ["Ann", "anna"]),
    ("name ENDSWITH[cd] 'OE'", ["Zoë"]),
    ("name LIKE 'a*n?'", ["anna"]),
    ("name MATCHES '[A-Z].*'", ["Ann", "Bob", "Zoë"]),
    ("name IN {'Bob', 'Zoë'}", ["Bob", "Zoë"]),
    ("age BETWEEN {2, 3}", ["Bob", "anna"]),
    ("team.name == 'Red'", ["Ann", "Bob"]),
    ("team == nil", ["Zoë"]),
    ("NOT name CONTAINS 'n'", ["Bob", "Zoë"]),
    ("team.players.@count == 2", ["Ann", "Bob"]),
    ("ANY team.players.age == 3", ["anna"]),
    ("SUBQUERY(team.players, $p, $p.age < 2).@count > 0", ["Ann", "Bob"]),
  ]

  @Test(arguments: conditions)
  func `A condition selects`(_ condition: String, _ names: [String]) throws {
    try OracleStack.withContext { context in
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      context.insert("Player", ["name": "Ann", "age": 1, "team": red])
      context.insert("Player", ["name": "Bob", "age": 2, "team": red])
      context.insert("Player", ["name": "anna", "age": 3, "team": blue])
      context.insert("Player", ["name": "Zoë", "age": 4])
      try context.save()
      #expect(Set(try context.players(condition)) == Set(names))
    }
  }
}
