import CoreData
import CoreDataTestSupport
import Testing

@Suite("A fetched results controller", .onEveryStore)
struct FetchedResultsControllerTests {
  /// Runs a test's body with players of these names and ages, a controller of them, and its table.
  private func run(
    _ players: [(String, Int)], sort: [String] = ["age"], section: String? = nil,
    predicate: String? = nil,
    _ body: (
      NSManagedObjectContext, [String: NSManagedObject],
      NSFetchedResultsController<NSManagedObject>, RecordingTable
    ) throws -> Void
  ) throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      var byName: [String: NSManagedObject] = [:]
      for (name, age) in players {
        byName[name] = context.insert("Player", ["name": name, "age": age])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
      request.predicate = predicate.map { NSPredicate(format: $0) }
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      try body(context, byName, controller, table)
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  private func names(_ table: RecordingTable) -> [[String]] {
    table.sections.map { $0.rows.map { $0.value(forKey: "name") as? String ?? "" } }
  }

  // An empty list of sort descriptors is valid: CoreStore's ObjectMonitor and tests of CoreDataPlus pass
  // one, and so does SwiftUI's `@FetchRequest(sortDescriptors: [])`, which uses a controller.
  @Test("has no sections or objects before the first fetch, which throws without sort descriptors")
  func beforeFetch() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: nil,
        cacheName: nil)
      #expect(controller.sections == nil)
      #expect(controller.fetchedObjects == nil)
      let error = #expect(throws: NSError.self) { try controller.performFetch() }
      #expect(error?.localizedDescription.contains("sort descriptors") == true)
      #expect(throws: NSError.self) { try controller.explain() }
      #expect(controller.fetchedObjects == nil)
      for sorts in [[], [NSSortDescriptor(key: "age", ascending: true)]] {
        request.sortDescriptors = sorts
        try controller.performFetch()
        #expect(controller.fetchedObjects?.isEmpty == true)
        #expect(controller.sections?.count == 1)
        #expect(controller.sections?.first?.numberOfObjects == 0)
      }
    }
  }

  @Test("returns sections, rows, index paths and index titles")
  func reading() throws {
    try run([("Ann", 1), ("Bob", 2), ("Cem", 2)], section: "age") { _, players, controller, _ in
      #expect(controller.sections?.map(\.name) == ["1", "2"])
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
      #expect(controller.sections?.map(\.indexTitle) == ["1", "2"])
      #expect(controller.sectionIndexTitles == ["1", "2"])
      #expect(controller.section(forSectionIndexTitle: "2", at: 1) == 1)
      #expect(controller.object(at: IndexPath(row: 1, section: 1)) === players["Cem"])
      let bob = try #require(players["Bob"])
      #expect(controller.indexPath(forObject: bob) == IndexPath(row: 0, section: 1))
      #expect(controller.fetchedObjects?.count == 3)
    }
  }

  @Test(
    "throws an error that identifies two rows if the rows of a section are not adjacent",
    .only(TestedStore.allCases, "custom stores assign their own reference objects"))
  func scatteredSection() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for (name, age) in [("a", 1), ("b", 2), ("c", 1)] {
        stack.context.insert("Player", ["name": name, "age": age])
      }
      try stack.context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: "age",
        cacheName: nil)
      let error = #expect(throws: NSError.self) { try controller.performFetch() }
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("section \"1\"") && text.contains("/p1") && text.contains("/p3"))
    }
  }

  @Test("reports an insertion, an update, a move and a deletion")
  func kinds() throws {
    try run([("Ann", 1), ("Bob", 3)]) { context, players, _, table in
      context.insert("Player", ["name": "Cem", "age": 2])
      context.processPendingChanges()
      #expect(table.calls == ["will", "+0.1", "did"])
      table.clear()
      players["Ann"]?.setValue("Anna", forKey: "name")
      context.processPendingChanges()
      #expect(table.calls == ["will", "~0.0=0.0", "did"])
      table.clear()
      players["Ann"]?.setValue(9, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "0.0>0.2", "did"])
      table.clear()
      context.delete(try #require(players["Bob"]))
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.1", "did"])
      #expect(names(table) == [["Cem", "Anna"]])
    }
  }

  @Test("reports nothing if no row changed")
  func silence() throws {
    try run([("Ann", 1)], predicate: "age < 5") { context, _, _, table in
      context.insert("Player", ["name": "Old", "age": 50])
      context.insert("Team", ["name": "Red"])
      context.processPendingChanges()
      try context.save()
      #expect(table.calls.isEmpty)
    }
  }

  @Test("reports a row that stops or begins to match the predicate as deleted or inserted")
  func predicate() throws {
    try run([("Ann", 1), ("Bob", 2)], predicate: "age < 5") { context, players, _, table in
      players["Ann"]?.setValue(7, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.0", "did"])
      table.clear()
      players["Ann"]?.setValue(3, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "+0.1", "did"])
    }
  }

  @Test("reports moving the first of many rows to the end as one move")
  func firstToLast() throws {
    try run((0..<50).map { ("p\($0)", $0) }) { context, players, _, table in
      players["p0"]?.setValue(100, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "0.0>0.49", "did"])
    }
  }

  @Test("reports a change to an object that a key path reaches")
  func relationship() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      context.insert("Player", ["name": "Ann", "team": red])
      context.insert("Player", ["name": "Bob", "team": blue])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "team.name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team.name",
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      red.setValue("Aqua", forKey: "name")
      context.processPendingChanges()
      #expect(table.calls == ["will", "-section 1 Red", "+section 0 Aqua", "1.0>0.0", "did"])
      #expect(table.sections.map(\.name) == ["Aqua", "Blue"])
      #expect(table.violations.isEmpty)
    }
  }

  @Test("with a batch size, makes objects only when they are accessed")
  func batchSize() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for age in 0..<200 { context.insert("Player", ["age": age]) }
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      request.fetchBatchSize = 10
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      #expect(context.registeredObjects.isEmpty)
      #expect(controller.sections?.first?.numberOfObjects == 200)
      let object = controller.object(at: IndexPath(row: 57, section: 0))
      #expect(object.value(forKey: "age") as? Int == 142)
      #expect(context.registeredObjects.count <= 10)
    }
  }

  @Test("releases the objects of a batch when a row of another batch is accessed")
  func otherBatch() throws {
    try SampleStack.withContext { context in
      for age in 0..<200 { context.insert("Player", ["age": age]) }
      try context.save()
      context.reset()
      let controller = LiveScene.Request(batchSize: 10).controller(in: context)
      try controller.performFetch()
      /// Returns the rows that have objects after a row was accessed.
      func inUse(after row: Int) -> Set<Int> {
        _ = controller.object(at: IndexPath(row: row, section: 0)).value(forKey: "age")
        return Set(context.registeredObjects.compactMap { $0.value(forKey: "age") as? Int })
      }
      let first = inUse(after: 3)
      #expect(first.contains(3) && first.isSubset(of: Set(0..<10)))
      let second = inUse(after: 57)
      #expect(second.contains(57) && second.isSubset(of: Set(50..<60)))
      // A retained object stays the row's object.
      let held = controller.object(at: IndexPath(row: 4, section: 0))
      let third = inUse(after: 199)
      #expect(third.contains(199) && third.isSubset(of: Set(190..<200).union([4])))
      #expect(controller.object(at: IndexPath(row: 4, section: 0)) === held)
    }
  }

  @Test("can be cast to a controller of another result type, if its results have that type")
  func casting() throws {
    try SampleStack.withContext { context in
      context.insert("Player", ["name": "Ann"])
      let controller = LiveScene.Request().controller(in: context)
      try controller.performFetch()
      let erased = try #require(
        NSFetchedResultsController<any NSFetchRequestResult>(casting: controller))
      #expect(erased === controller as AnyObject)
      #expect(erased.fetchedObjects?.count == 1)
      let back = try #require(NSFetchedResultsController<NSManagedObject>(casting: erased))
      #expect(
        back === controller && back.object(at: IndexPath(row: 0, section: 0))["name"] == "Ann")
      #expect(NSFetchedResultsController<NSManagedObjectID>(casting: controller) == nil)
      #expect(NSFetchedResultsController<NSManagedObject>(casting: "none") == nil)
      #expect(NSFetchedResultsController<NSManagedObject>(casting: nil) == nil)
      let untyped = NSFetchedResultsController<any NSFetchRequestResult>(
        fetchRequest: NSFetchRequest(entityName: "Player"), managedObjectContext: context,
        sectionNameKeyPath: nil, cacheName: nil)
      let typed = NSFetchedResultsController<NSManagedObject>(casting: untyped)
      #expect(typed === untyped as AnyObject)
    }
  }

  /// Returns a controller of players, by age, whose request returns a kind of results.
  private func controller<Result>(
    _ request: NSFetchRequest<Result>, returning kind: NSFetchRequestResultType,
    in context: NSManagedObjectContext
  ) -> NSFetchedResultsController<Result> {
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    request.resultType = kind
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  /// Runs a test's body with a saved player, whose class is `WatchedPlayer`.
  private func runWithPlayer(
    _ body: (NSManagedObjectContext, WatchedPlayer) throws -> Void
  ) throws {
    let model = SampleStack.makeModel()
    for name in ["Player", "Captain"] {
      model.entitiesByName[name]?.managedObjectClassName = "CoreDataTests.WatchedPlayer"
    }
    try SampleStack.withContext(model: model) { context in
      let player = try #require(context.insert("Player", ["age": 1]) as? WatchedPlayer)
      try context.save()
      try body(context, player)
    }
  }

  @Test("throws if the request returns IDs or objects that are not of the controller's result type")
  func wrongResultType() throws {
    try runWithPlayer { context, _ in
      func expectError<Result>(
        _ controller: NSFetchedResultsController<Result>, _ advice: String,
        sourceLocation: SourceLocation = #_sourceLocation
      ) {
        let error = #expect(throws: NSError.self, sourceLocation: sourceLocation) {
          try controller.performFetch()
        }
        #expect(error?.code == NSCoreDataError, sourceLocation: sourceLocation)
        let text = error?.localizedDescription ?? ""
        #expect(
          text.contains("NSFetchedResultsController<\(Result.self)>") && text.contains("Player")
            && text.contains(advice), "\(text)", sourceLocation: sourceLocation)
        #expect(throws: NSError.self, sourceLocation: sourceLocation) { try controller.explain() }
        #expect(controller.fetchedObjects == nil, sourceLocation: sourceLocation)
        #expect(controller.sections == nil, sourceLocation: sourceLocation)
      }
      expectError(
        controller(
          NSFetchRequest<WatchedPlayer>(entityName: "Player"),
          returning: .managedObjectIDResultType, in: context), ".managedObjectResultType")
      expectError(
        controller(
          NSFetchRequest<NSManagedObject>(entityName: "Player"),
          returning: .managedObjectIDResultType, in: context), ".managedObjectResultType")
      expectError(
        controller(
          NSFetchRequest<NSManagedObjectID>(entityName: "Player"),
          returning: .managedObjectResultType, in: context), ".managedObjectIDResultType")
      expectError(
        controller(
          NSFetchRequest<NSDictionary>(entityName: "Player"), returning: .managedObjectResultType,
          in: context), "WatchedPlayer")
      expectError(
        controller(
          NSFetchRequest<NSNumber>(entityName: "Player"), returning: .managedObjectIDResultType,
          in: context), "NSManagedObjectID")
    }
  }

  @Test("returns objects or IDs of its result type, and both if that is NSFetchRequestResult")
  func rightResultType() throws {
    try runWithPlayer { context, player in
      let objects = controller(
        NSFetchRequest<WatchedPlayer>(entityName: "Player"), returning: .managedObjectResultType,
        in: context)
      try objects.performFetch()
      #expect(objects.fetchedObjects == [player])
      let base = controller(
        NSFetchRequest<NSManagedObject>(entityName: "Player"), returning: .managedObjectResultType,
        in: context)
      try base.performFetch()
      #expect(base.fetchedObjects == [player])
      let ids = controller(
        NSFetchRequest<NSManagedObjectID>(entityName: "Player"),
        returning: .managedObjectIDResultType, in: context)
      try ids.performFetch()
      #expect(ids.fetchedObjects == [player.objectID])
      let untyped = controller(
        NSFetchRequest<any NSFetchRequestResult>(entityName: "Player"),
        returning: .managedObjectResultType, in: context)
      try untyped.performFetch()
      #expect(untyped.fetchedObjects?.first as? NSManagedObject == player)
      untyped.fetchRequest.resultType = .managedObjectIDResultType
      try untyped.performFetch()
      #expect(untyped.fetchedObjects?.first as? NSManagedObjectID == player.objectID)
      // After an error the rows stay.
      objects.fetchRequest.resultType = .managedObjectIDResultType
      #expect(throws: NSError.self) { try objects.performFetch() }
      #expect(objects.object(at: IndexPath(row: 0, section: 0)) === player)
    }
  }

  @Test("cannot be cast to a type that its fetched results do not have, or that it cannot return")
  func castingChanged() throws {
    try runWithPlayer { context, _ in
      let untyped = controller(
        NSFetchRequest<any NSFetchRequestResult>(entityName: "Player"),
        returning: .managedObjectIDResultType, in: context)
      try untyped.performFetch()
      #expect(NSFetchedResultsController<NSManagedObjectID>(casting: untyped) != nil)
      // The results are IDs until the next fetch.
      untyped.fetchRequest.resultType = .managedObjectResultType
      #expect(NSFetchedResultsController<WatchedPlayer>(casting: untyped) == nil)
      #expect(NSFetchedResultsController<NSManagedObjectID>(casting: untyped) == nil)
      try untyped.performFetch()
      #expect(NSFetchedResultsController<WatchedPlayer>(casting: untyped) != nil)
      let objects = controller(
        NSFetchRequest<NSManagedObject>(entityName: "Player"),
        returning: .managedObjectIDResultType, in: context)
      #expect(NSFetchedResultsController<NSManagedObjectID>(casting: objects) == nil)
    }
  }
}
