import CoreData
import CoreDataTestSupport
import Testing

/// Whether an object is a result is found out once for each change, and holds for that change alone.
@Suite("Results that nobody follows for a while", .onEveryStore)
struct UnfollowedResultsTests {
  @Test(
    "An object that matched meanwhile and does not any more is no row", arguments: [false, true])
  func matchedMeanwhile(inChild: Bool) throws {
    let stack = try SampleStack()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    let context = inChild ? child : stack.context
    try context.performAndWait {
      let first = context.insert("Player", ["number": 1, "name": "first"])
      context.processPendingChanges()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "number == 1")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      var table: RecordingTable? = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table?.load(controller)
      // Either the program says that nobody follows any more, or the delegate ends.
      if inChild { controller.delegate = nil }
      table = nil
      let other = context.insert("Player", ["number": 1, "name": "other"])
      context.processPendingChanges()
      other.setValue(2, forKey: "number")
      context.processPendingChanges()
      let next = RecordingTable(traps: false)
      controller.delegate = next
      first.setValue("first, renamed", forKey: "name")
      context.processPendingChanges()
      next.load(controller)
      other.setValue("other, renamed", forKey: "name")
      context.processPendingChanges()
      #expect(controller.fetchedObjects == [first])
    }
  }
}
