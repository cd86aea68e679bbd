import CoreData
import Testing

/// Which form of a delegate goes before the others, and that one which it does not have costs nothing.
///
/// Sources: those of `DelegateFormTests`. That a derived class adds none is a difference from Apple's, which
/// DifferencesFromApple.md names.
@Suite("The form in which a delegate of fetched results is told", .onEveryStore)
struct DelegateFormChoiceTests {
  /// Tells a delegate of a fetch, of a change with a deletion, an insertion and an update, and of a save.
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

  @Test("is differences alone, where it takes them and there are no sections")
  func differencesAlone() throws {
    let delegate = DifferencesAndRest()
    try change(delegate, section: nil)
    #expect(delegate.calls == ["difference"])
  }

  @Test("is sections and rows, where it takes differences and there are sections")
  func sectionsInstead() throws {
    let delegate = DifferencesAndRest()
    try change(delegate, section: "age")
    #expect(
      delegate.calls == [
        "will", "section delete", "section insert", "row delete", "row insert", "row update", "did",
      ])
  }

  @Test("is snapshots alone, where it takes them, whatever else it takes", arguments: [nil, "age"])
  func snapshotsAlone(_ section: String?) throws {
    let delegate = EveryForm()
    try change(delegate, section: section)
    // The fetch gives the first one.
    #expect(delegate.calls == ["snapshot", "snapshot"])
  }

  @Test("is none that a derived class adds; what it overrides is called", arguments: [nil, "age"])
  func addedForms(_ section: String?) throws {
    let delegate = AddedForms()
    try change(delegate, section: section)
    #expect(delegate.calls == ["overridden", "did"])
  }

  /// For snapshots and differences new rows would get their permanent IDs.
  @Test(
    "costs nothing that it does not have: new rows keep their temporary IDs where it is rows",
    arguments: [nil, "age"])
  func temporaryIDs(_ section: String?) throws {
    try SampleStack.withContext { context in
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      let controller = LiveScene.Request(section: section).controller(in: context)
      let delegate = RowTaker()
      controller.delegate = delegate
      try controller.performFetch()
      // What the class does not have is found out with the first report.
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

/// Notes what it is told in the form of sections and rows; classes with other forms derive from it.
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

private class EndTaker: NSFetchedResultsControllerDelegate {
  var calls: [String] = []

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { calls.append("did") }
}

/// Has all forms, but not where its class states that it conforms.
private final class AddedForms: EndTaker {
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

private final class RowTaker: NSFetchedResultsControllerDelegate {
  var rows: [String] = []

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { rows.append("\(type)") }
}
