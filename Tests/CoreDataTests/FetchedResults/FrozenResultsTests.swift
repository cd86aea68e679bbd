import CoreData
import CoreDataTestSupport
import Testing

/// Without a delegate, results stay as they were fetched. A delegate that is attached after changes
/// receives what it missed.
@Suite("Results without a delegate", .onEveryStore)
struct FrozenResultsTests {
  private func names(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
    controller.fetchedObjects?.map { $0.value(forKey: "name") as? String ?? "" } ?? []
  }

  /// One row is unsaved, among saved ones.
  @Test(
    "keep the rows of unsaved objects when these are saved",
    .only(TestedStore.allCases + [.ownAtomic], "an incremental store's rows may have no versions"),
    arguments: [(0, 0), (5, 0), (0, 3)])
  func savedRows(_ batchSize: Int, _ limit: Int) throws {
    try SampleStack.withContext { context in
      for (name, age) in [("Ann", 1), ("Cem", 3)] {
        context.insert("Player", ["name": name, "age": age])
      }
      try context.save()
      let bob = context.insert("Player", ["name": "Bob", "age": 2])
      let request = LiveScene.Request(limit: limit, batchSize: batchSize)
      let controller = request.controller(in: context)
      try controller.performFetch()
      let place = IndexPath(row: 1, section: 0)
      #expect(controller.object(at: place) === bob)
      try context.save()
      #expect(controller.object(at: place) === bob)
      #expect(controller.indexPath(forObject: bob) == place)
      #expect(names(controller) == ["Ann", "Bob", "Cem"])
      // A later save finds the row as well.
      bob.setValue("Bea", forKey: "name")
      try context.save()
      #expect(names(controller) == ["Ann", "Bea", "Cem"])
      // A delegate attached now receives an update of the row, not the insertion of another row.
      let table = RecordingTable(traps: false)
      table.load(controller)
      controller.delegate = table
      context.insert("Player", ["name": "Abe", "age": 0])
      context.processPendingChanges()
      #expect(
        table.calls == ["will"] + (limit == 0 ? [] : ["-0.2"]) + ["+0.0", "~0.1=0.2", "did"])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("keep the indexes of rows that are saved, even if their new IDs sort differently")
  func savedRowsOfOtherOrder() throws {
    try SampleStack.withContext { context in
      let coordinator = try #require(context.persistentStoreCoordinator)
      let first = try #require(coordinator.persistentStores.first)
      let second = try coordinator.addPersistentStore(
        ofType: first.type, configurationName: nil, at: StoreScope.current.newURL())
      var players: [NSManagedObject] = []
      for number in 0..<6 {
        let player = context.insert("Player", ["name": "\(number)", "age": 1])
        context.assign(player, to: number % 2 == 0 ? second : first)
        players.append(player)
      }
      let controller = LiveScene.Request().controller(in: context)
      try controller.performFetch()
      let shown = names(controller)
      try context.save()
      #expect(names(controller) == shown)
      let table = RecordingTable(traps: false)
      table.load(controller)
      controller.delegate = table
      let new = context.insert("Player", ["name": "new", "age": 0])
      context.processPendingChanges()
      #expect(table.violations.isEmpty, "\(table.violations)")
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = controller.fetchRequest.sortDescriptors
      #expect(try table.sections[0].rows == context.fetch(request))
      #expect(table.sections[0].rows.first === new)
      for player in players {
        let path = try #require(controller.indexPath(forObject: player))
        #expect(controller.object(at: path) === player)
      }
    }
  }

  @Test("report unsaved updates to a delegate attached later")
  func unsavedUpdates() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2), ("Cem", 3)]) { scene in
      let (ann, bob) = (try scene["Ann"], try scene["Bob"])
      scene.controller.delegate = nil
      ann.setValue("Anna", forKey: "name")
      scene.context.processPendingChanges()
      scene.controller.delegate = scene.table
      #expect(scene.report() == [])
      bob.setValue("Bea", forKey: "name")
      #expect(scene.report() == ["~0.0=0.0", "~0.1=0.1"])
    }
  }

  @Test("report the rollback of an update to a delegate attached later")
  func rolledBack() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2), ("Cem", 3)]) { scene in
      let (ann, cem) = (try scene["Ann"], try scene["Cem"])
      ann.setValue("Anna", forKey: "name")
      #expect(scene.report() == ["~0.0=0.0"])
      scene.controller.delegate = nil
      scene.context.rollback()
      scene.controller.delegate = scene.table
      cem.setValue("Cemal", forKey: "name")
      #expect(scene.report() == ["~0.0=0.0", "~0.2=0.2"])
      // The rolled back update is not reported again.
      cem.setValue("Can", forKey: "name")
      #expect(scene.report() == ["~0.2=0.2"])
    }
  }

  @Test(
    "report objects of the context to a delegate attached after a reset",
    .only(TestedStore.allCases + [.ownAtomic], "an incremental store's rows may have no versions"))
  func reset() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)]) { scene in
      let delegate = ObjectRecorder()
      scene.controller.delegate = nil
      let ids = scene.table.sections[0].rows.map(\.objectID)
      scene.context.object(with: ids[0]).setValue("Anna", forKey: "name")
      try scene.context.save()
      scene.context.reset()
      scene.controller.delegate = delegate
      scene.context.object(with: ids[1]).setValue("Bea", forKey: "name")
      scene.context.processPendingChanges()
      #expect(delegate.objects.map(\.objectID) == ids)
      #expect(delegate.objects.allSatisfy { $0.managedObjectContext === scene.context })
      scene.controller.delegate = nil
    }
  }
}

private final class ObjectRecorder: NSFetchedResultsControllerDelegate {
  var objects: [NSManagedObject] = []

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { if let object = anObject as? NSManagedObject { objects.append(object) } }
}
