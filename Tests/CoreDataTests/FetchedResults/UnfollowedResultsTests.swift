import CoreData
import CoreDataTestSupport
import Testing

/// A controller evaluates the predicate once for each changed object in a change. It must not reuse the outcome for
/// later changes.
@Suite("Results without a delegate for a while", .onEveryStore)
struct UnfollowedResultsTests {
  @Test(
    "An object that matched only while there was no delegate is not a row",
    arguments: [false, true])
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
      // Either the program removes the delegate, or the delegate is deallocated.
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
