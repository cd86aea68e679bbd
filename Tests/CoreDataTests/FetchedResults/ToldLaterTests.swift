import CoreData
import CoreDataTestSupport
import Testing

/// What reaches a delegate or an observer later, partly or only on request.
@Suite("Fetched results that are told")
struct ToldLaterTests {
  private func controller(
    _ context: NSManagedObjectContext, _ sort: String = "age"
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  @Test("leave rows that have no permanent ID out of snapshots, until they are saved")
  func withoutStore() async throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let delegate = Unchecked(SnapshotTaker())
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
      #expect(delegate.value.calls == 1 && delegate.value.snapshot?.numberOfItems == 0)
    }
    #expect(await snapshots.next()?.numberOfItems == 0)
    #expect(await reports.next()?.insertedRows.first?.objectID.isTemporaryID == true)
    let id = try context.performAndWait {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      try context.save()
      #expect(delegate.value.calls == 2 && delegate.value.snapshot?.numberOfItems == 1)
      return try #require(box.value.0.fetchedObjects?.first).objectID
    }
    #expect(!id.isTemporaryID)
    #expect(await snapshots.next()?.itemIdentifiers == [id])
    let report = try #require(await reports.next())
    #expect(report.deletedRows.map(\.objectID.isTemporaryID) == [true])
    #expect(report.insertedRows.map(\.objectID) == [id])
  }

  @Test("tell the delegate what a changed request does when that is asked for")
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
      try controller.performFetch(tellingDelegate: true)
      #expect(table.calls == ["will", "-0.1", "did"])
      controller.fetchRequest.predicate = NSPredicate(format: "age > 2")
      try controller.performFetch()
      #expect(table.calls.count == 3)
      #expect(controller.fetchedObjects?.count == 2)
      #expect(table.faults.isEmpty, "\(table.faults)")
    }
  }

  @Test("do not tell an observer of the move that it shows, and tell all others")
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
}
