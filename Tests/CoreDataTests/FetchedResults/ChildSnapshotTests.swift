import CoreData
import Testing

/// A snapshot never contains temporary IDs, not even of objects that only a parent context has.
@Suite("Snapshots of fetched results in a child context", .onEveryStore)
struct ChildSnapshotTests {
  private typealias Snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>

  private final class Delegate: NSFetchedResultsControllerDelegate {
    var snapshots: [Snapshot] = []

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
      snapshots.append(Snapshot(snapshot))
    }
  }

  private func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }

  private func controller(
    _ context: NSManagedObjectContext, batchSize: Int
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    request.fetchBatchSize = batchSize
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
  }

  private func ids(_ controller: NSFetchedResultsController<NSManagedObject>) -> [NSManagedObjectID]
  {
    (controller.fetchedObjects ?? []).map(\.objectID)
  }

  @Test("contain permanent IDs of all rows, starting with the first snapshot", arguments: [0, 2])
  func unsavedAbove(batchSize: Int) throws {
    let stack = try SampleStack()
    let parent = stack.context
    try parent.performAndWait {
      parent.insert("Player", ["age": 2])
      try parent.save()
      parent.insert("Player", ["age": 1])
      parent.insert("Player", ["age": 3])
    }
    // A grandchild, whose parent has not fetched the objects.
    let child = child(of: child(of: parent))
    let delegate = Delegate()
    let (first, second, rows) = try child.performAndWait {
      let controller = controller(child, batchSize: batchSize)
      controller.delegate = delegate
      try controller.performFetch()
      let first = ids(controller)
      child.insert("Player", ["age": 0])
      child.processPendingChanges()
      return (
        first, ids(controller), controller.fetchedObjects?.map { $0.value(forKey: "age") as? Int }
      )
    }
    #expect(rows == [0, 1, 2, 3])
    #expect(delegate.snapshots.map(\.itemIdentifiers) == [first, second])
    #expect(first.count == 3 && second.count == 4)
    #expect((first + second).allSatisfy { !$0.isTemporaryID })
    // The objects of the parent have the same IDs once they are saved.
    try parent.performAndWait { try parent.save() }
    let saved = try parent.performAndWait {
      try parent.all("Player", sort: ["age"]).map(\.objectID)
    }
    #expect(saved == first)
  }
}
