import CoreData
import CoreDataTestSupport
import Testing

/// Sources: Apple's page "NSPredicate init(block:)": "Core Data supports block-based predicates in the
/// in-memory and atomic stores, but not in the SQLite-based store"; the tests of PredicateKit, which use the count,
/// sum and elements of arrays in transformable attributes of an in-memory store.
@Suite("Predicates that need objects for evaluation: blocks, and the contents of transformables")
struct ObjectPredicateTests {
  private static func model() throws -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let scores = SampleStack.attribute("scores", .transformableAttributeType)
    scores.isOptional = true
    player.properties.append(scores)
    return model
  }

  private static func fill(_ context: NSManagedObjectContext) throws {
    let red = context.insert("Team", ["name": "Red"])
    context.insert("Player", ["name": "Ann", "team": red, "scores": [3, 1, 2]])
    context.insert("Player", ["name": "Bob", "team": red, "scores": [9]])
    context.insert("Player", ["name": "Cyd"])
    try context.save()
    context.reset()
  }

  private static let whole: [TestedStore] = [.inMemory, .binary, .xml, .ownAtomic]

  @Test(
    "are evaluated on objects by stores that have all objects in memory",
    .only(whole, "Apple's page on block predicates"),
    arguments: [
      ("scores.@count > 1", ["Ann"]), ("scores.@sum.self == 9", ["Bob"]),
      ("max:(scores) == 3", ["Ann"]), ("scores[0] == 3", ["Ann"]),
      ("NOT scores.@count > 1", ["Bob", "Cyd"]),
      ("team.name == 'Red' AND scores.@count == 1", ["Bob"]),
      ("scores.@count == 1 OR name == 'Cyd'", ["Bob", "Cyd"]),
    ])
  func transformables(format: String, names: [String]) throws {
    try SampleStack.withContext(model: Self.model()) { context in
      try Self.fill(context)
      let found = try context.all("Player", format, sort: ["name"])
      #expect(found.map { $0["name"] as String? } == names)
    }
  }

  @Test(
    "work with limits, counts, dictionaries and unsaved changes",
    .only(whole, "Apple's page on block predicates"))
  func blocks() throws {
    try SampleStack.withContext(model: Self.model()) { context in
      try Self.fill(context)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate { object, _ in
        ((object as? NSManagedObject)?.value(forKey: "name") as? String ?? "") >= "Bob"
      }
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
      #expect(try context.count(for: request) == 2)
      request.fetchLimit = 1
      #expect(try context.fetch(request).map { $0["name"] as String? } == ["Cyd"])
      request.fetchLimit = 0
      let cyd = try #require(try context.fetch(request).first)
      cyd.setValue("Abe", forKey: "name")
      context.insert("Player", ["name": "Dan"])
      #expect(try context.fetch(request).map { $0["name"] as String? } == ["Dan", "Bob"])

      let rows = NSFetchRequest<NSDictionary>(entityName: "Player")
      rows.predicate = request.predicate
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["name"]
      // Dictionaries have the stored values.
      rows.predicate = NSPredicate { _, _ in true }
      #expect(Set(try context.fetch(rows).map { $0["name"] as? String }) == ["Ann", "Bob", "Cyd"])
      rows.predicate = request.predicate
      try context.save()
      #expect(Set(try context.fetch(rows).map { $0["name"] as? String }) == ["Bob", "Dan"])
    }
  }

  @Test(
    "work in live results", .only(whole, "Apple's page on block predicates"))
  func live() throws {
    try SampleStack.withContext(model: Self.model()) { context in
      try Self.fill(context)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "scores.@count > 1")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable()
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      func names() -> [String?] { (controller.fetchedObjects ?? []).map { $0["name"] } }
      #expect(names() == ["Ann"])
      let bob = try #require(try context.all("Player", "name == 'Bob'").first)
      bob.setValue([1, 2], forKey: "scores")
      context.processPendingChanges()
      #expect(names() == ["Ann", "Bob"])
      #expect(table.calls == ["will", "+0.1", "did"])
    }
  }

  @Test(
    "throw an error in SQLite stores, and for members of relationships",
    .onEveryStore)
  func refused() throws {
    let isSQL = StoreScope.current.kind.isSQL
    let model = try Self.model()
    try SampleStack.withContext(model: model) { context in
      try Self.fill(context)
      if isSQL {
        #expect(throws: NSError.self) { try context.all("Player", "scores.@count > 1") }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = NSPredicate { _, _ in true }
        let error = #expect(throws: NSError.self) { try context.fetch(request) }
        #expect(error?.localizedDescription.contains("block") == true)
        #expect(throws: NSError.self) { try context.count(for: request) }
      }
      #expect(throws: NSError.self) {
        try context.all("Team", "SUBQUERY(players, $p, $p.scores.@count > 1).@count > 0")
      }
      #expect(throws: NSError.self) { try context.all("Player", "name.@count > 1") }
    }
  }
}
