import CoreData
import Testing

/// A request to a coordinator of two stores has the same result as with one store of all rows. Source: Apple's
/// "Persistent Store Coordinator" in "Core Data Core Competencies", where the coordinator presents a group of
/// stores to a context as a single aggregate store.
@Suite("Requests over several stores have one result", .onEveryStore)
struct SeveralStoresTests {
  private struct Pair {
    let one: SampleStack
    let two: SampleStack
    let second: NSPersistentStore
  }

  /// Saves eight players of four teams in one store, and again in two stores, with every second team and its players in
  /// the second.
  private func filled() throws -> Pair {
    let (one, two) = (
      try SampleStack(StoreScope(kind: .memorySQLite, folder: nil)), try SampleStack()
    )
    let second = try two.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let first = two.coordinator.persistentStores[0]
    for stack in [one, two] {
      try stack.context.performAndWait {
        let context = stack.context
        let stores =
          stack.context === one.context ? [stack.coordinator.persistentStores[0]] : [first, second]
        func insert(_ place: Int, _ entity: String, _ values: [String: Any?]) -> NSManagedObject {
          let object = context.insert(entity, values)
          context.assign(object, to: stores[place % stores.count])
          return object
        }
        let teams = ["Red", "Red", "Blue", "Green"].enumerated().map {
          insert($0, "Team", ["name": $1])
        }
        let names = ["Ann", "Bob", "Cem", "Dora", "Émile", "Ann", "Bob", "Gil"]
        for (index, name) in names.enumerated() {
          let tag = insert(index, "Tag", ["label": "t\(index)"])
          _ = insert(
            index, index == 4 ? "Captain" : "Player",
            [
              "name": name, "age": 20 + index / 2, "score": Double(index) / 4,
              "isActive": index % 3 == 0, "number": index == 6 ? nil : 10 - index,
              "team": teams[index % 4], "tags": index < 3 ? [tag] : [],
            ])
        }
        try context.save()
      }
    }
    return Pair(one: one, two: two, second: second)
  }

  @Test(
    "Members are counted in the store of each owner",
    .only(TestedStore.allCases, "custom stores choose their own keys"))
  func memberCounts() throws {
    let stack = try SampleStack()
    _ = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = stack.context
    try context.performAndWait {
      var teams: [NSManagedObject] = []
      for (place, store) in stack.coordinator.persistentStores.enumerated() {
        let team = context.insert("Team")
        context.assign(team, to: store)
        for _ in 0...place {
          context.assign(context.insert("Player", ["team": team]), to: store)
        }
        teams.append(team)
      }
      try context.save()
      #expect(try context.memberCounts(of: "players", for: teams) == [1, 2])
    }
  }

  private func column(
    _ name: String, _ format: String, _ type: NSAttributeType
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = NSExpression(format: format)
    column.expressionResultType = type
    return column
  }

  private func rows(
    _ properties: [Any]?, sort: [String] = [],
    _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
  ) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Player")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = properties
    request.sortDescriptors = sort.map {
      $0.hasPrefix("-")
        ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
        : NSSortDescriptor(key: $0, ascending: true)
    }
    change(request)
    return request
  }

  /// Returns the result of a request, and expects that it is the same with one store and with two.
  private func result(_ request: NSFetchRequest<NSDictionary>) throws -> [NSDictionary] {
    let pair = try filled()
    let one = try pair.one.reading { try $0.fetch(request) }
    let again = NSFetchRequest<NSDictionary>(entityName: "Player")
    again.resultType = request.resultType
    again.propertiesToFetch = request.propertiesToFetch
    again.propertiesToGroupBy = request.propertiesToGroupBy
    again.havingPredicate = request.havingPredicate
    again.returnsDistinctResults = request.returnsDistinctResults
    again.predicate = request.predicate
    again.sortDescriptors = request.sortDescriptors
    again.fetchLimit = request.fetchLimit
    again.fetchOffset = request.fetchOffset
    try pair.two.reading { context in
      let two = try context.fetch(again)
      #expect(two == one)
      #expect(try context.count(for: again) == one.count)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait {
        let found = try child.fetch(again)
        #expect(found == one)
        #expect(try child.count(for: again) == one.count)
      }
    }
    let count = try pair.one.reading { try $0.count(for: request) }
    #expect(count == one.count)
    return one
  }

  @Test("the order, limit and offset of dictionaries apply over all stores")
  func sorted() throws {
    let names = try result(
      rows(["name", "age"], sort: ["name", "-age"]) {
        $0.fetchLimit = 3
        $0.fetchOffset = 1
      })
    #expect(
      names == [
        ["name": "Ann", "age": 20], ["name": "Bob", "age": 23], ["name": "Bob", "age": 20],
      ])
    let localized = rows(["name"]) {
      $0.sortDescriptors = [
        NSSortDescriptor(
          key: "name", ascending: false,
          selector: Selector("localizedStandardCompare:"))
      ]
      $0.fetchLimit = 2
    }
    #expect(try result(localized) == [["name": "Gil"], ["name": "Émile"]])
    #expect(try result(rows(["number"], sort: ["-number"])).last == [:])
    #expect(
      try result(rows(["name"], sort: ["team.name", "-score"]) { $0.fetchLimit = 1 }) == [
        ["name": "Bob"]
      ])
    #expect(try result(rows(["name"], sort: ["score"]) { $0.fetchOffset = 7 }) == [["name": "Gil"]])
    #expect(try result(rows(nil, sort: ["score"]) { $0.fetchLimit = 5 }).count == 5)
    #expect(
      try result(
        rows(["name", "team.name", "isActive"], sort: ["score"]) {
          $0.predicate = NSPredicate(format: "tags.@count > 0 AND team.name == 'Red'")
        }) == [
          ["name": "Ann", "team.name": "Red", "isActive": true],
          ["name": "Bob", "team.name": "Red", "isActive": false],
        ])
  }

  @Test("distinct dictionaries are distinct over all stores")
  func distinct() throws {
    let names = try result(rows(["name"], sort: ["name"]) { $0.returnsDistinctResults = true })
    #expect(names.map { $0["name"] as? String } == ["Ann", "Bob", "Cem", "Dora", "Gil", "Émile"])
    let some = rows(["team.name"], sort: ["team.name"]) {
      $0.returnsDistinctResults = true
      $0.fetchLimit = 2
      $0.fetchOffset = 1
    }
    #expect(try result(some) == [["team.name": "Green"], ["team.name": "Red"]])
  }

  @Test("groups, aggregates, havingPredicate and limits apply over all stores")
  func grouped() throws {
    let properties: [Any] = [
      "team.name", column("members", "count:(name)", .integer64AttributeType),
      column("numbers", "count:(number)", .integer64AttributeType),
      column("total", "sum:(score)", .doubleAttributeType),
      column("mean", "average:(age)", .doubleAttributeType),
      column("least", "min:(number)", .integer32AttributeType),
      column("last", "max:(name)", .stringAttributeType),
      column("share", "sum:(score) / count:(name)", .doubleAttributeType),
    ]
    let groups = try result(
      rows(properties, sort: ["team.name"]) { $0.propertiesToGroupBy = ["team.name"] })
    #expect(groups.map { $0["team.name"] as? String } == ["Blue", "Green", "Red"])
    #expect(groups.map { $0["members"] as? Int } == [2, 2, 4])
    #expect(groups.map { $0["numbers"] as? Int } == [1, 2, 4])
    #expect(groups.map { $0["total"] as? Double } == [2, 2.5, 2.5])
    #expect(groups.map { $0["mean"] as? Double } == [22, 22, 21])
    #expect(groups.map { $0["least"] as? Int } == [8, 3, 5])
    #expect(groups.map { $0["last"] as? String } == ["Cem", "Gil", "Émile"])
    #expect(groups.map { $0["share"] as? Double } == [1, 1.25, 0.625])
    let large = try result(
      rows(properties, sort: ["-team.name"]) {
        $0.propertiesToGroupBy = ["team.name"]
        $0.havingPredicate = NSPredicate(format: "$members >= 2 AND $total > 2.1")
        $0.fetchLimit = 1
        $0.fetchOffset = 1
      })
    #expect(large.map { $0["team.name"] as? String } == ["Green"])
    let ages = try result(
      rows(
        ["age", "isActive", column("n", "count:(objectID)", .integer64AttributeType)],
        sort: ["age", "isActive"]
      ) {
        $0.propertiesToGroupBy = ["age", "isActive"]
        $0.predicate = NSPredicate(format: "age < 22")
      })
    #expect(ages.map { $0["n"] as? Int } == [1, 1, 1, 1])
  }

  @Test("a group for which havingPredicate is unknown is left out, over one store or several")
  func unknownGroups() throws {
    for count in 1...2 {
      let folder = try TemporaryFolder()
      let model = SampleStack.makeModel()
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let context = NSManagedObjectContext.confined(to: coordinator)
      for number in 0..<count {
        let store = try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("\(number).sqlite"))
        let team = context.insert("Team", ["name": "Red"])
        let players = [context.insert("Player", ["team": team]), context.insert("Player")]
        for object in players + [team] { context.assign(object, to: store) }
      }
      try context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["team"]
      request.propertiesToGroupBy = ["team"]
      let tag = try #require(model.entitiesByName["Tag"])
      request.havingPredicate = NSPredicate(format: "NOT (team.entity == %@)", tag)
      #expect(try context.fetch(request).count == count)
    }
  }

  @Test("aggregates without groups are one row, even if no store has rows")
  func aggregated() throws {
    let all = rows([
      column("n", "count:(name)", .integer64AttributeType),
      column("mean", "average:(number)", .doubleAttributeType),
      column("best", "max:(score)", .doubleAttributeType),
    ])
    #expect(try result(all) == [["n": 8, "mean": 48.0 / 7, "best": 1.75]])
    all.predicate = NSPredicate(format: "name == 'Zoe'")
    #expect(try result(all) == [["n": 0]])
  }

  @Test("IDs in dictionaries belong to the stores of their objects")
  func identifiers() throws {
    let pair = try filled()
    try pair.two.reading { context in
      let request = rows(["team", "name"], sort: ["score"])
      let teams = try context.fetch(request).map { $0["team"] as? NSManagedObjectID }
      let players = try context.all("Player", sort: ["score"])
      #expect(teams == players.map { ($0["team"] as NSManagedObject?)?.objectID })
      #expect(Set(teams.map { $0?.persistentStore }).count == 2)
      request.propertiesToFetch = ["team"]
      request.returnsDistinctResults = true
      request.sortDescriptors = []
      #expect(Set(try context.fetch(request)).count == 4)
      #expect(try context.count(for: request) == 4)
    }
  }

  @Test("external and transformed values are read from their own stores")
  func bytes() throws {
    let model = SampleStack.makeModel()
    let photo = SampleStack.attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    let palette = SampleStack.attribute("palette", .transformableAttributeType)
    model.entitiesByName["Player"]?.properties += [photo, palette]
    let stack = try SampleStack(model: model)
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let first = stack.coordinator.persistentStores[0]
    try stack.context.performAndWait {
      for (index, store) in [first, second].enumerated() {
        let player = stack.context.insert(
          "Player",
          [
            "age": index, "photo": Data(repeating: UInt8(index), count: 200_000),
            "palette": ["c\(index)"] as NSArray,
          ])
        stack.context.assign(player, to: store)
      }
      try stack.context.save()
    }
    try stack.reading { context in
      let found = try context.fetch(rows(["photo", "palette"], sort: ["-age"]))
      #expect(
        found.map { $0["photo"] as? Data } == [1, 0].map { Data(repeating: $0, count: 200_000) })
      #expect(found.map { ($0["palette"] as? [String])?.first } == ["c1", "c0"])
    }
  }

  @Test("the order, limit and offset of objects and IDs apply over all stores")
  func objects() throws {
    let pair = try filled()
    for batchSize in [0, 2] {
      try pair.two.reading { context in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.sortDescriptors = [
          NSSortDescriptor(key: "name", ascending: false),
          NSSortDescriptor(key: "age", ascending: true),
        ]
        request.fetchLimit = 3
        request.fetchOffset = 2
        request.fetchBatchSize = batchSize
        let found = try context.fetch(request)
        #expect(found.map { $0["name"] } == ["Dora", "Cem", "Bob"])
        for pending in [true, false] {
          request.includesPendingChanges = pending
          #expect(try context.count(for: request) == 3)
        }
        let ids = NSFetchRequest<NSManagedObjectID>(request)
        ids.resultType = .managedObjectIDResultType
        #expect(try context.fetch(ids) == found.map(\.objectID))
        #expect(Array(try context.fetchInBatches(request)) == found)
        request.fetchOffset = 7
        #expect(try context.count(for: request) == 1)
        request.fetchOffset = 9
        #expect(try context.count(for: request) == 0)
        #expect(try context.fetch(request) == [])
      }
    }
  }

  private final class ChangeCounter: NSObject, NSFetchedResultsControllerDelegate {
    var changes = 0

    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { changes += 1 }
  }

  @Test("a controller has the rows of all stores in order, and reports a change")
  func controller() throws {
    let pair = try filled()
    let context = pair.two.newContext()
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [
        NSSortDescriptor(key: "team.name", ascending: true),
        NSSortDescriptor(key: "score", ascending: true),
      ]
      request.fetchLimit = 5
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team.name",
        cacheName: nil)
      let delegate = ChangeCounter()
      controller.delegate = delegate
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["Blue", "Green", "Red"])
      #expect(controller.sections?.map(\.numberOfObjects) == [2, 2, 1])
      let player = context.insert("Player", ["name": "Zoe", "score": -1.0])
      context.assign(player, to: pair.second)
      try context.save()
      #expect(delegate.changes == 1)
      #expect(controller.fetchedObjects?.first === player)
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 2, 2])
    }
  }

  @Test("a new object is not in the store to which a discarded object was assigned")
  func discardedAssignment() throws {
    let stack = try SampleStack()
    let first = stack.coordinator.persistentStores[0]
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = stack.context
    try context.performAndWait {
      // A new object often gets the address of the one that was deallocated last.
      for number in 1...20 {
        context.assign(context.insert("Tag", ["label": "discarded"]), to: second)
        context.rollback()
        let tag = context.insert("Tag", ["label": "\(number)"])
        try context.save()
        #expect(tag.objectID.persistentStore === first)
      }
    }
  }

  @Test(
    "a store without the entity, or listed twice in a request, adds no rows",
    .only(TestedStore.allCases, "a custom store does not explain its requests"))
  func otherStores() throws {
    let model = SampleStack.makeModel()
    model.setEntities(
      ["Tag", "Player", "Captain", "Team", "Locker", "Trophy"].compactMap {
        model.entitiesByName[$0]
      }
      .filter { $0.name == "Trophy" }, forConfigurationName: "Prizes")
    let stack = try SampleStack(model: model)
    let first = stack.coordinator.persistentStores[0]
    try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "Prizes", at: nil)
    try stack.context.performAndWait {
      for name in ["b", "a"] { stack.context.insert("Player", ["name": name]) }
      try stack.context.save()
      let request = rows(["name"], sort: ["name"])
      for stores in [nil, [first], [first, first]] {
        request.affectedStores = stores
        #expect(try stack.context.fetch(request) == [["name": "a"], ["name": "b"]])
        #expect(try stack.context.count(for: request) == 2)
        #expect(try stack.context.explain(request).count == 1)
      }
      let objects = NSFetchRequest<NSManagedObject>(entityName: "Player")
      objects.affectedStores = [first, first]
      #expect(try stack.context.fetch(objects).count == 2)
      #expect(try stack.context.count(for: objects) == 2)
    }
  }

  @Test("an asynchronous fetch has the same dictionaries")
  func asynchronous() async throws {
    let pair = try filled()
    nonisolated(unsafe) let request = rows(["name"], sort: ["name"]) { $0.fetchLimit = 3 }
    let context = pair.two.newContext()
    let names: [String?] = try await withCheckedThrowingContinuation { continuation in
      context.perform {
        let fetch = NSAsynchronousFetchRequest(fetchRequest: request) { result in
          let names = result.finalResult?.map { $0["name"] as? String } ?? []
          if let error = result.operationError {
            continuation.resume(throwing: error)
          } else {
            continuation.resume(returning: names)
          }
        }
        do { _ = try context.execute(fetch) } catch { continuation.resume(throwing: error) }
      }
    }
    #expect(names == ["Ann", "Ann", "Bob"])
  }

  @Test("aggregates that need all values of a group use those of all stores")
  func wholeGroups() throws {
    let ages = [
      column("middle", "median:(age)", .doubleAttributeType),
      column("spread", "stddev:(age)", .doubleAttributeType),
      column("number", "count:(age)", .integer64AttributeType),
    ]
    // Ages are 20, 20, 21, 21, 22, 22, 23, 23.
    let all = try result(rows(ages))
    #expect(all.count == 1 && all.first?["middle"] as? Double == 21.5)
    #expect(all.first?["number"] as? Int == 8)
    #expect(abs((all.first?["spread"] as? Double ?? 0) - 1.25.squareRoot()) < 1e-9)
    let grouped = try result(
      rows(["name"] + ages, sort: ["name"]) {
        $0.propertiesToGroupBy = ["name"]
        $0.havingPredicate = NSPredicate(format: "median:(age) > 20")
      })
    #expect(grouped.map { $0["name"] as? String } == ["Ann", "Bob", "Cem", "Dora", "Gil", "Émile"])
    #expect(grouped.first?["middle"] as? Double == 21)
  }
}
