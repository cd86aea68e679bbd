import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

@Suite("Reports that change a list view")
struct TableUpdaterTests {
  private func controller(
    _ context: NSManagedObjectContext, section: String? = "age"
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = ["age", "name"].map { NSSortDescriptor(key: $0, ascending: true) }
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
    try controller.performFetch()
    return controller
  }

  private func table(
    _ controller: NSFetchedResultsController<NSManagedObject>
  ) -> RecordingTable {
    RecordingTable(traps: false) { [unowned controller] in
      (controller.sections ?? []).map { section in
        .init(
          name: section.name, rows: (section.objects ?? []).compactMap { $0 as? NSManagedObject })
      }
    }
  }

  @Test(
    "can move rows by deleting and inserting them, the default of keepUpdated", .onEveryStore)
  func glue() throws {
    try SampleStack.withContext { context in
      let players = [("Ann", 1), ("Bob", 1), ("Cem", 1), ("Dee", 2)].map {
        context.insert("Player", ["name": $0.0, "age": $0.1])
      }
      try context.save()
      let controller = try controller(context)
      let table = table(controller)
      controller.keepUpdated(table)
      // One row moves into a new section while its old section is deleted, a second one moves, a third one is reloaded
      // at its old index path, and a fourth one is inserted.
      players[3].setValue(3, forKey: "age")
      players[0].setValue("Zoe", forKey: "name")
      players[2].setValue(true, forKey: "isActive")
      context.insert("Player", ["name": "Abe", "age": 1])
      context.processPendingChanges()
      #expect(
        table.calls == [
          "deleteSections 1", "insertSections 1", "reloadRows 0.2", "deleteRows 0.0",
          "insertRows 0.0 0.3",
        ])
      #expect(table.violations.isEmpty)
      table.clear()
      context.insert("Team")
      context.processPendingChanges()
      #expect(table.calls.isEmpty)
    }
  }

  @Test("can move rows in one batch of updates and reload the moved rows in the next")
  func movesThenReloads() throws {
    try SampleStack.withContext { context in
      let players = [("Ann", 1), ("Bob", 1), ("Cem", 2), ("Dee", 3)].map {
        context.insert("Player", ["name": $0.0, "age": $0.1])
      }
      try context.save()
      let controller = try controller(context)
      let table = table(controller)
      controller.keepUpdated(table, with: .fade, moves: .movesThenReloads)
      players[0].setValue(2, forKey: "age")
      players[3].setValue(2, forKey: "age")
      context.processPendingChanges()
      #expect(
        table.calls == [
          "deleteSections 2", "insertRows 1.2", "moveRow 0.0>1.0", "reloadRows 1.0",
        ])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("do not retain the view, and the updater is released with the controller")
  func lifetime() throws {
    try SampleStack.withContext { context in
      var controller: NSFetchedResultsController<NSManagedObject>? = try controller(context)
      var table: RecordingTable? = RecordingTable(traps: false)
      weak let weakTable = table
      if let table { controller?.keepUpdated(table) }
      weak let updater = controller?.delegate
      table = nil
      #expect(weakTable == nil && updater != nil)
      context.insert("Player", ["age": 1])
      context.processPendingChanges()
      controller = nil
      #expect(updater == nil)
    }
  }

  @Test("turn its old rows into the new ones, after random changes")
  func randomChanges() throws {
    var random = SeededGenerator("table updater")
    for moves in [TableRowMoves.deletionsAndInsertions, .movesThenReloads] {
      try SampleStack.withContext { context in
        var players: [NSManagedObject] = []
        let controller = try controller(context)
        let table = table(controller)
        controller.keepUpdated(table, with: .automatic, moves: moves)
        for step in 0..<300 {
          for _ in 0..<Int.random(in: 1...5, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: players.append(context.insert("Player"))
            case 1:
              if let player = players.randomElement(using: &random), players.count > 8 {
                context.delete(player)
                players.removeAll { $0 === player }
              }
            case 2:
              players.randomElement(using: &random)?
                .setValue(Int.random(in: 0..<5, using: &random), forKey: "age")
            default:
              players.randomElement(using: &random)?
                .setValue("abcdef".randomElement(using: &random).map(String.init), forKey: "name")
            }
          }
          context.processPendingChanges()
          #expect(
            table.violations.isEmpty, "seed \(random.seed), step \(step): \(table.violations)")
          let broken = context.findBrokenInvariant() ?? controller.findBrokenInvariant()
          #expect(broken == nil, "seed \(random.seed), step \(step)")
          if !table.violations.isEmpty { return }
          table.clear()
        }
        #expect(table.sections.count > 2)
      }
    }
  }
}
