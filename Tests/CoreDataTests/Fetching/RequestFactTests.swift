import CoreData
import Testing

/// Sources: Apple's pages "NSFetchRequest", "fetchRequestFromTemplate(withName:substitutionVariables:)"
/// and "Fetching Objects"; tests of FreeCoreData.
@Suite("Requests as Apple's documentation describes them", .onEveryStore)
struct RequestFactTests {
  @Test("a request with a name gets its entity when it is executed; an unknown name is an error")
  func names() throws {
    try SampleStack.withContext { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      #expect(request.entity == nil && request.entityName == "Player")
      _ = try context.fetch(request)
      #expect(request.entity?.name == "Player")
      let unknown = NSFetchRequest<NSManagedObject>(entityName: "Nobody")
      #expect(throws: NSError.self) { try context.fetch(unknown) }
      #expect(throws: NSError.self) { try context.count(for: unknown) }
    }
  }

  @Test(
    "fetches by transient, fetched and to-many properties, and by comparators, are errors",
    .only(TestedStore.allCases, "a custom store defines the order of its IDs"))
  func keys() throws {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let mood = SampleStack.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    let rivals = NSFetchedPropertyDescription()
    rivals.name = "rivals"
    rivals.fetchRequest = NSFetchRequest(entityName: "Player")
    player.properties += [mood, rivals]
    try SampleStack.withContext(model: model) { context in
      context.insert("Player", ["name": "Ann"])
      try context.save()
      for format in ["mood == 'merry'", "rivals.@count > 0", "ANY rivals.name == 'x'"] {
        #expect(throws: NSError.self, "\(format)") { try context.all("Player", format) }
      }
      let sorts = [
        NSSortDescriptor(key: "mood", ascending: true),
        NSSortDescriptor(key: "tags", ascending: true),
        NSSortDescriptor(key: "tags.label", ascending: true),
        NSSortDescriptor(key: "rivals", ascending: true),
        NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame },
      ]
      for sort in sorts {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.sortDescriptors = [sort]
        #expect(throws: NSError.self, "\(sort)") { try context.fetch(request) }
      }
      // Apple's SQLite stores refuse to sort by ID.
      let byID = NSFetchRequest<NSManagedObject>(entityName: "Player")
      byID.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: false)]
      let second = context.insert("Player", ["name": "Bea"])
      try context.save()
      #expect(try context.fetch(byID).first === second)
      let byTeam = NSFetchRequest<NSManagedObject>(entityName: "Player")
      byTeam.sortDescriptors = [NSSortDescriptor(key: "team.name", ascending: true)]
      #expect(try context.fetch(byTeam).count == 2)
    }
  }

  @Test("a request queries all stores in order, or its affected stores")
  func stores() throws {
    let stack = try SampleStack()
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let first = stack.coordinator.persistentStores[0]
    try stack.context.performAndWait {
      for (name, store) in [("b", second), ("a", first), ("d", second), ("c", first)] {
        stack.context.assign(stack.context.insert("Tag", ["label": name]), to: store)
      }
      try stack.context.save()
    }
    try stack.reading { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      let found = try context.fetch(request)
      #expect(found.map { $0.objectID.persistentStore === first } == [true, true, false, false])
      request.affectedStores = [second]
      let labels: [String] = try context.fetch(request).compactMap { $0["label"] }
      #expect(labels.sorted() == ["b", "d"])
      request.affectedStores = [second, first]
      #expect(try context.count(for: request) == 4)
    }
  }

  @Test("a template returns a new request each time, and accepts NSNull for nil")
  func templates() throws {
    let model = SampleStack.makeModel()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate(format: "name == $NAME")
    model.setFetchRequestTemplate(request, forName: "Named")
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      context.insert("Player", ["name": "Ann"])
      let nameless = context.insert("Player")
      try context.save()
      func make(_ value: Any) throws -> NSFetchRequest<any NSFetchRequestResult> {
        try #require(
          model.fetchRequestFromTemplate(
            withName: "Named", substitutionVariables: ["NAME": value]))
      }
      let (one, two) = (try make("Ann"), try make("Ann"))
      #expect(one !== two && one !== request)
      one.fetchLimit = 7
      #expect(two.fetchLimit == 0)
      #expect(try context.count(for: one) == 1)
      #expect(try context.fetch(try make(NSNull())) as? [NSManagedObject] == [nameless])
      let left = try #require(model.fetchRequestTemplate(forName: "Named"))
      #expect(left.predicate?.description == "name == $NAME")
    }
  }

  @Test(
    "prefetching costs a query for each step of the key path, and accesses then cost none",
    .only(TestedStore.sqlKinds, "only SQL stores count queries"))
  func prefetching() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let teams = (0..<5).map { stack.context.insert("Team", ["name": "\($0)"]) }
      for number in 0..<50 {
        stack.context.insert("Player", ["number": number, "team": teams[number % 5]])
      }
      try stack.context.save()
    }
    let store = stack.coordinator.persistentStores[0]
    try stack.reading { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.relationshipKeyPathsForPrefetching = ["players"]
      let before = store.queryCount
      let teams = try context.fetch(request)
      let fetched = store.queryCount
      // Reads the teams, the keys of their players, and the players' rows.
      #expect((2...3).contains(fetched - before))
      let numbers = teams.flatMap {
        ($0.value(forKey: "players") as? Set<NSManagedObject> ?? []).compactMap {
          $0["number"] as Int?
        }
      }
      #expect(numbers.count == 50 && store.queryCount == fetched)
    }
  }
}
