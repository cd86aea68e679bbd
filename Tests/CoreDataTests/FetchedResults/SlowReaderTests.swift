import CoreDataTestSupport
import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// After random changes, readers of every speed must have the same rows.
@Suite("Slow readers of fetched results under random changes")
struct SlowReaderTests {
  static let settings: [RandomResultsTests.Setting] = [
    .init(sort: ["age", "name"], section: nil, predicate: nil),
    .init(sort: ["age", "name"], section: "age", predicate: nil),
    .init(sort: ["team.name", "name"], section: "team.name", predicate: nil),
    .init(sort: ["-age", "name"], section: "age", predicate: "team.name != 'B'"),
    .init(sort: ["age", "name"], section: nil, predicate: nil, limit: 5, offset: 2),
    .init(sort: ["age", "name"], section: "age", predicate: nil, limit: 6),
    .init(sort: ["name", "age"], section: "name", predicate: "age < 3", batch: 3),
  ]

  private func controller(
    _ setting: RandomResultsTests.Setting, _ context: NSManagedObjectContext
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = setting.predicate.map { NSPredicate(format: $0) }
    request.sortDescriptors = setting.sort.map {
      $0.hasPrefix("-")
        ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
        : NSSortDescriptor(key: $0, ascending: true)
    }
    request.fetchLimit = setting.limit
    request.fetchOffset = setting.offset
    request.fetchBatchSize = setting.batch
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: setting.section,
      cacheName: nil)
  }

  @Test("receive the smallest report of all changes since they last read", arguments: settings)
  func randomWalk(_ setting: RandomResultsTests.Setting) throws {
    var random = SeededGenerator("slow readers, \(setting)")
    for round in 0..<2 {
      let stack = try SampleStack(.round(round))
      let context = stack.context
      try context.performAndWait {
        var world = World(context)
        try context.save()
        let controller = controller(setting, context)
        try controller.performFetch()
        let readers = (0..<4).map { _ in
          (reader: controller.snapshots, shown: Shown(), reports: controller.reports)
        }
        for reader in readers { reader.shown.read(reader.reader) }
        for step in 0..<WholeRun.steps(40, whole: 120) {
          try world.change(&random)
          let broken = context.findBrokenInvariant() ?? controller.findBrokenInvariant()
          #expect(broken == nil, "seed \(random.seed), step \(step)")
          for (number, reader) in readers.enumerated()
          where Int.random(in: 0...(number * 4), using: &random) == 0 {
            let before = reader.shown.snapshot
            reader.shown.read(reader.reader)
            let present = Shown(controller)
            let expected = present.snapshot
            let message: Comment = "seed \(random.seed), step \(step), reader \(number)"
            #expect(reader.shown.sections == present.sections, message)
            guard let report = reader.reports.mailbox.dequeue()?.report else { continue }
            // The report moves as few rows as the difference of the snapshots, which is the minimum.
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

  // When rows are sorted by name, changes split, join and reorder the sections by age.
  @Test("receive a report that a table can apply while sections are split", arguments: [0, 6])
  func sectionsApart(_ limit: Int) throws {
    var random = SeededGenerator("slow readers, sections apart, limit \(limit)")
    typealias Table = CoreDataTestSupport.RecordingTable<NSManagedObjectID>
    for round in 0..<2 {
      let stack = try SampleStack(.round(round))
      let context = stack.context
      try context.performAndWait {
        var world = World(context)
        try context.save()
        let controller = controller(
          .init(sort: ["name"], section: "age", predicate: nil, limit: limit), context)
        try controller.performFetch()
        let readers = (0..<4).map { number in
          let table = Table(traps: false) { [unowned controller] in
            (controller.sections ?? []).map { section in
              Table.Section(
                name: section.name,
                rows: (section.objects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID })
            }
          }
          return (
            snapshots: controller.snapshots, shown: Shown(), reports: controller.reports,
            table: table
          )
        }
        for step in 0..<200 {
          try world.change(&random)
          let broken = context.findBrokenInvariant() ?? controller.findBrokenInvariant()
          #expect(broken == nil, "seed \(random.seed), step \(step)")
          for (number, reader) in readers.enumerated()
          where Int.random(in: 0...(number * 4), using: &random) == 0 {
            if let report = reader.reports.mailbox.dequeue()?.report {
              reader.table.apply(report.tableUpdates, with: .none)
            }
            let message: Comment = "seed \(random.seed), step \(step), reader \(number)"
            #expect(reader.table.violations.isEmpty, message)
            reader.shown.read(reader.snapshots)
            #expect(
              Set(reader.shown.snapshot.itemIdentifiers)
                == Set(reader.table.sections.flatMap(\.rows)), message)
            if !reader.table.violations.isEmpty { return }
          }
        }
      }
    }
  }

  @Test("receive a report of the deletion of two sections with the same name")
  func nameTwice() throws {
    try SampleStack.withContext { context in
      let players = [("a", 1), ("b", 1), ("c", 2)].map {
        context.insert("Player", ["name": $0.0, "age": $0.1])
      }
      let controller = controller(
        .init(sort: ["name"], section: "age", predicate: nil), context)
      try controller.performFetch()
      let snapshots = controller.snapshots
      players[1].setValue("z", forKey: "name")
      context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["1", "2", "1"])
      #expect(snapshots.buffer.next()?.sectionIdentifiers == ["1", "2"])
      let reports = controller.reports
      let table = CoreDataTestSupport.RecordingTable<NSManagedObject>(traps: false) {
        [unowned controller] in
        (controller.sections ?? []).map { section in
          .init(
            name: section.name, rows: (section.objects ?? []).compactMap { $0 as? NSManagedObject })
        }
      }
      players[2].setValue(5.0, forKey: "score")
      context.processPendingChanges()
      for player in players { context.delete(player) }
      context.processPendingChanges()
      let report = try #require(reports.mailbox.dequeue()?.report)
      #expect(report.deletedSections.map(\.index) == [2, 1, 0])
      #expect(report.deletedSections.map(\.name) == ["1", "2", "1"])
      table.apply(report.tableUpdates, with: .none)
      #expect(table.violations.isEmpty, "\(table.violations)")
      #expect(snapshots.buffer.next()?.numberOfSections == 0)
    }
  }
}

/// Players and teams that change at random.
private struct World {
  private let context: NSManagedObjectContext
  private var teams: [NSManagedObject]
  private var players: [NSManagedObject] = []

  init(_ context: NSManagedObjectContext) {
    self.context = context
    teams = ["A", "B", "C"].map { context.insert("Team", ["name": $0]) }
  }

  /// Makes a random change, and processes it.
  mutating func change(_ random: inout SeededGenerator) throws {
    changeOne(&random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<10: try context.save()
    case 10, 11: context.rollback()
    case 12:
      context.reset()
      teams = try context.all("Team", sort: ["name"])
    default: context.processPendingChanges()
    }
    players.removeAll { $0.isDeleted || $0.managedObjectContext == nil }
  }

  private mutating func changeOne(_ random: inout SeededGenerator) {
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

/// The rows that a reader of snapshots has.
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
    if let next = snapshots.buffer.next() { snapshot = next }
  }

  var sections: [[String]] {
    snapshot.sectionIdentifiers.map { name in
      [name] + snapshot.itemIdentifiers(inSection: name).map(\.description)
    }
  }
}
