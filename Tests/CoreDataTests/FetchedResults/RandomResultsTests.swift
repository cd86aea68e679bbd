import CoreDataTestSupport
import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// After each random change, a table with the report applied must equal a new fetch.
@Suite("A fetched results controller under random changes")
struct RandomResultsTests {
  struct Setting: CustomStringConvertible, Sendable {
    let sort: [String]
    let section: String?
    let predicate: String?
    var limit = 0
    var offset = 0
    var batch = 0

    var description: String {
      "sort \(sort), section \(section ?? "none"), where \(predicate ?? "all"), limit \(limit),"
        + " offset \(offset), batch \(batch)"
    }
  }

  static let settings: [Setting] = [
    Setting(sort: ["age"], section: nil, predicate: nil),
    Setting(sort: ["age", "-name"], section: "age", predicate: nil),
    Setting(sort: ["-age", "name", "number"], section: "age", predicate: "isActive == YES"),
    Setting(sort: ["team.name", "age"], section: "team.name", predicate: nil),
    Setting(sort: ["team.name", "name"], section: "team.name", predicate: "team.name != \"B\""),
    Setting(sort: ["name"], section: nil, predicate: "ANY tags.label == \"x\" OR age < 3"),
    Setting(sort: ["age"], section: nil, predicate: nil, limit: 5),
    Setting(sort: ["age", "name"], section: "age", predicate: nil, limit: 7, offset: 3),
    Setting(sort: ["age"], section: "age", predicate: "isActive == YES", batch: 4),
    Setting(sort: ["team.name"], section: "team.name", predicate: nil, limit: 1),
  ]

  @Test("reports changes that transform the old rows into the new ones", arguments: settings)
  func randomWalk(_ setting: Setting) throws {
    var random = SeededGenerator("random results, \(setting)")
    let stack = try SampleStack(.round(Int.random(in: 0..<5, using: &random)))
    let context = stack.context
    try context.performAndWait {
      var teams = ["A", "B", "C"].map { context.insert("Team", ["name": $0]) }
      let tags = ["x", "y"].map { context.insert("Tag", ["label": $0]) }
      var players: [NSManagedObject] = []
      for _ in 0..<12 { players.append(newPlayer(context, teams, &random)) }
      try context.save()

      let controller = makeController(setting, context)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      for step in 0..<WholeRun.steps(50, whole: 150) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          change(&players, &teams, tags, context, &random)
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try context.save()
        case 1: context.rollback()
        default: context.processPendingChanges()
        }
        players.removeAll { $0.managedObjectContext == nil || $0.isDeleted }
        teams.removeAll { $0.managedObjectContext == nil || $0.isDeleted }
        let expected = try expectedSections(setting, context)
        let message: Comment = "seed \(random.seed), step \(step): \(table.calls.suffix(40))"
        #expect(context.checkInvariants() == nil, message)
        #expect(table.violations.isEmpty, message)
        #expect(table.sections.map(\.name) == expected.map(\.name), message)
        #expect(table.sections.map(\.rows) == expected.map(\.rows), message)
        if !table.violations.isEmpty || table.sections.map(\.rows) != expected.map(\.rows) {
          return
        }
        for (section, rows) in table.sections.enumerated() {
          for (row, object) in rows.rows.enumerated() {
            let path = IndexPath(row: row, section: section)
            #expect(controller.indexPath(forObject: object) == path, message)
            #expect(controller.object(at: path) === object, message)
          }
        }
        table.clear()
      }
    }
  }

  private func makeController(
    _ setting: Setting, _ context: NSManagedObjectContext
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = request(setting)
    request.fetchLimit = setting.limit
    request.fetchOffset = setting.offset
    request.fetchBatchSize = setting.batch
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: setting.section,
      cacheName: nil)
  }

  private func request(_ setting: Setting) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = setting.predicate.map { NSPredicate(format: $0) }
    request.sortDescriptors = setting.sort.map {
      $0.hasPrefix("-")
        ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
        : NSSortDescriptor(key: $0, ascending: true)
    }
    return request
  }

  private static func name(_ random: inout SeededGenerator) -> String? {
    ["a", "b", nil].randomElement(using: &random).flatMap { $0 }
  }

  private func newPlayer(
    _ context: NSManagedObjectContext, _ teams: [NSManagedObject], _ random: inout SeededGenerator
  ) -> NSManagedObject {
    let player = context.insert(Bool.random(using: &random) ? "Player" : "Captain")
    player.setValue(Int.random(in: 0..<6, using: &random), forKey: "age")
    player.setValue(Self.name(&random), forKey: "name")
    player.setValue(Bool.random(using: &random), forKey: "isActive")
    player.setValue(teams.randomElement(using: &random), forKey: "team")
    return player
  }

  private func change(
    _ players: inout [NSManagedObject], _ teams: inout [NSManagedObject], _ tags: [NSManagedObject],
    _ context: NSManagedObjectContext, _ random: inout SeededGenerator
  ) {
    let player = players.randomElement(using: &random)
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: players.append(newPlayer(context, teams, &random))
    case 2: if let player { context.delete(player) }
    case 3, 4, 5: player?.setValue(Int.random(in: 0..<6, using: &random), forKey: "age")
    case 6: player?.setValue(Bool.random(using: &random), forKey: "isActive")
    case 7: player?.setValue(Self.name(&random), forKey: "name")
    case 8, 9: player?.setValue(teams.randomElement(using: &random), forKey: "team")
    case 10:
      teams.randomElement(using: &random)?
        .setValue(["A", "B", "C", "D", "E", "F"].randomElement(using: &random), forKey: "name")
    case 11:
      if teams.count > 2, let team = teams.randomElement(using: &random),
        Bool.random(using: &random)
      {
        context.delete(team)
      } else {
        teams.append(context.insert("Team", ["name": "G\(Int.random(in: 0..<9, using: &random))"]))
      }
    case 12:
      player?.setValue(
        Bool.random(using: &random) ? NSSet(array: [tags[0]]) : NSSet(), forKey: "tags")
    default:
      if let player, player.objectID.isTemporaryID == false {
        context.refresh(player, mergeChanges: true)
      }
    }
    players.removeAll { $0.isDeleted }
    teams.removeAll { $0.isDeleted }
  }

  /// Returns the rows of a new fetch, limited and split into sections here.
  private func expectedSections(
    _ setting: Setting, _ context: NSManagedObjectContext
  ) throws -> [(name: String, rows: [NSManagedObject])] {
    var rows = try context.fetch(request(setting))
    rows = Array(rows.dropFirst(setting.offset))
    if setting.limit > 0 { rows = Array(rows.prefix(setting.limit)) }
    return SectionsByHand.of(rows, setting.section)
  }
}
