import CoreData
import CoreDataTestSupport
import Testing

/// Options of a request have the same effect on live results as on a fetch.
@Suite("The request of fetched results", .onEveryStore)
struct RequestOptionTests {
  @Test(
    "restricts results and changes to its affected stores",
    .only([.inMemory], "the test opens two stores in one coordinator"), arguments: [0, 1])
  func stores(_ batchSize: Int) throws {
    let stack = try SampleStack()
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let first = stack.coordinator.persistentStores[0]
    let context = stack.context
    try context.performAndWait {
      func tag(_ label: String, _ store: NSPersistentStore) -> NSManagedObject {
        let tag = context.insert("Tag", ["label": label])
        context.assign(tag, to: store)
        return tag
      }
      let tags = [tag("a", first), tag("b", second)]
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
      request.affectedStores = [second]
      request.fetchBatchSize = batchSize
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      func labels() throws -> [String] {
        context.processPendingChanges()
        let shown: [String] = (controller.fetchedObjects ?? []).map { $0["label"] ?? "" }
        let fetched: [String] = try context.fetch(request).map { $0["label"] ?? "" }
        #expect(shown == fetched)
        return shown
      }
      #expect(try labels() == ["b"])
      tags[0].setValue("a2", forKey: "label")
      tags[1].setValue("b2", forKey: "label")
      _ = (tag("c", first), tag("d", second))
      #expect(try labels() == ["b2", "d"])
      try context.save()
      #expect(try labels() == ["b2", "d"])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test(
    "prefetches relationships with the rows",
    .only(TestedStore.sqlKinds, "other stores run no queries"),
    arguments: [0, 5])
  func prefetching(_ batchSize: Int) throws {
    let stack = try SampleStack()
    let store = try #require(stack.coordinator.persistentStores.first)
    let context = stack.context
    try context.performAndWait {
      for number in 0..<10 {
        let team = context.insert("Team", ["name": "t\(number)"])
        context.insert("Player", ["name": "p\(number)", "team": team])
      }
      try context.save()
      context.reset()
      let controller = try controller(in: context) {
        $0.relationshipKeyPathsForPrefetching = ["team"]
        $0.fetchBatchSize = batchSize
      }
      var before = store.queryCount
      for row in 0..<10 {
        let player = controller.object(at: IndexPath(row: row, section: 0))
        if batchSize > 0, row % batchSize == 0 { before = store.queryCount }
        #expect(player.value(forKeyPath: "team.name") as? String == "t\(row)")
        #expect(store.queryCount == before)
      }
    }
  }

  @Test(
    "refreshes refetched objects with the store's values if set to do so", arguments: [false, true])
  func refreshing(_ refreshes: Bool) throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for name in ["a", "b"] { context.insert("Player", ["name": name]) }
      try context.save()
      let players = try context.all("Player", sort: ["name"])
      for player in players { _ = player.value(forKey: "name") }
      try stack.reading { other in
        let player = try #require(try other.all("Player", sort: ["name"]).first)
        player.setValue("c", forKey: "name")
        try other.save()
      }
      let controller = try controller(in: context) {
        $0.shouldRefreshRefetchedObjects = refreshes
      }
      let names: [String] = (controller.fetchedObjects ?? []).map { $0["name"] ?? "" }
      // Without the option, objects keep their values, in an order that differs between stores.
      #expect(refreshes ? names == ["b", "c"] : names.sorted() == ["a", "b"])
      withExtendedLifetime(players) {}
    }
  }

  @Test("refreshes the results, even if other objects were deleted", arguments: [0, 1])
  func refreshingFound(_ batchSize: Int) throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for name in ["a", "b"] { context.insert("Player", ["name": name]) }
      try context.save()
      let players = try context.all("Player", sort: ["name"])
      for player in players { _ = player.value(forKey: "name") }
      try stack.reading { other in
        other.delete(try #require(try other.all("Player", sort: ["name"]).first))
        try other.save()
      }
      let controller = try controller(in: context) {
        $0.shouldRefreshRefetchedObjects = true
        $0.fetchBatchSize = batchSize
      }
      #expect(controller.fetchedObjects == [players[1]])
    }
  }

  @Test("may have the largest possible limit")
  func largestLimit() throws {
    try LiveScene.run(
      [("a", 1), ("b", 2)], LiveScene.Request(limit: .max, offset: 1)
    ) { scene in
      #expect(scene.names == [["b"]])
      scene.context.insert("Player", ["name": "c", "age": 3])
      #expect(scene.report() == ["+0.1"])
      #expect(scene.names == [["b", "c"]])
    }
  }

  /// Returns a controller of players by name, fetched with some options.
  private func controller(
    in context: NSManagedObjectContext, _ setOptions: (NSFetchRequest<NSManagedObject>) -> Void
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    setOptions(request)
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    return controller
  }
}
