import CoreDataTestSupport
import FixtureSupport
import Testing

@testable import CoreData

/// Batch requests that change more rows than a merge lists one by one. Contexts then compare all of their objects with
/// the store.
@Suite(
  "Batch requests of very many rows",
  .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct ManyRowsTests {
  private static let count = 12_000

  /// Inserts players with the numbers 0 to 11,999, and returns a context that merges automatically.
  private func opened() throws -> (stack: SampleStack, view: NSManagedObjectContext) {
    let stack = try SampleStack()
    try stack.reading {
      _ = try $0.batchInsert("Player", (0..<Self.count).map { ["number": $0, "age": 1] })
    }
    let view = stack.newContext()
    view.automaticallyMergesChangesFromParent = true
    return (stack, view)
  }

  private func request() -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    return request
  }

  @Test("Registered objects are updated with one statement for several hundred of them")
  func objects() throws {
    let (stack, view) = try opened()
    let store = try #require(stack.coordinator.persistentStores.first)
    try view.performAndWait {
      let objects = try view.fetch(request())
      for object in objects.prefix(100) { object["name"] = "unsaved" }
      let before = store.queryCount
      try view.batchUpdate("Player", "number >= 50", ["age": 2])
      #expect(objects.filter { $0["age"] == 2 }.count == Self.count - 50)
      #expect(objects.filter { $0["name"] == "unsaved" }.count == 100)
      #expect(store.queryCount - before < 20)
      view.rollback()
      try view.batchDelete("Player", "number < 11000")
      #expect(objects.filter(\.isDeleted).count == 11_000)
      #expect(objects.filter { $0.managedObjectContext == nil }.isEmpty)
      #expect(store.queryCount - before < 40)
      try view.save()
      #expect(objects.filter { $0.managedObjectContext == nil }.count == 11_000)
      #expect(objects.suffix(1000).allSatisfy { $0["age"] == 2 })
      #expect(store.queryCount - before < 60)
    }
  }

  // The expressions differ in how many rows move, and how many only shift because others move.
  @Test(
    "Live results report each row's change, and match a fetch afterwards",
    arguments: [
      (0, "12000 - number"), (50, "number + 100000 * modulus:by:(number, 6)"),
      (0, "number - 100000 * modulus:by:(number, 9)"),
    ])
  func results(batchSize: Int, _ expression: String) throws {
    // By default, the memory store has the case with batches, and the file has the others.
    let isFile = StoreScope.current.kind == .sqlite
    guard WholeRun.isChosen || isFile == (batchSize == 0) else { return }
    let (stack, view) = try opened()
    let store = try #require(stack.coordinator.persistentStores.first)
    try view.performAndWait {
      let request = request()
      request.fetchBatchSize = batchSize
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: view, sectionNameKeyPath: nil, cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      let before = store.queryCount
      try view.batchUpdate("Player", nil, ["number": NSExpression(format: expression)])
      #expect(table.violations.isEmpty)
      let expected = try stack.reading { try $0.fetch(self.request()).map(\.objectID) }
      #expect(table.sections[0].rows.map(\.objectID) == expected)
      #expect(controller.fetchedObjects?.map(\.objectID) == expected)
      #expect(store.queryCount - before < 300)
      try view.batchDelete("Player", "number != 0")
      #expect(table.violations.isEmpty)
      let count = try view.count(for: NSFetchRequest(entityName: "Player"))
      #expect(table.sections[0].rows.count == count)
      #expect(controller.fetchedObjects?.count == count)
    }
  }

  /// Counts the reported deletions, and reads the first deleted objects, as programs do.
  private final class Counter: NSFetchedResultsControllerDelegate {
    var deleted = 0

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      guard type == .delete, let object = anObject as? NSManagedObject else { return }
      if deleted < 5 { #expect(object["number"] as Int? == nil) }
      if object.isDeleted { deleted += 1 }
    }
  }

  @Test("Reading the reported objects of deleted rows that were not in use changes nothing")
  func unreadRows() throws {
    let (stack, view) = try opened()
    let store = try #require(stack.coordinator.persistentStores.first)
    try view.performAndWait {
      let request = request()
      request.fetchBatchSize = 50
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: view, sectionNameKeyPath: nil, cacheName: nil)
      let counter = Counter()
      controller.delegate = counter
      try controller.performFetch()
      let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: view)
      let before = store.queryCount
      try view.batchDelete("Player", "number < 11000")
      #expect(counter.deleted == 11_000)
      #expect(view.deletedObjects.isEmpty && !view.hasChanges)
      #expect(view.registeredObjects.isEmpty && changed.notifications.isEmpty)
      #expect(store.queryCount - before < 40)
    }
  }

  @Test("Indexes of remaining rows skip the removed ones")
  func places() {
    var random = SeededGenerator("ManyRowsTests")
    for _ in 0..<200 {
      let all = 0..<Int.random(in: 1...60, using: &random)
      let removed = all.filter { _ in Bool.random(using: &random) }
      let remaining = all.filter { !removed.contains($0) }
      let places = SortedPlaces(removed.shuffled(using: &random))
      for (number, place) in remaining.enumerated() {
        #expect(places.place(ofRemaining: number) == place)
        #expect(places.count(before: place) == place - number)
      }
    }
  }
}
