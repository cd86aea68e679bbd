import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Live results of n rows apply k changed objects in O(k log n), so they may evaluate each changed object only once.
@Suite("Live results evaluate a predicate")
struct EvaluationCountTests {
  /// The kinds of stores that evaluate block predicates.
  private static let whole: [TestedStore] = [.inMemory, .binary, .xml, .ownAtomic]

  private func controller(
    _ predicate: NSPredicate, in context: NSManagedObjectContext
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.predicate = predicate
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  private func names(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String?] {
    (controller.fetchedObjects ?? []).map { $0["name"] }
  }

  @Test(
    "once for each changed object, and again for its permanent ID if the predicate is a block",
    .only(whole, "Apple's page on block predicates"), arguments: [false, true])
  func insertions(reportsIDs: Bool) throws {
    try SampleStack.withContext { context in
      let counts = Unchecked<[String: Int]>([:])
      let controller = controller(
        NSPredicate { object, _ in
          guard let player = object as? NSManagedObject else { return false }
          counts.value[player["name"] ?? "", default: 0] += 1
          return player["age"].map { (age: Int) in age >= 18 } ?? false
        }, in: context)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      let observation = reportsIDs ? controller.addObserver { _ in } : nil
      try controller.performFetch()
      table.load(controller)
      // The first report to a delegate of a class finds out which methods the class implements.
      context.insert("Player", ["name": "z", "age": 99])
      context.processPendingChanges()
      counts.value = [:]

      let ages = ["a": 1, "b": 2, "c": 20, "d": 3, "e": 30]
      let players = ages.sorted { $0.key < $1.key }.map {
        context.insert("Player", ["name": $0.key, "age": $0.value])
      }
      context.processPendingChanges()
      let inRow = reportsIDs ? 2 : 1
      #expect(counts.value == ["a": 1, "b": 1, "c": inRow, "d": 1, "e": inRow])
      let identified = players.filter { !$0.objectID.isTemporaryID }.map { $0["name"] as String? }
      #expect(identified == (reportsIDs ? ["c", "e"] : []))
      #expect(names(controller) == ["c", "e", "z"])
      try context.save()
      #expect(counts.value.filter { $0.key != "z" } == ["a": 2, "b": 2, "c": 2, "d": 2, "e": 2])

      counts.value = [:]
      for player in players { player.setValue(40, forKey: "age") }
      context.processPendingChanges()
      #expect(counts.value == ["a": 1, "b": 1, "c": 1, "d": 1, "e": 1])
      #expect(names(controller) == ["a", "b", "c", "d", "e", "z"])
      #expect(table.violations == [])
      withExtendedLifetime(observation) {}
    }
  }

  @Test(
    "again for permanent IDs where a block reads them",
    .only(whole, "Apple's page on block predicates"), arguments: [false, true], [false, true])
  func identifiers(reportsIDs: Bool, ofTemporary: Bool) throws {
    try SampleStack.withContext { context in
      let controller = controller(
        NSPredicate { object, _ in
          (object as? NSManagedObject)?.objectID.isTemporaryID == ofTemporary
        }, in: context)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      var observed: [FetchedResultsReport] = []
      let observation = reportsIDs ? controller.addObserver { observed.append($0) } : nil
      try controller.performFetch()
      table.load(controller)
      context.insert("Player", ["name": "a"])
      context.processPendingChanges()
      try context.save()
      #expect(names(controller) == (ofTemporary ? [] : ["a"]))
      #expect(table.violations == [])
      if reportsIDs, !ofTemporary {
        #expect(observed.map(\.insertedRows.count) == [1])
        #expect(observed.map(\.deletedRows.count) == [0])
      }
      withExtendedLifetime(observation) {}
    }
  }

  @Test("again for permanent IDs of the entities whose IDs it compares")
  func comparedIDs() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait { () throws in
      let player = stack.context.insert("Player")
      let captain = stack.context.insert("Captain")
      let team = stack.context.insert("Team")
      func entities(_ predicate: NSPredicate) throws -> [String] {
        let plan = try FetchPlan(
          controller(predicate, in: stack.context).fetchRequest, in: stack.coordinator.layouts)
        return [player, captain, team].filter { plan.membership.dependsOnIDs(of: [$0]) }
          .compactMap(\.entity.name)
      }
      let cases: [(predicate: NSPredicate, expected: [String])] = [
        (NSPredicate(format: "age > 3"), []),
        (NSPredicate(format: "team == nil"), []),
        (NSPredicate(format: "team.name == 'Red'"), []),
        (NSPredicate(format: "team.players.@count > 3"), []),
        (NSPredicate(format: "team == %@", team), ["Team"]),
        (NSPredicate(format: "age > 3 AND NOT team IN %@", [team]), ["Team"]),
        (NSPredicate(format: "SELF == %@", player), ["Player", "Captain"]),
        (NSPredicate(format: "objectID == %@", player.objectID), ["Player", "Captain"]),
        (NSPredicate(format: "NOT SELF IN %@", [player, captain]), ["Player", "Captain"]),
        (
          NSPredicate(format: "SUBQUERY(team.players, $p, $p == %@).@count > 0", player),
          ["Player", "Captain"]
        ),
      ]
      for (predicate, expected) in cases {
        #expect(try entities(predicate) == expected, "\(predicate)")
      }
      #expect(try entities(NSPredicate { _, _ in true }) == ["Player", "Captain", "Team"])
    }
  }
}
