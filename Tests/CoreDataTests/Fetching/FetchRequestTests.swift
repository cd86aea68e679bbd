import CoreData
import Testing

@Suite("Fetch requests", .onEveryStore)
struct FetchRequestTests {
  private func filled() throws -> SampleStack {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      for (index, name) in ["Ann", "Bob", "Cem", "Dora", "Émile"].enumerated() {
        context.insert(
          index == 4 ? "Captain" : "Player",
          [
            "name": name, "age": 20 + index, "score": Double(index) / 2,
            "team": index < 3 ? red : blue, "isActive": index % 2 == 0,
          ])
      }
      try context.save()
    }
    return stack
  }

  // Regression found by random changes to a controller's objects (seed 661832).
  @Test("do not return an unsaved object that was deleted after its owner")
  func membersOfDeletedObjects() throws {
    let context = try filled().context
    try context.performAndWait {
      let teams = NSFetchRequest<NSManagedObject>(entityName: "Team")
      teams.predicate = NSPredicate(format: "name == %@", "Red")
      let red = try #require(try context.fetch(teams).first)
      let player = context.insert("Player", ["name": "Fay", "age": 30, "team": red])
      #expect((red.value(forKey: "players") as? Set<NSManagedObject>)?.count == 4)
      context.delete(red)
      context.processPendingChanges()
      context.delete(player)
      context.processPendingChanges()
      let players = NSFetchRequest<NSManagedObject>(entityName: "Player")
      players.sortDescriptors = [NSSortDescriptor(key: "team.name", ascending: true)]
      let found = try context.fetch(players).map { $0.value(forKey: "name") as? String }
      #expect(Set(found) == ["Ann", "Bob", "Cem", "Dora", "Émile"])
    }
  }

  @Test(
    "match rows by predicates of every kind",
    arguments: [
      ("name == \"Ann\"", ["Ann"]), ("age >= 22 AND NOT name == \"Cem\"", ["Dora", "Émile"]),
      ("age BETWEEN {21, 22}", ["Bob", "Cem"]), ("age IN {20, 24, 99}", ["Ann", "Émile"]),
      ("name BEGINSWITH[cd] \"e\"", ["Émile"]), ("name BEGINSWITH \"e\"", []),
      ("name CONTAINS[c] \"O\"", ["Bob", "Dora"]), ("name ENDSWITH \"m\"", ["Cem"]),
      ("name LIKE \"?o*\"", ["Bob", "Dora"]), ("name MATCHES \"[AB].*\"", ["Ann", "Bob"]),
      ("team.name == \"Blue\"", ["Dora", "Émile"]), ("isActive == NO", ["Bob", "Dora"]),
      ("team == nil OR score > 1.2", ["Dora", "Émile"]), ("TRUEPREDICATE AND age < 21", ["Ann"]),
      ("ANY tags.label == \"x\"", []), ("tags.@count == 0 AND age = 20", ["Ann"]),
      ("SUBQUERY(team.players, $p, $p.age > 23).@count == 1", ["Dora", "Émile"]),
      // Apple's Core Data accepts this (a test of CoreDataQueryInterface).
      ("SUBQUERY(team.players, $p, ANY $p.age > 23).@count == 1", ["Dora", "Émile"]),
      ("name.length == 4", ["Dora"]), ("lowercase:(name) == \"ann\"", ["Ann"]),
      ("age == \"23\"", ["Dora"]),
      ("age - 20 == score * 2", ["Ann", "Bob", "Cem", "Dora", "Émile"]),
    ] as [(String, [String])])
  func predicates(_ format: String, _ names: [String]) throws {
    let stack = try filled()
    try stack.context.performAndWait {
      let found = try stack.context.all("Player", format, sort: ["age"])
      #expect(found.map { $0.value(forKey: "name") as? String } == names)
    }
  }

  @Test("accept objects, IDs, collections and key paths as arguments")
  func arguments() throws {
    let stack = try filled()
    let context = stack.context
    try context.performAndWait {
      let red = try context.all("Team", "name == %@", ["Red"])[0]
      #expect(try context.all("Player", "team == %@", [red]).count == 3)
      #expect(try context.all("Player", "team == %@", [red.objectID]).count == 3)
      #expect(try context.all("Player", "SELF == %@", [try context.all("Player")[2]]).count == 1)
      #expect(
        try context.all("Player", "SELF IN %@", [try context.all("Player", "age < 22")]).count == 2)
      #expect(try context.all("Player", "%K > %d", ["age", 22]).count == 2)
      #expect(try context.all("Player", "name IN %@", [["Ann", "Bob", "Zoe"]]).count == 2)
      // With Apple's Core Data, an `AnyHashable` is bridged to its value.
      let hashable: [AnyHashable] = ["Ann", "Bob", "Zoe"]
      #expect(try context.all("Player", "name IN %@", [hashable]).count == 2)
      #expect(try context.all("Player", "name IN %@", [Set(hashable)]).count == 2)
      #expect(try context.all("Player", "name == %@", [hashable[0]]).count == 1)
      #expect(try context.all("Team", "%@ IN players", [try context.all("Player")[0]]).count == 1)
      #expect(try context.all("Player", "team IN %@", [NSSet(array: [red])]).count == 3)
      let many = (0..<500).map { "n\($0)" } + ["Cem"]
      #expect(try context.all("Player", "name IN %@", [many]).count == 1)
      let template = NSPredicate(format: "age > $LIMIT AND name != $NAME")
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = template.withSubstitutionVariables(["LIMIT": 22, "NAME": "Dora"])
      #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["Émile"])
    }
  }

  @Test("accept objects and IDs as arguments of a format")
  func objectsInFormats() throws {
    let stack = try filled()
    let context = stack.context
    try context.performAndWait {
      let red = try context.all("Team", "name == \"Red\"")[0]
      for predicate in [
        NSPredicate(format: "team == %@", red), NSPredicate(format: "team == %@", red.objectID),
        NSPredicate(format: "%K == %@ AND age < %d", "team", red, 99),
      ] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = predicate
        #expect(try context.count(for: request) == 3)
      }
    }
  }

  @Test("return objects, IDs, counts and dictionaries")
  func resultTypes() throws {
    let stack = try filled()
    let context = stack.context
    try context.performAndWait {
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Captain")
      ids.resultType = .managedObjectIDResultType
      #expect(try context.fetch(ids).map(\.entity.name) == ["Captain"])
      let numbers = NSFetchRequest<NSNumber>(entityName: "Player")
      numbers.resultType = .countResultType
      #expect(try context.fetch(numbers).first?.intValue == 5)
      let own = NSFetchRequest<NSManagedObject>(entityName: "Player")
      own.includesSubentities = false
      #expect(try context.count(for: own) == 4)

      let rows = NSFetchRequest<NSDictionary>(entityName: "Player")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["name", "team.name", "isActive"]
      rows.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      rows.fetchLimit = 1
      let row = try #require(try context.fetch(rows).first)
      #expect(row["name"] as? String == "Émile")
      #expect(row["team.name"] as? String == "Blue")
      #expect(row["isActive"] as? Bool == true)
    }
  }

  @Test(
    "group and aggregate dictionaries in the store",
    .only(TestedStore.allCases, "the custom stores of the tests do not group"))
  func grouping() throws {
    let stack = try filled()
    let context = stack.context
    try context.performAndWait {
      func column(_ name: String, _ function: String, _ key: String, _ type: NSAttributeType)
        -> NSExpressionDescription
      {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = NSExpression(
          forFunction: function, arguments: [NSExpression(forKeyPath: key)])
        column.expressionResultType = type
        return column
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [
        "team.name", column("members", "count:", "name", .integer64AttributeType),
        column("oldest", "max:", "age", .integer16AttributeType),
        column("total", "sum:", "score", .doubleAttributeType),
        column("exact", "sum:", "score", .decimalAttributeType),
      ]
      request.propertiesToGroupBy = ["team.name"]
      request.sortDescriptors = [NSSortDescriptor(key: "team.name", ascending: true)]
      let groups = try context.fetch(request)
      #expect(groups.map { $0["team.name"] as? String } == ["Blue", "Red"])
      #expect(groups.map { $0["members"] as? Int } == [2, 3])
      #expect(groups.map { $0["oldest"] as? Int } == [24, 22])
      #expect(groups.map { $0["total"] as? Double } == [3.5, 1.5])
      #expect(groups.map { $0["exact"] as? NSDecimalNumber } == [3.5, 1.5])
      request.havingPredicate = NSPredicate(format: "$members > 2")
      #expect(try context.fetch(request).map { $0["team.name"] as? String } == ["Red"])
      let distinct = NSFetchRequest<NSDictionary>(entityName: "Player")
      distinct.resultType = .dictionaryResultType
      distinct.propertiesToFetch = ["team.name"]
      distinct.returnsDistinctResults = true
      #expect(try context.fetch(distinct).count == 2)
    }
  }

  @Test("read values in batches, and prefetch relationships")
  func batches() throws {
    let stack = try filled()
    let context = stack.context
    try context.performAndWait {
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.fetchBatchSize = 2
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let people = try context.fetch(request)
      #expect(people.count { $0.isFault } == 5)
      #expect(
        people.map { $0.value(forKey: "name") as? String } == [
          "Ann", "Bob", "Cem", "Dora", "Émile",
        ])
      context.reset()
      let teams = NSFetchRequest<NSManagedObject>(entityName: "Team")
      teams.relationshipKeyPathsForPrefetching = ["players.tags"]
      let found = try context.fetch(teams)
      #expect(found.map { ($0.value(forKey: "players") as? NSSet)?.count ?? 0 }.sorted() == [2, 3])
    }
  }

  @Test(
    "throw errors that state what is wrong",
    arguments: [
      ("Player", "agee > 3", "did you mean \"age\""),
      ("Player", "team.nam == 1", "did you mean \"name\""),
      ("Playr", "age > 3", "did you mean \"Player\""),
      ("Player", "tags == 3", "to-many key not allowed here"),
      ("Player", "name > nil", "nil"), ("Player", "age BEGINSWITH 1", "compares strings"),
      ("Player", "name MATCHES \"(\"", "("), ("Player", "age == $x", "$x has no value"),
      ("Player", "team > 3", "cannot be compared"),
      ("Player", "age == \"many\"", "cannot be compared"),
      ("Player", "name.first == 1", "attribute"), ("Player", "ANY age > 3", "to-many"),
    ])
  func invalidPredicates(_ entity: String, _ format: String, _ message: String) throws {
    let stack = try SampleStack()
    stack.context.performAndWait {
      let error = #expect(throws: NSError.self) { try stack.context.all(entity, format) }
      #expect(
        error?.localizedDescription.contains(message) == true,
        "\(error?.localizedDescription ?? "")")
      #expect(error?.code == NSCoreDataError)
    }
  }

  @Test(
    "accept the largest possible limit and offset, with and without unsaved changes", .onEveryStore)
  func largestNumbers() throws {
    try SampleStack.withContext { context in
      for number in 0..<3 { context.insert("Player", ["number": number]) }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      request.fetchLimit = .max
      for isChanged in [false, true] {
        if isChanged { context.insert("Player", ["number": 3]) }
        request.fetchOffset = 1
        #expect(
          try context.fetch(request).map { $0["number"] } == (isChanged ? [1, 2, 3] : [1, 2]))
        #expect(try context.count(for: request) == (isChanged ? 3 : 2))
        request.fetchOffset = .max
        #expect(try context.fetch(request).isEmpty)
        #expect(try context.count(for: request) == 0)
      }
    }
  }
}
