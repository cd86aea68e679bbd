import CoreData
import CoreDataTestSupport
import FixtureSupport
import Foundation
import Testing

/// A team whose key `initial`, the first letter of the name, is computed and not stored.
final class InitialTeam: NSManagedObject {
  override func value(forKey key: String) -> Any? {
    guard key == "initial" else { return super.value(forKey: key) }
    return (super.value(forKey: "name") as? String).map { String($0.prefix(1)) }
  }
}

/// Rows, their order and their sections depend on objects that they reach through relationships.
@Suite("Live results that depend on relationships", .onEveryStore)
struct FollowedRelationshipTests {
  private func controller(
    _ context: NSManagedObjectContext, _ entity: String, sort: [NSSortDescriptor],
    section: String? = nil, predicate: NSPredicate? = nil, _ table: RecordingTable
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = sort
    request.predicate = predicate
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
    controller.delegate = table
    try controller.performFetch()
    table.load(controller)
    return controller
  }

  private func key(_ name: String) -> NSSortDescriptor {
    NSSortDescriptor(key: name, ascending: true)
  }

  @Test(
    "a predicate still matches an object that was unsaved when the predicate was made",
    arguments: [0, 5])
  func unsavedConstant(batchSize: Int) throws {
    try SampleStack.withContext { context in
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      let table = RecordingTable(traps: false)
      let controller = try controller(
        context, "Player", sort: [key("name")],
        predicate: NSPredicate(format: "team == %@ OR team IN %@", red, [red]), table)
      try context.save()
      ann.setValue(3, forKey: "age")
      context.insert("Player", ["name": "Bob", "team": red])
      context.processPendingChanges()
      #expect(table.sections.map { $0.rows.count } == [2])
      #expect(table.calls == ["will", "+0.1", "~0.0=0.0", "did"])
      #expect(table.violations.isEmpty)
      withExtendedLifetime(controller) {}
    }
  }

  @Test(
    "section names can be names of entities",
    arguments: [("entity.name", "Player"), ("team.entity.name", "Team")])
  func entityNames(_ keyPath: String, _ name: String) throws {
    try SampleStack.withContext { context in
      let red = context.insert("Team", ["name": "Red"])
      for player in ["Ann", "Bob"] { context.insert("Player", ["name": player, "team": red]) }
      let table = RecordingTable(traps: false)
      let controller = try controller(
        context, "Player", sort: [key("name")], section: keyPath, table)
      #expect(controller.sections?.map(\.name) == [name])
      #expect(controller.sections?.first?.numberOfObjects == 2)
    }
  }

  @Test("rows ordered by a relationship are reordered when the destination gets its permanent ID")
  func unsavedReference() throws {
    try SampleStack.withContext { context in
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      let bob = context.insert("Player", ["name": "Bob"])
      try context.save()
      let table = RecordingTable(traps: false)
      let controller = try controller(
        context, "Player", sort: [key("team"), key("name")], section: "team", table)
      bob.setValue(context.insert("Team", ["name": "Blue"]), forKey: "team")
      context.processPendingChanges()
      try context.save()
      let fetched = try context.fetch(controller.fetchRequest)
      #expect(table.sections.flatMap(\.rows) == fetched)
      #expect(fetched == [ann, bob])
      #expect(table.sections.map(\.name) == SectionsByHand.of(fetched, "team").map(\.name))
      // A row inserted later is added to its section.
      context.insert("Player", ["name": "Cem", "team": bob.value(forKey: "team")])
      context.processPendingChanges()
      #expect(table.sections.map { $0.rows.count } == [1, 2])
      #expect(table.violations.isEmpty)
    }
  }

  @Test("results and fetches reflect relationships without an inverse, saved or not")
  func withoutInverse() throws {
    let stack = try SampleStack(model: KinModel.make())
    let context = stack.context
    try context.performAndWait {
      let people = ["x", "y", "a", "b"].map { context.insert("Person", ["name": $0]) }
      people[2].setValue(people[0], forKey: "idol")
      people[3].setValue(people[1], forKey: "idol")
      try context.save()
      let table = RecordingTable(traps: false)
      let controller = try controller(
        context, "Person", sort: [key("idol.name")],
        predicate: NSPredicate(format: "idol.name != nil"),
        table)
      #expect(table.sections.map(\.rows) == [[people[2], people[3]]])
      people[0].setValue("z", forKey: "name")
      #expect(try context.fetch(controller.fetchRequest) == [people[3], people[2]])
      #expect(table.calls == ["will", "0.0>0.1", "did"])
      #expect(table.sections.map(\.rows) == [[people[3], people[2]]])
      try context.save()
      people[1].setValue(nil, forKey: "name")
      context.processPendingChanges()
      #expect(table.sections.map(\.rows) == [[people[2]]])
      #expect(table.violations.isEmpty)
    }
  }

  @Test(
    "a row is updated when a sort key at the end of a relationship changes without moving the row")
  func updatedBehind() throws {
    try SampleStack.withContext { context in
      let red = context.insert("Team", ["name": "Red"])
      context.insert("Player", ["name": "Ann", "team": red])
      try context.save()
      let table = RecordingTable(traps: false)
      let controller = try controller(context, "Player", sort: [key("team.name")], table)
      red.setValue("Rex", forKey: "name")
      context.processPendingChanges()
      #expect(table.calls == ["will", "~0.0=0.0", "did"])
      table.clear()
      red.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "founded")
      context.processPendingChanges()
      #expect(table.calls.isEmpty)
      withExtendedLifetime(controller) {}
    }
  }

  @Test("sections whose names compare as equal move with their rows")
  func namesOfOneRank() throws {
    try SampleStack.withContext { context in
      let players = ["a", "A"].map { context.insert("Player", ["name": $0]) }
      try context.save()
      let table = RecordingTable(traps: false)
      let controller = try controller(
        context, "Player",
        sort: [
          NSSortDescriptor(
            key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:"))
        ], section: "name", table)
      #expect(table.sections.map(\.name) == ["a", "A"])
      players[0].setValue("A", forKey: "name")
      players[1].setValue("a", forKey: "name")
      context.processPendingChanges()
      #expect(table.sections.map(\.name) == ["A", "a"])
      #expect(
        table.calls == ["will", "-section 0 a", "+section 1 a", "0.0>0.0", "1.0>1.0", "did"])
      #expect(table.sections.map(\.rows) == [[players[0]], [players[1]]])
      #expect(table.violations.isEmpty)
      withExtendedLifetime(controller) {}
    }
  }

  @Test("a computed section name at the end of a relationship updates")
  func computedBehind() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.managedObjectClassName = String(reflecting: InitialTeam.self)
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      context.insert("Player", ["name": "Ann", "age": 1, "team": red])
      context.insert("Player", ["name": "Bob", "age": 2, "team": blue])
      try context.save()
      let table = RecordingTable(traps: false)
      let controller = try controller(
        context, "Player", sort: [key("age")], section: "team.initial", table)
      #expect(table.sections.map(\.name) == ["R", "B"])
      red.setValue("Green", forKey: "name")
      context.processPendingChanges()
      #expect(table.sections.map(\.name) == ["G", "B"])
      #expect(table.violations.isEmpty)
      withExtendedLifetime(controller) {}
    }
  }
}
