import CoreData
import CoreDataTestSupport
import Testing

/// A context reports a deletion once, however it learns of it: by deleting, by a merge, or by firing a fault whose row
/// was deleted (Apple's page "shouldDeleteInaccessibleFaults").
@Suite("Deletions are reported once", .onEveryStore)
struct DeletionReportTests {
  enum Way: CaseIterable { case delete, merge, mergeRemotely, read, process, rollback, refresh }

  @Test(
    "in whatever order a context deletes an object, merges its deletion and reads it",
    arguments: [
      [Way.merge, .read], [.merge, .read, .merge], [.read, .merge], [.read, .mergeRemotely, .read],
      [.delete, .merge], [.delete, .process, .merge, .read], [.delete, .process, .read],
      [.merge, .mergeRemotely, .read], [.read, .refresh, .read], [.merge, .refresh, .read, .merge],
      [.merge, .rollback, .read, .merge], [.read, .process, .rollback, .merge, .read],
    ])
  func once(_ ways: [Way]) throws {
    for isShown in [false, true] { try once(ways, isShown: isShown) }
  }

  /// - Parameter isShown: Whether a controller shows the object, which then has its values. Otherwise the object is a
  ///   fault.
  private func once(_ ways: [Way], isShown: Bool) throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let (id, bob) = try {
        let ann = context.insert("Player", ["name": "Ann"])
        let bob = context.insert("Player", ["name": "Bob"])
        try context.save()
        return (ann.objectID, bob)
      }()
      context.reset()
      _ = bob
      let ann = context.object(with: id)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.returnsObjectsAsFaults = true
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      if isShown {
        try controller.performFetch()
        table.load(controller)
      }
      context.refreshAllObjects()
      context.processPendingChanges()
      table.clear()
      let changes = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        other.delete(try other.existingObject(with: id))
        try other.save()
      }
      for way in ways {
        switch way {
        case .delete: context.delete(ann)
        case .merge:
          context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
        case .mergeRemotely:
          NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: [id]], into: [context])
        case .read:
          let name = ann["name"] as String?
          #expect(isShown || name == nil)
        case .process: context.processPendingChanges()
        case .rollback: context.rollback()
        case .refresh: context.refreshAllObjects()
        }
      }
      context.processPendingChanges()
      let deletions = changes.notifications.filter {
        ($0.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.contains(ann) == true
      }
      #expect(deletions.count == 1)
      if isShown {
        #expect(table.violations.isEmpty && table.sections.flatMap(\.rows).count == 1)
        #expect(controller.fetchedObjects?.count == 1)
      }
      try context.save()
      #expect(!context.hasChanges && context.deletedObjects.isEmpty)
    }
  }

  @Test("an inaccessible fault that is not deleted is reported by the merge of its deletion")
  func kept() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    context.shouldDeleteInaccessibleFaults = false
    try context.performAndWait {
      let id = try {
        let ann = context.insert("Player", ["name": "Ann"])
        try context.save()
        return ann.objectID
      }()
      context.reset()
      let ann = context.object(with: id)
      let changes = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        other.delete(try other.existingObject(with: id))
        try other.save()
      }
      #expect(ann["name"] as String? == nil && !ann.isDeleted)
      for _ in 0..<2 {
        context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      }
      #expect(ann["name"] as String? == nil && ann.isDeleted)
      context.processPendingChanges()
      let deletions = changes.notifications.filter { $0.userInfo?[NSDeletedObjectsKey] != nil }
      #expect(deletions.count == 1)
    }
  }
}
