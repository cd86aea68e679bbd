import CoreData
import CoreDataTestSupport
import Testing

/// Source: NSManagedObjectContext.h, `mergeChangesFromContextDidSaveNotification`: it deletes an object only "if an
/// object is registered".
@Suite("Another context's deletions", .onEveryStore)
struct UnseenDeletionTests {
  private func controller(
    of entity: String, _ context: NSManagedObjectContext, key: String
  ) throws -> (NSFetchedResultsController<NSManagedObject>, RecordingTable) {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let table = RecordingTable(traps: false)
    controller.delegate = table
    try controller.performFetch()
    table.load(controller)
    return (controller, table)
  }

  /// Registers a tag in a context, and deletes 100 players in another context. The first context has registered only
  /// the players that `prepare` fetched.
  private func withDeletion(
    in stack: SampleStack? = nil, _ prepare: (NSManagedObjectContext) throws -> Void = { _ in },
    _ check: (NSManagedObjectContext, Recorder, NSManagedObject) throws -> Void
  ) throws {
    let stack = try stack ?? SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    context.automaticallyMergesChangesFromParent = true
    try other.performAndWait {
      for number in 0..<100 { other.insert("Player", ["name": "p\(number)"]) }
      try other.save()
    }
    // This block runs after the merge of the insertions.
    let tag = try context.performAndWait {
      let tag = context.insert("Tag", ["label": "x"])
      try context.save()
      context.processPendingChanges()
      try prepare(context)
      return tag
    }
    let recorder = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
    try other.performAndWait {
      for player in try other.all("Player") { other.delete(player) }
      try other.save()
    }
    // Waits for the merge of the deletions.
    context.performAndWait {}
    try context.performAndWait { try check(context, recorder, tag) }
  }

  @Test("change nothing if no deleted object is registered, and other controllers report nothing")
  func noChange() throws {
    nonisolated(unsafe) var live: (NSFetchedResultsController<NSManagedObject>, RecordingTable)?
    for retains in [false, true] {
      try withDeletion({ context in
        live = try controller(of: "Tag", context, key: "label")
        context.retainsRegisteredObjects = retains
      }) { context, recorder, tag in
        #expect(context.deletedObjects.isEmpty && !context.hasChanges)
        #expect(context.registeredObjects == [tag])
        #expect(recorder.notifications.isEmpty)
        #expect(live?.0.fetchedObjects == [tag] && live?.1.calls == [])
      }
    }
  }

  /// Counts the reported deletions, and reads the deleted objects, as programs do.
  private final class Counter: NSFetchedResultsControllerDelegate {
    var deleted = 0

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      guard type == .delete, let object = anObject as? NSManagedObject else { return }
      #expect(object.isDeleted && object["name"] as String? == nil)
      deleted += 1
    }
  }

  @Test("are reported by a controller that has the rows by their IDs, and change nothing else")
  func shownByID() throws {
    nonisolated(unsafe) let counter = Counter()
    nonisolated(unsafe) var live: NSFetchedResultsController<NSManagedObject>?
    try withDeletion({ context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.fetchBatchSize = 5
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      controller.delegate = counter
      try controller.performFetch()
      #expect(controller.sections?.first?.numberOfObjects == 100)
      live = controller
    }) { context, recorder, tag in
      #expect(counter.deleted == 100 && live?.sections?.first?.numberOfObjects == 0)
      #expect(context.deletedObjects.isEmpty && !context.hasChanges)
      #expect(context.registeredObjects == [tag])
      #expect(recorder.notifications.isEmpty)
    }
  }

  @Test("delete only objects that are registered")
  func inUse() throws {
    nonisolated(unsafe) var held: [NSManagedObject] = []
    nonisolated(unsafe) var live: (NSFetchedResultsController<NSManagedObject>, RecordingTable)?
    try withDeletion({ context in
      held = try context.all("Player", "name BEGINSWITH 'p1'")
      live = try controller(of: "Tag", context, key: "label")
    }) { context, recorder, tag in
      #expect(held.count == 11 && context.deletedObjects == Set(held))
      #expect(context.registeredObjects == Set(held + [tag]))
      let deleted = recorder.notifications.compactMap {
        $0.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>
      }
      #expect(deleted == [Set(held)])
      try context.save()
      #expect(!context.hasChanges && context.registeredObjects == [tag])
      _ = live
    }
  }

  @Test("remove rows of a controller that depend on the deleted rows")
  func dependents() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    context.automaticallyMergesChangesFromParent = true
    let id = try other.performAndWait {
      let team = other.insert("Team", ["name": "Red"])
      other.insert("Player", ["name": "Ann", "team": team])
      try other.save()
      return team.objectID
    }
    let live = try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "team.name == 'Red'")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.fetchBatchSize = 5
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      #expect(controller.fetchedObjects?.count == 1)
      return (controller, table)
    }
    try other.performAndWait {
      other.delete(try other.existingObject(with: id))
      try other.save()
    }
    context.performAndWait {}
    context.performAndWait {
      #expect(live.0.fetchedObjects == [] && live.1.violations.isEmpty)
      #expect(context.deletedObjects.isEmpty && !context.hasChanges)
    }
  }

  /// Reads the names of the objects that a controller reports as deleted, with "-" for nil.
  private final class NameReader: NSFetchedResultsControllerDelegate {
    var names: [String] = []
    /// The reported objects, which a program may keep.
    var kept: [NSManagedObject] = []

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      guard type == .delete, let object = anObject as? NSManagedObject else { return }
      #expect(object.managedObjectContext === controller.managedObjectContext)
      names.append(object["name"] ?? "-")
      kept.append(object)
    }
  }

  @Test(
    "change nothing if a new fetch finds them, and rows that left the results otherwise have objects",
    .only(
      TestedStore.everyKind.filter { $0 != .ownIncremental },
      "a store that reads row by row is not queried"))
  func fetchedAgain() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    let ids = try other.performAndWait {
      let players = ["Ann", "Bob", "Cyd"].map { other.insert("Player", ["name": $0, "age": 1]) }
      try other.save()
      return players.map(\.objectID)
    }
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "age == 1")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.fetchBatchSize = 2
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let reader = NameReader()
      controller.delegate = reader
      try controller.performFetch()
      try other.performAndWait {
        other.delete(try other.existingObject(with: ids[0]))
        other.object(with: ids[1]).setValue(2, forKey: "age")
        try other.save()
      }
      try controller.performFetch(notifyingDelegate: true)
      #expect(reader.names.sorted() == ["-", "Bob"])
      #expect(context.deletedObjects.isEmpty && !context.hasChanges)
      let inUse = reader.kept.filter { $0.managedObjectContext != nil }
      #expect(inUse.map { $0["name"] } == ["Bob"])
      #expect(reader.kept.contains { $0.isDeleted && $0["name"] as String? == nil })
    }
  }

  @Test("release objects that the context retains, when the context is saved")
  func kept() throws {
    nonisolated(unsafe) weak var held: NSManagedObject?
    let stack = try SampleStack()
    try withDeletion(
      in: stack,
      { context in
        context.retainsRegisteredObjects = true
        held = try context.all("Player", "name == 'p1'")[0]
      }
    ) { context, _, _ in
      #expect(held?.isDeleted == true)
      try context.save()
      #expect(context.registeredObjects.allSatisfy { $0.entity.name == "Tag" })
    }
    // The context still exists, so the object was not released with it.
    withExtendedLifetime(stack) { #expect(held == nil) }
  }
}
