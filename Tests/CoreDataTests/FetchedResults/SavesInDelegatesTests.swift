import CoreData
import CoreDataTestSupport
import FixtureSupport
import Foundation
import Testing

/// A delegate changes and saves rows while it receives a report of them. A saved object has its permanent ID, and
/// the results find it by that ID immediately.
@Suite("Rows that a delegate changes and saves during a report", .onEveryStore)
struct SavesInDelegatesTests {
  @Test("are in the results once, and are removed when deleted", arguments: [0, 2])
  func once(_ batchSize: Int) throws {
    try SampleStack.withContext { context in
      context.insert("Player", ["name": "old", "age": 1])
      try context.save()
      let controller = LiveScene.Request(batchSize: batchSize).controller(in: context)
      let saver = Saver(context)
      controller.delegate = saver
      try controller.performFetch()
      // With the first report, the controller finds out which forms of notification the delegate implements.
      context.insert("Player", ["name": "first", "age": 2])
      context.processPendingChanges()
      let player = context.insert("Player", ["name": "new", "age": 1])
      saver.body = {
        player.setValue(3, forKey: "age")
        try context.save()
      }
      context.processPendingChanges()
      #expect(try #require(saver.error) == nil)
      #expect(names(controller) == ["old", "first", "new"])
      #expect(controller.indexPath(forObject: player) == IndexPath(row: 2, section: 0))
      context.delete(player)
      context.processPendingChanges()
      #expect(names(controller) == ["old", "first"])
    }
  }

  @Test("are found by their objects right after the save", arguments: [0, 2])
  func found(_ batchSize: Int) throws {
    try SampleStack.withContext { context in
      for age in 0..<4 { context.insert("Player", ["name": "p\(age)", "age": age]) }
      try context.save()
      let controller = LiveScene.Request(batchSize: batchSize).controller(in: context)
      let saver = Saver(context)
      controller.delegate = saver
      try controller.performFetch()
      context.insert("Player", ["name": "first", "age": 9])
      context.processPendingChanges()
      let player = context.insert("Player", ["name": "new", "age": 2])
      saver.body = {
        try context.save()
        let path = try #require(controller.indexPath(forObject: player))
        #expect(controller.object(at: path) === player)
      }
      context.processPendingChanges()
      #expect(try #require(saver.error) == nil)
      #expect(!player.isFault && player.managedObjectContext === context)
    }
  }

  @Test("equal the rows of a new fetch after random changes", arguments: 0..<4)
  func random(_ number: Int) throws {
    let request = [
      LiveScene.Request(), LiveScene.Request(batchSize: 2), LiveScene.Request(limit: 3),
      LiveScene.Request(section: "age"),
    ][number]
    var random = SeededGenerator("saving while notified, \(request)")
    try SampleStack.withContext { context in
      var players = (0..<5).map { context.insert("Player", ["name": "p\($0)", "age": $0 % 3]) }
      try context.save()
      let controller = request.controller(in: context)
      let table = RecordingTable(traps: false)
      let saver = Saver(context)
      saver.table = table
      controller.delegate = saver
      try controller.performFetch()
      table.load(controller)
      func change() {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: players.append(context.insert("Player", ["name": "n", "age": 1]))
        case 2 where players.count > 1:
          context.delete(players.remove(at: Int.random(in: players.indices, using: &random)))
        default:
          players.randomElement(using: &random)?
            .setValue(Int.random(in: 0..<4, using: &random), forKey: "age")
        }
      }
      for _ in 0..<WholeRun.steps(20, whole: 60) {
        saver.body = {
          for _ in 0..<Int.random(in: 0...2, using: &random) { change() }
          if Bool.random(using: &random) { try context.save() }
          for _ in 0..<Int.random(in: 0...1, using: &random) { change() }
        }
        change()
        context.processPendingChanges()
        // Changes outside the results are not reported, so the closure may not have run.
        #expect(saver.error.flatMap { $0 } == nil)
        let fresh = request.controller(in: context)
        try fresh.performFetch()
        #expect(controller.fetchedObjects == fresh.fetchedObjects)
        #expect(table.sections.flatMap(\.rows) == fresh.fetchedObjects)
        #expect(table.violations.isEmpty, "\(table.violations)")
        #expect(context.findBrokenInvariant() == nil)
        #expect(controller.findBrokenInvariant() == nil)
      }
    }
  }

  @Test("cannot be moved during that report: the attempt throws an error")
  func moved() throws {
    try SampleStack.withContext { context in
      for age in 0..<3 { context.insert("Player", ["name": "p\(age)", "age": age]) }
      try context.save()
      let controller = LiveScene.Request().controller(in: context)
      let saver = Saver(context)
      controller.delegate = saver
      try controller.performFetch()
      saver.body = {
        try controller.moveObject(
          from: IndexPath(row: 0, section: 0), to: IndexPath(row: 1, section: 0))
      }
      context.insert("Player", ["name": "new", "age": 5])
      context.processPendingChanges()
      let error = try #require(saver.error).map { $0 as NSError }
      #expect(error?.code == NSCoreDataError)
      #expect(names(controller) == ["p0", "p1", "p2", "new"])
    }
  }

  private func names(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
    (controller.fetchedObjects ?? []).map { $0["name"] ?? "" }
  }
}

/// Notifies the table, and then runs a closure once.
private final class Saver: NSFetchedResultsControllerDelegate {
  let context: NSManagedObjectContext
  var table: RecordingTable?
  var body: (() throws -> Void)? { didSet { if body != nil { error = nil } } }
  /// The error of the closure, or `.some(nil)` if it threw none. The value is nil before the closure has run.
  private(set) var error: (any Error)??

  init(_ context: NSManagedObjectContext) { self.context = context }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { table?.controllerWillChangeContent(controller) }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    table?.controller(
      controller, didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    table?.controller(
      controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    table?.controllerDidChangeContent(controller)
    guard let body else { return }
    self.body = nil
    do {
      try body()
      error = .some(nil)
    } catch {
      self.error = .some(error)
    }
  }
}
