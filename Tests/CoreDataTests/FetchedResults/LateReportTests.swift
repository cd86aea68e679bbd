import CoreData
import CoreDataTestSupport
import Testing

/// Reports that reach a delegate or an observer late, in part or only on request.
@Suite("Late and partial reports of fetched results")
struct LateReportTests {
  private func controller(
    _ context: NSManagedObjectContext, _ sort: String = "age"
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  @Test("omit rows without permanent IDs from snapshots until they are saved")
  func withoutStore() async throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let delegate = Unchecked(SnapshotRecorder())
    let box = try context.performAndWait {
      let controller = controller(context)
      controller.delegate = delegate.value
      try controller.performFetch()
      return Unchecked((controller, controller.snapshots, controller.reports))
    }
    let snapshots = box.value.1.makeAsyncIterator()
    let reports = box.value.2.makeAsyncIterator()
    #expect(await snapshots.next()?.numberOfItems == 0)
    context.performAndWait {
      context.insert("Player", ["age": 1])
      context.processPendingChanges()
      // The fetch reported the first snapshot.
      #expect(delegate.value.calls == 2 && delegate.value.snapshot?.numberOfItems == 0)
    }
    #expect(await snapshots.next()?.numberOfItems == 0)
    #expect(await reports.next()?.insertedRows.first?.objectID.isTemporaryID == true)
    let id = try context.performAndWait {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      try context.save()
      #expect(delegate.value.calls == 3 && delegate.value.snapshot?.numberOfItems == 1)
      return try #require(box.value.0.fetchedObjects?.first).objectID
    }
    #expect(!id.isTemporaryID)
    #expect(await snapshots.next()?.itemIdentifiers == [id])
    let report = try #require(await reports.next())
    #expect(report.deletedRows.map(\.objectID.isTemporaryID) == [true])
    #expect(report.insertedRows.map(\.objectID) == [id])
  }

  @Test("report the result of a changed request only if the fetch is to notify the delegate")
  func refetch() throws {
    try SampleStack.withContext { context in
      for age in 1...4 { context.insert("Player", ["age": age]) }
      try context.save()
      let controller = controller(context)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      controller.fetchRequest.predicate = NSPredicate(format: "age != 2")
      try controller.performFetch(notifyingDelegate: true)
      #expect(table.calls == ["will", "-0.1", "did"])
      controller.fetchRequest.predicate = NSPredicate(format: "age > 2")
      try controller.performFetch()
      #expect(table.calls.count == 3)
      #expect(controller.fetchedObjects?.count == 2)
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("skip the observer that made a move, and reach all others")
  func shownMove() throws {
    try SampleStack.withContext { context in
      for number in 0..<4 { context.insert("Player", ["number": number * 10]) }
      try context.save()
      let controller = controller(context, "number")
      try controller.performFetch()
      let reports = Unchecked<[String]>([])
      let dragging = controller.addObserver { _ in reports.value.append("dragging") }
      let other = controller.addObserver { reports.value.append("\($0.movedRows.count)") }
      try controller.moveObject(
        from: IndexPath(row: 0, section: 0), to: IndexPath(row: 2, section: 0), shownBy: dragging)
      #expect(reports.value == ["1"])
      withExtendedLifetime(other) {}
    }
  }

  /// Adds an observer and readers to the controller during its first report.
  private final class Host: NSFetchedResultsControllerDelegate {
    var observation: FetchedResultsObservation?
    var snapshots: FetchedResultsSnapshots?
    var reports: FetchedResultsReports?
    var received: [FetchedResultsReport] = []

    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      guard observation == nil else { return }
      observation = controller.addObserver { [unowned self] in received.append($0) }
      snapshots = controller.snapshots
      reports = controller.reports
    }
  }

  @Test("start with the next change for observers added during a report")
  func joining() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let host = Unchecked(Host())
    let controller = try context.performAndWait {
      let made = self.controller(context)
      made.delegate = host.value
      try made.performFetch()
      // This observer receives the report that the new observers must not receive.
      let first = made.addObserver { _ in }
      context.insert("Player", ["age": 1])
      context.processPendingChanges()
      withExtendedLifetime(first) {}
      return Unchecked(made)
    }
    let snapshots = try #require(host.value.snapshots).makeAsyncIterator()
    #expect(await snapshots.next()?.numberOfItems == 1)
    context.performAndWait {
      #expect(host.value.received.isEmpty)
      context.insert("Player", ["age": 2])
      context.processPendingChanges()
      #expect(host.value.received.map { $0.insertedRows.map(\.indexPath.row) } == [[1]])
    }
    #expect(await snapshots.next()?.numberOfItems == 2)
    let report = await host.value.reports?.makeAsyncIterator().next()
    #expect(report?.insertedRows.count == 1)
    withExtendedLifetime(controller) {}
  }

  @Test(
    "include unsaved changes that no earlier report contained, when the controller fetches again",
    arguments: [0, 2])
  func missedChanges(batchSize: Int) throws {
    try SampleStack.withContext { context in
      let players = (1...4).map { context.insert("Player", ["age": $0]) }
      try context.save()
      let controller = controller(context)
      controller.fetchRequest.fetchBatchSize = batchSize
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      controller.delegate = nil
      players[1].setValue("Ann", forKey: "name")
      context.processPendingChanges()
      players[2].setValue("Bob", forKey: "name")
      controller.delegate = table
      try controller.performFetch(notifyingDelegate: true)
      #expect(table.calls == ["will", "~0.1=0.1", "~0.2=0.2", "did"])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test(
    "keep a parent's new rows in its child when the parent saves them", arguments: [0, 2])
  func savedByParent(batchSize: Int) throws {
    let stack = try SampleStack()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    stack.context.performAndWait {
      for age in 1...4 { stack.context.insert("Player", ["age": age]) }
      stack.context.processPendingChanges()
    }
    let table = RecordingTable(traps: false)
    func fetched(_ sort: String) throws -> NSFetchedResultsController<NSManagedObject> {
      let made = controller(child, sort)
      made.fetchRequest.fetchBatchSize = batchSize
      try made.performFetch()
      return made
    }
    let (followed, left) = try child.performAndWait {
      let followed = try fetched("age")
      followed.delegate = table
      try followed.performFetch()
      table.load(followed)
      return (followed, try fetched("age"))
    }
    try stack.context.performAndWait { try stack.context.save() }
    try child.performAndWait {
      for controller in [followed, left] {
        let objects = try #require(controller.fetchedObjects)
        #expect(objects.map { $0.objectID.isTemporaryID } == [false, false, false, false])
        #expect(objects.map { $0.value(forKey: "age") as? Int } == [1, 2, 3, 4])
        for (row, object) in objects.enumerated() {
          #expect(controller.indexPath(forObject: object) == IndexPath(row: row, section: 0))
        }
      }
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }
}
