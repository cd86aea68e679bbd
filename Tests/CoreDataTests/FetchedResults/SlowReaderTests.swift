import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// Random changes; readers of every speed must come to the same rows.
@Suite("Slow readers of fetched results under random changes")
struct SlowReaderTests {
  @Test(
    "get the least report from what they knew to what is", arguments: [nil, "age", "team.name"])
  func randomWalk(_ section: String?) throws {
    var random = SeededGenerator("slow readers, section \(section ?? "none")")
    for round in 0..<4 {
      let stack = try SampleStack(.round(round))
      let context = stack.context
      try context.performAndWait {
        let teams = ["A", "B", "C"].map { context.insert("Team", ["name": $0]) }
        var players: [NSManagedObject] = []
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.sortDescriptors = [
          NSSortDescriptor(key: section ?? "age", ascending: true),
          NSSortDescriptor(key: "name", ascending: true),
        ]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
          cacheName: nil)
        try controller.performFetch()
        let readers = (0..<4).map { _ in
          (reader: controller.snapshots, shown: Shown(), reports: controller.reports)
        }
        for reader in readers { reader.shown.read(reader.reader) }
        for step in 0..<120 {
          change(&players, teams, context, &random)
          if Int.random(in: 0..<4, using: &random) == 0 { try context.save() }
          context.processPendingChanges()
          for (number, reader) in readers.enumerated()
          where Int.random(in: 0...(number * 4), using: &random) == 0 {
            let before = reader.shown.snapshot
            reader.shown.read(reader.reader)
            let expected = Shown(controller).snapshot
            let message: Comment = "seed \(random.seed), step \(step), reader \(number)"
            #expect(reader.shown.sections == Shown(controller).sections, message)
            guard let report = reader.reports.mailbox.take()?.report else { continue }
            // As many rows stay as the best there is, which the difference of the snapshots finds.
            let best = expected.difference(from: before)
            let updates = report.tableUpdates
            #expect(updates.deletedRows == best.deletedRows, message)
            #expect(updates.insertedRows == best.insertedRows, message)
            #expect(updates.deletedSections == best.deletedSections, message)
            #expect(updates.insertedSections == best.insertedSections, message)
            #expect(updates.movedRows.count == best.movedRows.count, message)
          }
        }
      }
    }
  }

  private func change(
    _ players: inout [NSManagedObject], _ teams: [NSManagedObject],
    _ context: NSManagedObjectContext, _ random: inout SeededGenerator
  ) {
    let player = players.randomElement(using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2:
      players.append(
        context.insert(
          "Player",
          [
            "age": Int.random(in: 0..<4, using: &random),
            "name": ["a", "b", "c"].randomElement(using: &random),
            "team": teams.randomElement(using: &random),
          ]))
    case 3: if let player { context.delete(player) }
    case 4: player?.setValue(Int.random(in: 0..<4, using: &random), forKey: "age")
    case 5: player?.setValue(["a", "b", "c"].randomElement(using: &random), forKey: "name")
    case 6: player?.setValue(teams.randomElement(using: &random), forKey: "team")
    default: player?.setValue(Double.random(in: 0..<1, using: &random), forKey: "score")
    }
    players.removeAll { $0.isDeleted }
  }
}

/// The rows that a reader of snapshots knows.
private final class Shown {
  private(set) var snapshot = FetchedResultsSnapshots.Element()

  init() {}

  init(_ controller: NSFetchedResultsController<NSManagedObject>) {
    for section in controller.sections ?? [] {
      snapshot.appendSections([section.name])
      snapshot.appendItems(
        (section.objects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID })
    }
  }

  func read(_ snapshots: FetchedResultsSnapshots) {
    if let next = snapshots.reader.take() { snapshot = next }
  }

  var sections: [[String]] {
    snapshot.sectionIdentifiers.map { name in
      [name] + snapshot.itemIdentifiers(inSection: name).map(\.description)
    }
  }
}
