import CoreData
import Testing

/// Records the calls of a controller, each as one word: `+0.1` for an insertion, `-` for a deletion, `~` for an update,
/// and `0.0>0.2` for a move.
private final class CallRecorder: NSObject, NSFetchedResultsControllerDelegate {
  var calls: [String] = []

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    calls.append("will")
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    calls.append("did")
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let (old, new) = (text(of: indexPath), text(of: newIndexPath))
    switch type {
    case .insert: calls.append("+\(new)")
    case .delete: calls.append("-\(old)")
    case .update: calls.append("~\(old)")
    case .move: calls.append("\(old)>\(new)")
    @unknown default: calls.append("?")
    }
  }

  private func text(of path: IndexPath?) -> String {
    path.map { "\($0[0]).\($0[1])" } ?? ""
  }
}

/// The notifications that were posted. All of them are posted on the thread of the test.
private final class PostedLog: @unchecked Sendable {
  var lines: [String] = []
}

@Suite("Live results") struct ResultsOracleTests {
  @Test func `A controller reports an insertion, an update, a move and a deletion`() throws {
    try OracleStack.withContext { context in
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      let bob = context.insert("Player", ["name": "Bob", "age": 3])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let recorder = CallRecorder()
      controller.delegate = recorder
      try controller.performFetch()
      func changes(_ change: () -> Void) -> [String] {
        recorder.calls = []
        change()
        context.processPendingChanges()
        return recorder.calls
      }
      #expect(changes { context.insert("Player", ["age": 2]) } == ["will", "+0.1", "did"])
      #expect(changes { ann.setValue("Anna", forKey: "name") } == ["will", "~0.0", "did"])
      #expect(changes { ann.setValue(9, forKey: "age") } == ["will", "0.0>0.2", "did"])
      #expect(changes { context.delete(bob) } == ["will", "-0.1", "did"])
    }
  }

  @Test func `Sections have the values of the key path as names`() throws {
    try OracleStack.withContext { context in
      for (name, age) in [("Ann", 1), ("Bob", 2), ("Cem", 2)] {
        context.insert("Player", ["name": name, "age": age])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = ["age", "name"].map { NSSortDescriptor(key: $0, ascending: true) }
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "age",
        cacheName: nil)
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["1", "2"])
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
      #expect(controller.sectionIndexTitles == ["1", "2"])
    }
  }

  @Test func `A save posts the inserted objects, and pending changes are posted once`() throws {
    try OracleStack.withContext { context in
      let posted = PostedLog()
      let center = NotificationCenter.default
      let names: [(Notification.Name, String)] = [
        (.NSManagedObjectContextObjectsDidChange, "changed"),
        (.NSManagedObjectContextDidSave, "saved"),
      ]
      let tokens = names.map { name, word in
        center.addObserver(forName: name, object: context, queue: nil) { notification in
          let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
          posted.lines.append("\(word) \(inserted?.count ?? 0)")
        }
      }
      defer { tokens.forEach { center.removeObserver($0) } }
      context.insert("Player", ["name": "Ann"])
      context.processPendingChanges()
      context.processPendingChanges()
      #expect(posted.lines == ["changed 1"])
      try context.save()
      #expect(posted.lines == ["changed 1", "saved 1"])
    }
  }
}
