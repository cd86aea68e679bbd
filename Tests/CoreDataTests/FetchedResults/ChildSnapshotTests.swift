import CoreData
import Testing

/// The contract's "object IDs, …, never a temporary ID", of objects that a context's parents have and no store.
@Suite("Snapshots of fetched results in a child context", .onEveryStore)
struct ChildSnapshotTests {
  private typealias Snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>

  private final class Taker: NSFetchedResultsControllerDelegate {
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

  @Test("have all rows, by permanent IDs, from the first one on", arguments: [0, 2])
  func unsavedAbove(batchSize: Int) throws {
    let stack = try SampleStack()
    let parent = stack.context
    try parent.performAndWait {
      parent.insert("Player", ["age": 2])
      try parent.save()
      parent.insert("Player", ["age": 1])
      parent.insert("Player", ["age": 3])
    }
    // A grandchild, whose parent has not even seen them.
    let child = child(of: child(of: parent))
    let taker = Taker()
    let (first, second, rows) = try child.performAndWait {
      let controller = controller(child, batchSize: batchSize)
      controller.delegate = taker
      try controller.performFetch()
      let first = ids(controller)
      child.insert("Player", ["age": 0])
      child.processPendingChanges()
      return (
        first, ids(controller), controller.fetchedObjects?.map { $0.value(forKey: "age") as? Int }
      )
    }
    #expect(rows == [0, 1, 2, 3])
    #expect(taker.snapshots.map(\.itemIdentifiers) == [first, second])
    #expect(first.count == 3 && second.count == 4)
    #expect((first + second).allSatisfy { !$0.isTemporaryID })
    // They are the parent's objects' IDs, which these have once they are saved.
    try parent.performAndWait { try parent.save() }
    let saved = try parent.performAndWait {
      try parent.all("Player", sort: ["age"]).map(\.objectID)
    }
    #expect(saved == first)
  }
}
