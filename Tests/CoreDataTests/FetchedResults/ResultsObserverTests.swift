import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// A controller has any number of observers: the delegate, closures, and `AsyncSequence`s of snapshots and of reports.
/// As long as a controller has an observer, it keeps its results up to date.
@Suite("Observers of fetched results", .onEveryStore)
struct ResultsObserverTests {
  typealias Snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>

  private func make(
    _ context: NSManagedObjectContext, section: String? = nil, sort: [String] = ["age", "name"]
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
  }

  private func shown(_ controller: NSFetchedResultsController<NSManagedObject>) -> Snapshot {
    var snapshot = Snapshot()
    for section in controller.sections ?? [] {
      snapshot.appendSections([section.name])
      snapshot.appendItems(
        (section.objects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID })
    }
    return snapshot
  }

  @Test("are all notified, with the delegate, until they are cancelled or released")
  func several() throws {
    try SampleStack.withContext { context in
      let controller = make(context)
      try controller.performFetch()
      let log = Log()
      let first = controller.addObserver { _ in log.add("first") }
      var second: FetchedResultsObservation? = controller.addObserver { log.add($0) }
      let table = RecordingTable(traps: false)
      table.load(controller)
      controller.delegate = table
      let new = context.insert("Player", ["age": 1])
      context.processPendingChanges()
      #expect(log.lines == ["first", "+0.0"])
      #expect(table.calls == ["will", "+0.0", "did"])
      #expect(!new.objectID.isTemporaryID)
      first.cancel()
      new.setValue(2, forKey: "age")
      context.processPendingChanges()
      #expect(log.lines == ["first", "+0.0", "~0.0=0.0"])
      withExtendedLifetime(second) {}
      second = nil
      controller.delegate = nil
      context.delete(new)
      context.processPendingChanges()
      #expect(log.lines.count == 3)
      // Without an observer, the results do not change.
      #expect(controller.fetchedObjects?.count == 1)
    }
  }

  @Test("receive a snapshot immediately, then snapshots that mark changed rows as reloaded")
  func snapshots() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let (fetched, snapshots, player) = try context.performAndWait {
      () throws -> Unchecked<
        (NSFetchedResultsController<NSManagedObject>, FetchedResultsSnapshots, NSManagedObject)
      > in
      let player = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      let controller = make(context, section: "age")
      try controller.performFetch()
      return Unchecked((controller, controller.snapshots, player))
    }.value
    let iterator = snapshots.makeAsyncIterator()
    let id = player.objectID
    let first = try #require(await iterator.next())
    #expect(first.sectionIdentifiers == ["1"] && first.itemIdentifiers == [id])
    #expect(first.reloadedItemIdentifiers.isEmpty)
    let box = Unchecked((player, fetched))
    let new = await context.perform {
      box.value.0.setValue(2, forKey: "age")
      let new = context.insert("Player", ["name": "Bob", "age": 3])
      context.processPendingChanges()
      return new.objectID
    }
    let second = try #require(await iterator.next())
    #expect(second.sectionIdentifiers == ["2", "3"])
    #expect(second.itemIdentifiers == [id, new])
    #expect(second.reloadedItemIdentifiers == [id])
    #expect(!new.isTemporaryID)
    withExtendedLifetime(box) {}
  }

  @Test("added before the first fetch receive its results, and those of later fetches as changes")
  func fetches() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let box = try context.performAndWait {
      for age in 1...4 { context.insert("Player", ["age": age]) }
      try context.save()
      let controller = make(context, section: "age")
      return Unchecked((controller, controller.snapshots, controller.reports))
    }
    let snapshots = box.value.1.makeAsyncIterator()
    let reports = box.value.2.makeAsyncIterator()
    try context.performAndWait { try box.value.0.performFetch() }
    #expect(await snapshots.next()?.sectionIdentifiers == ["1", "2", "3", "4"])
    try context.performAndWait {
      let controller = box.value.0
      controller.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      controller.fetchRequest.predicate = NSPredicate(format: "age > 1")
      try controller.performFetch()
    }
    let second = try #require(await snapshots.next())
    #expect(second.sectionIdentifiers == ["4", "3", "2"])
    context.performAndWait { #expect(second.itemIdentifiers == shown(box.value.0).itemIdentifiers) }
    let report = try #require(await reports.next())
    // One of the three remaining rows keeps its place among them.
    #expect(report.deletedSections.count == 3 && report.insertedSections.count == 2)
    #expect(report.deletedRows.count == 1 && report.movedRows.count == 2)
  }

  @Test(
    "that are slow receive one merged report, without rows inserted and deleted between two reads")
  func merged() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let box = try context.performAndWait {
      let players = (0..<6).map { context.insert("Player", ["age": $0]) }
      try context.save()
      let controller = make(context)
      try controller.performFetch()
      return Unchecked((controller, controller.reports, players))
    }
    let (_, reports, players) = box.value
    context.performAndWait {
      let passing = context.insert("Player", ["age": 3])
      context.processPendingChanges()
      players[5].setValue(-1, forKey: "age")
      context.processPendingChanges()
      context.delete(players[0])
      context.processPendingChanges()
      players[5].setValue(9, forKey: "age")
      context.delete(passing)
      context.processPendingChanges()
    }
    let iterator = reports.makeAsyncIterator()
    let report = try #require(await iterator.next())
    #expect(Log.lines(report) == ["-0.0", "~0.5=0.4"])
    let updates = report.tableUpdates
    #expect(updates.deletedRows == [IndexPath(row: 0, section: 0)])
    #expect(updates.reloadedRows.map(\.old) == [IndexPath(row: 5, section: 0)])
    #expect(updates.movedRows.isEmpty && updates.insertedRows.isEmpty)
    withExtendedLifetime(box) {}
  }

  @Test("stop waiting when their task is cancelled or the controller is released")
  func ends() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let box = Unchecked<NSFetchedResultsController<NSManagedObject>?>(
      try context.performAndWait {
        let controller = make(context)
        try controller.performFetch()
        return controller
      })
    let sequences = try context.performAndWait {
      let controller = try #require(box.value)
      return (controller.reports, controller.snapshots, controller.reports)
    }
    let cancelled = Task {
      var count = 0
      for await _ in sequences.0 { count += 1 }
      return count
    }
    let waiting = Task {
      var count = 0
      for await _ in sequences.1 { count += 1 }
      return count
    }
    cancelled.cancel()
    #expect(await cancelled.value == 0)
    // The tasks do not retain the controller.
    weak let controller = box.value
    context.performAndWait { box.value = nil }
    #expect(controller == nil)
    #expect(await waiting.value == 1)
    #expect(await sequences.2.makeAsyncIterator().next() == nil)
  }

  @Test("stop waiting when their task is cancelled before, while or after they begin to wait")
  func cancellations() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let box = try context.performAndWait {
      let controller = make(context)
      try controller.performFetch()
      return Unchecked((controller, (0..<100).map { _ in controller.reports }))
    }
    for (number, reports) in box.value.1.enumerated() {
      let task = Task {
        for await _ in reports {}
      }
      for _ in 0..<number % 4 { await Task.yield() }
      task.cancel()
      await task.value
    }
    withExtendedLifetime(box) {}
  }

  @Test(
    "receive changes of contexts on the main queue and of contexts without a queue",
    arguments: [0, 2] as [UInt])
  func otherQueues(_ type: UInt) async throws {
    let stack = try SampleStack()
    let kind = try #require(NSManagedObjectContextConcurrencyType(rawValue: type))
    let context = NSManagedObjectContext(concurrencyType: kind)
    context.persistentStoreCoordinator = stack.coordinator
    let box = try await context.perform {
      let controller = make(context)
      try controller.performFetch()
      return Unchecked((controller, controller.snapshots))
    }
    let snapshots = box.value.1
    let reader = Task {
      var most = 0
      for await snapshot in snapshots {
        most = max(most, snapshot.numberOfItems)
        if most == 5 { break }
      }
      return most
    }
    for age in 0..<5 {
      await context.perform {
        context.insert("Player", ["age": age])
        context.processPendingChanges()
      }
      await Task.yield()
    }
    #expect(await reader.value == 5)
    withExtendedLifetime(box) {}
  }

  @Test("can be released on any thread during reports")
  func releases() async throws {
    let stack = try SampleStack(.init(kind: .memorySQLite, folder: nil))
    let context = stack.context
    let box = try context.performAndWait {
      let player = context.insert("Player", ["age": 0])
      try context.save()
      let controller = make(context)
      try controller.performFetch()
      return Unchecked((controller, player))
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 {
            let reports = await context.perform { box.value.0.reports }
            let reader = Task { for await _ in reports { break } }
            await context.perform {
              let age = box.value.1.value(forKey: "age") as? Int ?? 0
              box.value.1.setValue(age + 1, forKey: "age")
              context.processPendingChanges()
            }
            reader.cancel()
          }
        }
      }
    }
    context.performAndWait {
      #expect(box.value.1.value(forKey: "age") as? Int == 160)
      #expect(box.value.0.indexPath(forObject: box.value.1) == IndexPath(row: 0, section: 0))
    }
  }
}

/// A value that is used on one queue at a time.
final class Unchecked<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// Records the reports to observers.
private final class Log {
  private(set) var lines: [String] = []

  func add(_ line: String) { lines.append(line) }
  func add(_ report: FetchedResultsReport) { lines += Self.lines(report) }

  static func lines(_ report: FetchedResultsReport) -> [String] {
    func text(_ path: IndexPath) -> String { "\(path.section).\(path.row)" }
    return report.deletedSections.map { "-section \($0.index) \($0.name)" }
      + report.insertedSections.map { "+section \($0.index) \($0.name)" }
      + report.deletedRows.map { "-\(text($0.indexPath))" }
      + report.insertedRows.map { "+\(text($0.indexPath))" }
      + report.movedRows.map { "\(text($0.indexPath))>\(text($0.newIndexPath))" }
      + report.updatedRows.map { "~\(text($0.indexPath))=\(text($0.newIndexPath))" }
  }
}
