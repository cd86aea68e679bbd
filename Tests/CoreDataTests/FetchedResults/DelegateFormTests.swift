import CoreData
import CoreDataTestSupport
import Testing

/// The calls that a delegate receives for changes and for section index titles.
///
/// Source: Apple's reference for NSFetchedResultsControllerDelegate. It says of both forms of
/// `controller(_:didChangeContentWith:)`: "If this method is implemented, no other delegate methods are invoked". The
/// form with a difference is called "only if the controller's sectionNameKeyPath property is nil" and the form with a
/// snapshot is not implemented. The snapshot contains updated rows as reloaded: Apple Developer Forums, thread 692357.
@Suite("A delegate of fetched results", .onEveryStore)
struct DelegateFormTests {
  typealias Controller = NSFetchedResultsController<any NSFetchRequestResult>

  private func run(
    section: String? = nil, batch: Int = 0, limit: Int = 0,
    _ body: (
      NSManagedObjectContext, [NSManagedObject], NSFetchedResultsController<NSManagedObject>
    ) throws -> Void
  ) throws {
    try SampleStack.withContext { context in
      let players = [("Ann", 1), ("Bob", 2), ("Cem", 2)].map {
        context.insert("Player", ["name": $0.0, "age": $0.1])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = ["age", "name"].map { NSSortDescriptor(key: $0, ascending: true) }
      request.fetchBatchSize = batch
      request.fetchLimit = limit
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
        cacheName: nil)
      try controller.performFetch()
      try body(context, players, controller)
    }
  }

  @Test(
    "that implements snapshots receives sections by name and rows by permanent ID, and nothing else"
  )
  func snapshots() throws {
    try run(section: "age") { context, players, controller in
      let delegate = SnapshotRecorder()
      controller.delegate = delegate
      let new = context.insert("Player", ["name": "Dan", "age": 3])
      players[0].setValue(2, forKey: "age")
      players[1].setValue("Bo", forKey: "name")
      context.processPendingChanges()
      #expect(delegate.calls == 1)
      let snapshot = try #require(delegate.snapshot)
      #expect(snapshot.sectionIdentifiers == ["2", "3"])
      #expect(snapshot.itemIdentifiers(inSection: "2") == players.map(\.objectID))
      #expect(snapshot.itemIdentifiers(inSection: "3") == [new.objectID])
      #expect(!new.objectID.isTemporaryID)
      #expect(Set(snapshot.reloadedItemIdentifiers) == [players[0].objectID, players[1].objectID])
      try context.save()
      #expect(delegate.calls == 1)
      context.reset()
      #expect(delegate.snapshot?.numberOfItems == 0 && delegate.snapshot?.numberOfSections == 0)
    }
  }

  @Test("that implements snapshots receives one after each fetch, as in Apple's Core Data")
  func fetchedSnapshots() throws {
    try run { context, players, controller in
      let delegate = SnapshotRecorder()
      let other = NSFetchedResultsController(
        fetchRequest: controller.fetchRequest, managedObjectContext: context,
        sectionNameKeyPath: nil, cacheName: nil)
      other.delegate = delegate
      try other.performFetch()
      #expect(delegate.calls == 1)
      #expect(delegate.snapshot?.itemIdentifiers == players.map(\.objectID))
      other.fetchRequest.predicate = NSPredicate(format: "age == 1")
      try other.performFetch()
      #expect(delegate.calls == 2)
      #expect(delegate.snapshot?.itemIdentifiers == [players[0].objectID])
    }
  }

  @Test("receives permanent IDs from a controller of IDs, even if the request changes")
  func permanentRows() throws {
    try run { context, _, _ in
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
      request.resultType = .managedObjectIDResultType
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = CoreDataTestSupport.RecordingTable<NSManagedObjectID>(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      for name in ["a", "b", "c"] {
        context.insert("Player", ["name": name])
        context.processPendingChanges()
        try context.save()
      }
      #expect(table.violations.isEmpty && table.sections[0].rows == controller.fetchedObjects)
      request.resultType = .managedObjectResultType
      #expect(controller.fetchedObjects == table.sections[0].rows)
    }
  }

  @Test(
    "that implements snapshots receives one section without a name if there is no section key path",
    arguments: [0, 2])
  func oneSection(_ limit: Int) throws {
    try run(limit: limit) { context, players, controller in
      let delegate = SnapshotRecorder()
      controller.delegate = delegate
      let new = context.insert("Player", ["name": "Dan", "age": 0])
      context.processPendingChanges()
      var ids = [new.objectID] + players.map(\.objectID)
      if limit > 0 { ids = Array(ids.prefix(limit)) }
      #expect(delegate.snapshot?.sectionIdentifiers == [""])
      #expect(delegate.snapshot?.itemIdentifiers(inSection: "") == ids)
      #expect(delegate.snapshot?.reloadedItemIdentifiers == [])
      for object in [new] + players { context.delete(object) }
      context.processPendingChanges()
      // The section exists as long as the results do.
      #expect(delegate.snapshot?.sectionIdentifiers == [""])
      #expect(delegate.snapshot?.numberOfItems == 0)
      #expect(delegate.calls == 2)
    }
  }

  @Test("that implements snapshots receives a row that moves in its section as reloaded")
  func movedInSection() throws {
    try run(section: "age") { context, players, controller in
      let delegate = SnapshotRecorder()
      controller.delegate = delegate
      players[1].setValue("Zoe", forKey: "name")
      context.processPendingChanges()
      #expect(delegate.calls == 1)
      #expect(delegate.snapshot?.sectionIdentifiers == ["1", "2"])
      #expect(
        delegate.snapshot?.itemIdentifiers(inSection: "2")
          == [players[2].objectID, players[1].objectID])
      // Either of the two rows may be the moved one.
      #expect(delegate.snapshot?.reloadedItemIdentifiers.contains(players[1].objectID) == true)
      #expect(delegate.snapshot?.reloadedItemIdentifiers.contains(players[0].objectID) == false)
    }
  }

  @Test(
    "that implements differences receives the difference between old and new IDs, if there are no sections"
  )
  func differences() throws {
    try run { context, players, controller in
      let delegate = DifferenceRecorder()
      controller.delegate = delegate
      var ids = players.map(\.objectID)
      context.insert("Player", ["name": "Dan", "age": 0])
      players[0].setValue(9, forKey: "age")
      context.delete(players[1])
      players[2].setValue("Cemal", forKey: "name")
      context.processPendingChanges()
      let difference = try #require(delegate.differences.first)
      ids = try #require(ids.applying(difference))
      #expect(ids == controller.fetchedObjects?.map(\.objectID))
      #expect(ids.allSatisfy { !$0.isTemporaryID })
      let moves = difference.filter {
        if case .insert(_, _, let old) = $0 { old != nil } else { false }
      }
      #expect(moves.count == 2)
      try context.save()
      #expect(delegate.differences.count == 1)
    }
    try run(section: "age") { context, players, controller in
      let delegate = DifferenceRecorder()
      controller.delegate = delegate
      context.delete(players[0])
      context.processPendingChanges()
      #expect(delegate.differences.isEmpty)
      #expect(delegate.calls == 1)
    }
  }

  @Test(
    "that implements only the end of reports receives it, and no objects are made for the report")
  func someMethods() throws {
    try run(section: "age", batch: 2) { context, players, controller in
      let delegate = EndRecorder()
      controller.delegate = delegate
      context.insert("Player", ["name": "Dan", "age": 3])
      context.delete(players[0])
      context.processPendingChanges()
      #expect(delegate.ends == 1)
      // The first report found that the class has no method for rows, so no objects are made for it.
      context.reset()
      #expect(delegate.ends == 2)
      #expect(context.registeredObjects.isEmpty)
    }
  }

  @Test(
    "that does not implement changes of rows causes no objects to be made",
    .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"),
    arguments: [(0, 2), (3, 0), (3, 2)])
  func nothingMade(_ limit: Int, _ batch: Int) throws {
    let stack = try SampleStack()
    func rows(_ ages: Range<Int>) -> [[String: Any]] { ages.map { ["name": "p", "age": $0] } }
    try stack.reading { _ = try $0.batchInsert("Player", rows(5_000..<5_020)) }
    let context = stack.newContext()
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      request.fetchLimit = limit
      request.fetchBatchSize = batch
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      let delegate = EndRecorder()
      controller.delegate = delegate
      // The first report finds out which forms the class does not implement. The second change has too many rows for a
      // merge to list them, because a merge of listed rows makes objects.
      context.automaticallyMergesChangesFromParent = true
      for ages in [4_999..<5_000, -12_000..<0] { try context.batchInsert("Player", rows(ages)) }
      context.reset()
      context.processPendingChanges()
      // Another thread may still be releasing the one object that the first merge made.
      #expect(
        delegate.registered.count == 3 && delegate.registered.dropFirst().allSatisfy { $0 <= 1 })
    }
  }

  @Test("is recognized in a subclass, with its conformance in an extension, and behind a proxy")
  func recognizedForms() throws {
    try run { context, players, controller in
      let derived = DerivedSnapshotRecorder()
      controller.delegate = derived
      players[0].setValue(4, forKey: "age")
      context.processPendingChanges()
      #expect(derived.calls == 1 && derived.overridden == 1)

      let stated = ConformingInExtension()
      controller.delegate = stated
      players[0].setValue(5, forKey: "age")
      context.processPendingChanges()
      #expect(stated.rows == ["update"])

      let proxy = Proxy(EndRecorder())
      controller.delegate = proxy
      for age in 6...8 {
        players[0].setValue(age, forKey: "age")
        context.processPendingChanges()
      }
      #expect(proxy.calls == 3)
      #expect(derived.calls == 1 && stated.rows.count == 1)
    }
  }

  @Test("may save and change objects during a report; these changes are reported afterwards")
  func changesDuringReport() throws {
    try run { context, players, controller in
      let delegate = SavingDelegate(context)
      controller.delegate = delegate
      let table = RecordingTable(traps: false)
      let other = NSFetchedResultsController(
        fetchRequest: controller.fetchRequest, managedObjectContext: context,
        sectionNameKeyPath: nil, cacheName: nil)
      other.delegate = table
      try other.performFetch()
      table.load(other)
      var ids = controller.fetchedObjects?.map(\.objectID) ?? []
      let observation = controller.addObserver { report in
        ids = ids.applying(report)
      }
      players[0].setValue(3, forKey: "age")
      context.processPendingChanges()
      #expect(
        delegate.log.filter { $0 == "will" }.count == delegate.log.filter { $0 == "did" }.count)
      #expect(delegate.log.prefix(2) == ["will", "did"])
      #expect(ids == controller.fetchedObjects?.map(\.objectID))
      #expect(table.sections[0].rows.map(\.objectID) == ids)
      #expect(table.violations.isEmpty, "\(table.violations)")
      withExtendedLifetime(observation) {}
    }
  }

  @Test("receives IDs as rows from a controller of IDs")
  func identifiers() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
      request.resultType = .managedObjectIDResultType
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "age",
        cacheName: nil)
      try controller.performFetch()
      let id = player.objectID
      #expect(controller.fetchedObjects == [id])
      #expect(controller.object(at: IndexPath(row: 0, section: 0)) == id)
      #expect(controller.indexPath(forObject: id) == IndexPath(row: 0, section: 0))
      #expect(controller.sections?.first?.objects as? [NSManagedObjectID] == [id])
      let delegate = IDRecorder()
      controller.delegate = delegate
      player.setValue(2, forKey: "age")
      context.processPendingChanges()
      #expect(delegate.ids == [id])
    }
  }

  @Test("provides index titles; by default they are the capitalized first letters")
  func indexTitles() throws {
    try SampleStack.withContext { context in
      for name in ["ann", "äda", nil, "", "Bob", "bea"] {
        context.insert("Player", ["name": name])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name",
        cacheName: nil)
      try controller.performFetch()
      let names = controller.sections?.map(\.name) ?? []
      #expect(names.first == "" && names.filter { $0 == "" }.count == 1)
      #expect(controller.sections?.first?.indexTitle == nil)
      let titles = controller.sectionIndexTitles
      #expect(titles == names.dropFirst().map { $0.prefix(1).uppercased() })
      // The index distinguishes sections with the same title.
      for (place, title) in titles.enumerated() {
        #expect(controller.section(forSectionIndexTitle: title, at: place) == place + 1)
      }
      let first = try #require(titles.firstIndex(of: "B"))
      #expect(controller.section(forSectionIndexTitle: "B", at: 0) == first + 1)
      #expect(controller.section(forSectionIndexTitle: "no such", at: 99) == 0)
      let delegate = TitleProvider()
      controller.delegate = delegate
      #expect(
        controller.sectionIndexTitles.first == "none" && controller.sectionIndexTitles.count == 5)
      #expect(controller.sectionIndexTitle(forSectionName: "bea") == "B")
    }
  }

  @Test("never receives dictionaries or objects of another class, because the fetch refuses them")
  func wrongTypes() throws {
    try SampleStack.withContext { context in
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let dictionaries = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let error = #expect(throws: NSError.self) { try dictionaries.performFetch() }
      #expect(error?.localizedDescription.contains("entity Player") == true)
      let other = NSFetchRequest<WatchedPlayer>(entityName: "Team")
      other.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let players = NSFetchedResultsController(
        fetchRequest: other, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      let wrong = #expect(throws: NSError.self) { try players.performFetch() }
      #expect(wrong?.localizedDescription.contains("objects of entity Team") == true)
      #expect(players.fetchedObjects == nil)
    }
  }

  @Test("attached later receives, with the next change, everything it missed")
  func frozen() throws {
    try run { context, players, controller in
      context.delete(players[0])
      context.insert("Player", ["name": "Dan", "age": 5])
      try context.save()
      #expect(controller.fetchedObjects?.count == 3)
      let table = RecordingTable(traps: false)
      table.load(controller)
      controller.delegate = table
      players[1].setValue(7, forKey: "age")
      context.processPendingChanges()
      #expect(
        table.sections[0].rows.map { $0.value(forKey: "name") as? String } == ["Cem", "Dan", "Bob"])
      #expect(table.violations.isEmpty, "\(table.violations)")
      controller.delegate = nil
      players[1].setValue(0, forKey: "age")
      context.processPendingChanges()
      #expect(controller.indexPath(forObject: players[1]) == IndexPath(row: 2, section: 0))
    }
  }
}

extension [NSManagedObjectID] {
  /// Returns the rows of one section after a report.
  func applying(_ report: FetchedResultsReport) -> [NSManagedObjectID] {
    var rows = enumerated().filter { place, _ in
      !(report.deletedRows.map(\.indexPath.row) + report.movedRows.map(\.indexPath.row))
        .contains(place)
    }.map(\.element)
    let arriving =
      report.insertedRows.map { ($0.indexPath.row, $0.objectID) }
      + report.movedRows.map { ($0.newIndexPath.row, $0.objectID) }
    for (place, id) in arriving.sorted(by: { $0.0 < $1.0 }) { rows.insert(id, at: place) }
    return rows
  }
}

final class WatchedPlayer: NSManagedObject {}

class SnapshotRecorder: NSFetchedResultsControllerDelegate {
  var calls = 0
  var snapshot: NSDiffableDataSourceSnapshot<String, NSManagedObjectID>?
  private(set) var others = 0

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    calls += 1
    self.snapshot = NSDiffableDataSourceSnapshot(snapshot)
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { calls += 100 }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { calls += 100 }
}

private final class DerivedSnapshotRecorder: SnapshotRecorder {
  var overridden = 0

  override func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    overridden += 1
    super.controller(controller, didChangeContentWith: snapshot)
  }
}

private final class DifferenceRecorder: NSFetchedResultsControllerDelegate {
  var differences: [CollectionDifference<NSManagedObjectID>] = []
  var calls = 0

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { differences.append(diff) }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { calls += 1 }
}

private final class EndRecorder: NSFetchedResultsControllerDelegate {
  var ends = 0
  /// The number of registered objects at each call.
  var registered: [Int] = []

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    ends += 1
    registered.append(controller.managedObjectContext.registeredObjects.count)
  }
}

private final class ConformingInExtension {
  var rows: [String] = []
}

extension ConformingInExtension: NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { rows.append("\(type)") }
}

/// Implements the snapshot form and forwards it to a delegate that does not.
private final class Proxy: NSFetchedResultsControllerDelegate {
  let inner: any NSFetchedResultsControllerDelegate
  var calls = 0

  init(_ inner: any NSFetchedResultsControllerDelegate) { self.inner = inner }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    calls += 1
    inner.controller(controller, didChangeContentWith: snapshot)
  }
}

private final class IDRecorder: NSFetchedResultsControllerDelegate {
  var ids: [NSManagedObjectID] = []

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { if let id = anObject as? NSManagedObjectID { ids.append(id) } }
}

private final class TitleProvider: NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { sectionName.isEmpty ? "none" : nil }
}

/// Inserts and saves during a report.
private final class SavingDelegate: NSFetchedResultsControllerDelegate {
  private let context: NSManagedObjectContext
  private var isDone = false
  var log: [String] = []

  init(_ context: NSManagedObjectContext) { self.context = context }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    log.append("will")
    if isDone { return }
    isDone = true
    context.insert("Player", ["name": "Dan", "age": 0])
    try? context.save()
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { log.append("did") }
}
