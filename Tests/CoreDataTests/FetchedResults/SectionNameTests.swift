import CoreDataTestSupport
import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// Some letters have two forms in Unicode, composed and decomposed. Rows are sorted by their literal characters, and so
/// are sections. In Apple's Core Data, section names are `NSString`s, which are different dictionary keys if their
/// characters differ (`isEqual(to:)` is a literal comparison; NSString's reference).
@Suite("Section names", .onEveryStore)
struct SectionNameTests {
  private let composed = "\u{e9}"
  private let decomposed = "e\u{301}"

  private func run(
    _ names: [String], limit: Int = 0,
    _ body: (
      NSManagedObjectContext, NSFetchedResultsController<NSManagedObject>, RecordingTable
    ) throws -> Void
  ) throws {
    try SampleStack.withContext { context in
      for (number, name) in names.enumerated() {
        context.insert("Player", ["name": name, "number": number])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = ["name", "number"].map {
        NSSortDescriptor(key: $0, ascending: true)
      }
      request.fetchLimit = limit
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name",
        cacheName: nil)
      try controller.performFetch()
      let table = RecordingTable(traps: false)
      controller.delegate = table
      table.load(controller)
      try body(context, controller, table)
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  private func bytes(_ controller: NSFetchedResultsController<NSManagedObject>) -> [[UInt8]] {
    (controller.sections ?? []).map { Array($0.name.utf8) }
  }

  @Test(
    "with two Unicode forms are two sections, in the order of their characters", arguments: [0, 3])
  func two(_ limit: Int) throws {
    try run([decomposed, "f", composed], limit: limit) { context, controller, table in
      let names = [decomposed, "f", composed].map { Array($0.utf8) }
      #expect(bytes(controller) == names)
      let player = try #require(controller.fetchedObjects?.first)
      player.setValue(composed, forKey: "name")
      context.processPendingChanges()
      #expect(bytes(controller) == [Array("f".utf8), Array(composed.utf8)])
      #expect(
        table.calls == ["will", "-section 0 \(decomposed)", "0.0>1.0", "did"], "\(table.calls)")
      player.setValue(decomposed, forKey: "name")
      context.processPendingChanges()
      #expect(bytes(controller) == names)
    }
  }

  @Test("with two Unicode forms are one section of a snapshot, for every reader")
  func snapshots() throws {
    try run([decomposed, "f", composed]) { context, controller, _ in
      let snapshots = controller.snapshots
      _ = snapshots.buffer.next()
      context.insert("Player", ["name": composed, "number": 9])
      context.insert("Player", ["name": "a", "number": 9])
      context.processPendingChanges()
      let snapshot = try #require(snapshots.buffer.next())
      #expect(snapshot.sectionIdentifiers == ["a", composed, "f"])
      #expect(snapshot.numberOfItems(inSection: composed) == 3)
      #expect(snapshot == controller.snapshots.buffer.next())
    }
  }

  @Test("with two Unicode forms have their changed rows marked, even as one section")
  func reloaded() throws {
    try run([decomposed, composed]) { context, controller, _ in
      let snapshots = controller.snapshots
      _ = snapshots.buffer.next()
      let player = try #require(controller.fetchedObjects?.first)
      player.setValue(7, forKey: "number")
      context.processPendingChanges()
      #expect(snapshots.buffer.next()?.reloadedItemIdentifiers == [player.objectID])
    }
  }

  @Test("of rows that are not adjacent are one section for a reader that starts later")
  func split() throws {
    try SampleStack.withContext { context in
      let players = ["A", "A", "B", "C"].enumerated().map {
        context.insert("Player", ["name": $0.element, "age": $0.offset])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name",
        cacheName: nil)
      try controller.performFetch()
      let first = controller.snapshots
      players[1].setValue(2, forKey: "age")
      players[2].setValue(1, forKey: "age")
      context.processPendingChanges()
      let snapshots = controller.snapshots
      _ = snapshots.buffer.next()
      players[1].setValue(0, forKey: "age")
      context.processPendingChanges()
      let last = snapshots.buffer.next()
      #expect(last?.sectionIdentifiers == ["A", "B", "C"])
      #expect(last?.itemIdentifiers == first.buffer.next()?.itemIdentifiers)
    }
  }

  @Test("from an unknown key, or from several objects, are errors")
  func invalidKeys() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team", ["name": "A"])
      context.insert("Player", ["name": "p"]).setValue(team, forKey: "team")
      try context.save()
      for path in ["team.nmae", "team.players.name", "name.length"] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: path,
          cacheName: nil)
        #expect(throws: NSError.self, "\(path)") { try controller.performFetch() }
      }
    }
  }

  @Test("with two Unicode forms are two sections in a merged report: one deleted and one inserted")
  func merged() throws {
    try run(["a", decomposed, "f"]) { context, controller, _ in
      let reports = controller.reports
      let player = controller.object(at: IndexPath(row: 0, section: 1))
      player.setValue("b", forKey: "name")
      context.processPendingChanges()
      controller.object(at: IndexPath(row: 0, section: 2)).setValue(composed, forKey: "name")
      context.processPendingChanges()
      let report = try #require(reports.mailbox.dequeue()?.report)
      #expect(report.deletedSections.map { Array($0.name.utf8) }.contains(Array(decomposed.utf8)))
      #expect(report.insertedSections.map { Array($0.name.utf8) }.contains(Array(composed.utf8)))
    }
  }

  @Test("with two Unicode forms stay separate sections during random changes")
  func random() throws {
    var random = SeededGenerator("section names in two forms")
    let names = [decomposed, composed, "e", "f", "\u{212b}", "\u{c5}", "A\u{30a}"]
    try run([]) { context, controller, table in
      let snapshots = controller.snapshots
      var last = FetchedResultsSnapshots.Element()
      for step in 0..<150 {
        let players = controller.fetchedObjects ?? []
        switch Int.random(in: 0..<4, using: &random) {
        case 0: if let player = players.randomElement(using: &random) { context.delete(player) }
        case 1:
          players.randomElement(using: &random)?
            .setValue(names.randomElement(using: &random), forKey: "name")
        default:
          context.insert("Player", ["name": names.randomElement(using: &random), "number": step])
        }
        context.processPendingChanges()
        let message: Comment = "seed \(random.seed), step \(step)"
        let present = players.isEmpty ? [] : controller.fetchedObjects ?? []
        var sections: [[UInt8]] = []
        for name in present.map({ Array(($0.value(forKey: "name") as? String ?? "").utf8) })
        where sections.last != name { sections.append(name) }
        if !present.isEmpty { #expect(bytes(controller) == sections, message) }
        #expect(table.violations.isEmpty, message)
        if let next = snapshots.buffer.next() { last = next }
        let whole = controller.snapshots.buffer.next()
        #expect(last.sectionIdentifiers == whole?.sectionIdentifiers, message)
        #expect(last.itemIdentifiers == whole?.itemIdentifiers, message)
        #expect(context.findBrokenInvariant() == nil, message)
        #expect(controller.findBrokenInvariant() == nil, message)
        if !table.violations.isEmpty { return }
      }
    }
  }
}
