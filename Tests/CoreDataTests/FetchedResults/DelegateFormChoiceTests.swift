import CoreData
import Testing

/// The precedence of the forms that a delegate implements. A form that it does not implement costs nothing.
///
/// Sources: see `DelegateFormTests`. That a subclass cannot add a form is a difference from Apple's Core Data (see
/// ResultsDifferences.md).
@Suite("The form of the reports to a delegate of fetched results", .onEveryStore)
struct DelegateFormChoiceTests {
  /// Notifies a delegate of a fetch, of a change with a deletion, an insertion and an update, and of a save.
  private func change(
    _ delegate: any NSFetchedResultsControllerDelegate, section: String?
  ) throws {
    try SampleStack.withContext { context in
      let players = [("Ann", 1), ("Bob", 2), ("Cem", 2)].map {
        context.insert("Player", ["name": $0.0, "age": $0.1])
      }
      try context.save()
      let request = LiveScene.Request(sort: ["age", "name"], section: section)
      let controller = request.controller(in: context)
      controller.delegate = delegate
      try controller.performFetch()
      context.delete(players[0])
      context.insert("Player", ["name": "Dan", "age": 3])
      players[1].setValue("Bo", forKey: "name")
      context.processPendingChanges()
      try context.save()
      let names = controller.fetchedObjects?.map { $0.value(forKey: "name") as? String }
      #expect(names == ["Bo", "Cem", "Dan"])
    }
  }

  @Test("is differences alone, if the delegate implements them and there are no sections")
  func differencesAlone() throws {
    let delegate = DifferencesAndRest()
    try change(delegate, section: nil)
    #expect(delegate.calls == ["difference"])
  }

  @Test("is sections and rows, if the delegate implements differences and there are sections")
  func sectionsInstead() throws {
    let delegate = DifferencesAndRest()
    try change(delegate, section: "age")
    #expect(
      delegate.calls == [
        "will", "section delete", "section insert", "row delete", "row insert", "row update", "did",
      ])
  }

  @Test(
    "is snapshots alone, if the delegate implements them, whatever else it implements",
    arguments: [nil, "age"])
  func snapshotsAlone(_ section: String?) throws {
    let delegate = EveryForm()
    try change(delegate, section: section)
    // The fetch reports the first snapshot.
    #expect(delegate.calls == ["snapshot", "snapshot"])
  }

  @Test(
    "is never a form that only a subclass adds, but overrides in a subclass are called",
    arguments: [nil, "age"])
  func addedForms(_ section: String?) throws {
    let delegate = AddedForms()
    try change(delegate, section: section)
    #expect(delegate.calls == ["overridden", "did"])
  }

  /// If the controller made snapshots or differences, it would obtain permanent IDs for new rows.
  @Test(
    "avoids the cost of other forms: with sections and rows, new objects keep their temporary IDs",
    arguments: [nil, "age"])
  func temporaryIDs(_ section: String?) throws {
    try SampleStack.withContext { context in
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      let controller = LiveScene.Request(section: section).controller(in: context)
      let delegate = RowRecorder()
      controller.delegate = delegate
      try controller.performFetch()
      // The first report finds out which forms the class does not implement.
      ann.setValue("Anna", forKey: "name")
      context.processPendingChanges()
      let bob = context.insert("Player", ["name": "Bob", "age": 2])
      context.processPendingChanges()
      #expect(delegate.rows == ["update", "insert"])
      #expect(bob.objectID.isTemporaryID)
      let place = section == nil ? IndexPath(row: 1, section: 0) : IndexPath(row: 0, section: 1)
      #expect(controller.indexPath(forObject: bob) == place)
      try context.save()
      #expect(!bob.objectID.isTemporaryID)
      #expect(controller.indexPath(forObject: bob) == place)
      #expect(delegate.rows.count == 2)
    }
  }
}

/// Records the calls in the form of sections and rows. Delegates with other forms are subclasses.
private class SectionsAndRows {
  var calls: [String] = []

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { calls.append("will") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { calls.append("section \(type)") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { calls.append("row \(type)") }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { calls.append("did") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    calls.append("title")
    return nil
  }
}

private final class DifferencesAndRest: SectionsAndRows, NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { calls.append("difference") }
}

private final class EveryForm: SectionsAndRows, NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { calls.append("snapshot") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { calls.append("difference") }
}

private class EndRecorder: NSFetchedResultsControllerDelegate {
  var calls: [String] = []

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { calls.append("did") }
}

/// Implements all forms, but not in the class that conforms to the protocol.
private final class AddedForms: EndRecorder {
  override func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    calls.append("overridden")
    super.controllerDidChangeContent(controller)
  }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { calls.append("will") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { calls.append("section \(type)") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { calls.append("row \(type)") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { calls.append("snapshot") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { calls.append("difference") }
}

private final class RowRecorder: NSFetchedResultsControllerDelegate {
  var rows: [String] = []

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { rows.append("\(type)") }
}
