import CoreDataTestSupport
import Testing

@testable import CoreData

@Suite(
  "Requests with objects of another coordinator of the same store",
  .only(TestedStore.allCases, "a custom store evaluates predicates itself"))
struct ForeignReferenceTests {
  /// Saves two players of the team "Red" and one without a team, and opens the store with another coordinator, which has
  /// the same model or a copy of it.
  private func stacks(copiesModel: Bool) throws -> (there: SampleStack, here: SampleStack) {
    let there = try SampleStack()
    try there.context.performAndWait {
      let red = there.context.insert("Team", ["name": "Red"])
      for name in ["Ann", "Bob"] { there.context.insert("Player", ["name": name, "team": red]) }
      there.context.insert("Player", ["name": "Cyd"])
      try there.context.save()
    }
    let model = copiesModel ? there.model.copy() as? NSManagedObjectModel : nil
    return (there, try there.reopened(model: model))
  }

  private func names(_ objects: [NSManagedObject]?) -> [String] {
    (objects ?? []).map { $0["name"] ?? "" }
  }

  @Test("Fetches find saved and changed objects by such IDs", arguments: [false, true])
  func fetches(copiesModel: Bool) throws {
    let (there, here) = try stacks(copiesModel: copiesModel)
    try onQueues(of: there.context, here.context) {
      let red = try #require(try there.context.all("Team").first)
      let ann = try #require(try there.context.all("Player", "name == 'Ann'").first)
      func found(_ entity: String, _ format: String, _ value: Any) throws -> [String] {
        names(try here.context.all(entity, format, [value], sort: ["name"]))
      }
      func expectSame(_ moment: Comment) throws {
        for value in [red, red.objectID] as [Any] {
          #expect(try found("Player", "team == %@", value) == ["Ann", "Bob"], moment)
          #expect(try found("Player", "team IN %@", [value]) == ["Ann", "Bob"], moment)
          #expect(try found("Player", "team != %@", value) == [], moment)
        }
        for value in [ann, ann.objectID] as [Any] {
          #expect(try found("Player", "SELF == %@", value) == ["Ann"], moment)
          #expect(try found("Player", "SELF IN %@", [value]) == ["Ann"], moment)
          #expect(try found("Team", "ANY players == %@", value) == ["Red"], moment)
        }
      }
      try expectSame("in the store")
      // A changed object is compared in memory.
      for player in try here.context.all("Player") { player.setValue(9, forKey: "age") }
      for team in try here.context.all("Team") { team.setValue(Date(), forKey: "founded") }
      try expectSame("in memory")
    }
  }

  @Test("Compiled predicates match objects by such IDs", arguments: [false, true])
  func compiledPredicates(copiesModel: Bool) throws {
    let (there, here) = try stacks(copiesModel: copiesModel)
    try onQueues(of: there.context, here.context) {
      let red = try #require(try there.context.all("Team").first)
      let ann = try #require(try there.context.all("Player", "name == 'Ann'").first)
      let players = try here.context.all("Player", sort: ["name"])
      func compiled(_ format: String, _ value: Any) throws -> CompiledPredicate {
        try CompiledPredicate(
          try NSPredicate(validating: format, arguments: [value]),
          for: try #require(here.model.entitiesByName["Player"]))
      }
      func found(_ format: String, _ value: Any) throws -> [String] {
        let predicate = try compiled(format, value)
        let matches = try predicate.filter(players)
        #expect(try predicate.count(in: players) == matches.count)
        #expect(try players.filter { try predicate.evaluate(with: $0) } == matches)
        return names(matches)
      }
      for value in [red, red.objectID] as [Any] {
        #expect(try found("team == %@", value) == ["Ann", "Bob"])
        #expect(try found("team IN %@", [value, ann.objectID] as [Any]) == ["Ann", "Bob"])
        #expect(try found("team != %@", value) == [])
      }
      for value in [ann, ann.objectID] as [Any] {
        #expect(try found("SELF == %@", value) == ["Ann"])
        #expect(try found("NOT SELF IN %@", [value]) == ["Bob", "Cyd"])
        #expect(try found("ANY team.players == %@", value) == ["Ann", "Bob"])
      }
      if copiesModel { return }
      // One predicate matches objects of both coordinators.
      let shared = try compiled("team == %@", red)
      let originals = try there.context.all("Player", sort: ["name"])
      for _ in 0..<2 {
        for list in [players, originals] {
          #expect(names(try shared.filter(list)) == ["Ann", "Bob"])
        }
      }
    }
  }

  @Test("A compiled predicate evaluates objects in the store of its IDs without looking for others")
  func originalIDs() throws {
    let (there, here) = try stacks(copiesModel: false)
    try onQueues(of: there.context, here.context) {
      let red = try #require(try there.context.all("Team").first)
      let own = try #require(try there.context.all("Player").first)
      let foreign = try #require(try here.context.all("Player").first)
      let bound = try PredicateBinder(own.layout).bind(NSPredicate(format: "team == %@", red))
      let evaluators = LocalEvaluators(bound)
      #expect(evaluators.evaluator(for: own) === evaluators.original)
      // A store without a file or a name has one coordinator.
      if here.coordinator === there.coordinator { return }
      let local = evaluators.evaluator(for: foreign)
      #expect(local !== evaluators.original && evaluators.evaluator(for: foreign) === local)
    }
  }

  @Test(
    "A compiled predicate with an unsaved object matches its row once it is saved",
    .only(TestedStore.sqlKinds, "other stores do not read what another coordinator saved"))
  func unsavedObjects() throws {
    let (there, here) = try stacks(copiesModel: false)
    try onQueues(of: there.context, here.context) {
      let blue = there.context.insert("Team", ["name": "Blue"])
      let dan = there.context.insert("Player", ["name": "Dan", "team": blue])
      let predicate = try CompiledPredicate(
        NSPredicate(format: "team == %@", blue),
        for: try #require(here.model.entitiesByName["Player"]))
      #expect(try predicate.evaluate(with: dan))
      #expect(try predicate.filter(try here.context.all("Player")) == [])
      try there.context.save()
      for _ in 0..<2 {
        #expect(try predicate.evaluate(with: dan))
        #expect(names(try predicate.filter(try here.context.all("Player"))) == ["Dan"])
      }
    }
  }

  @Test("Dictionary requests and their groups find rows by such IDs", arguments: [false, true])
  func dictionaries(copiesModel: Bool) throws {
    let (there, here) = try stacks(copiesModel: copiesModel)
    try onQueues(of: there.context, here.context) {
      let red = try #require(try there.context.all("Team").first)
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["team", "name"]
      request.propertiesToGroupBy = ["team", "name"]
      request.havingPredicate = NSPredicate(format: "team == %@", red)
      let found = try here.context.fetch(request).compactMap { $0["name"] as? String }
      #expect(found.sorted() == ["Ann", "Bob"])
    }
  }

  @Test(
    "Live results keep changed rows and receive new ones if their predicate has such an ID",
    arguments: [false, true], [0, 2])
  func liveResults(copiesModel: Bool, batchSize: Int) throws {
    let (there, here) = try stacks(copiesModel: copiesModel)
    try onQueues(of: there.context, here.context) {
      let red = try #require(try there.context.all("Team").first)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "team == %@", red)
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.fetchBatchSize = batchSize
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: here.context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      #expect(names(controller.fetchedObjects) == ["Ann", "Bob"])
      for player in try here.context.all("Player") { player.setValue(9, forKey: "age") }
      here.context.processPendingChanges()
      #expect(names(controller.fetchedObjects) == ["Ann", "Bob"])
      let team = try #require(try here.context.all("Team").first)
      here.context.insert("Player", ["name": "Dan", "team": team])
      here.context.processPendingChanges()
      #expect(names(controller.fetchedObjects) == ["Ann", "Bob", "Dan"])
      #expect(table.violations.isEmpty)
    }
  }

  @Test(
    "Batch requests change and delete the rows of such IDs",
    .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"), arguments: [false, true])
  func batches(copiesModel: Bool) throws {
    let (there, here) = try stacks(copiesModel: copiesModel)
    try onQueues(of: there.context, here.context) {
      let red = try #require(try there.context.all("Team").first)
      let ann = try #require(try there.context.all("Player", "name == 'Ann'").first)
      let bob = try #require(try here.context.all("Player", "name == 'Bob'").first)
      let update = NSBatchUpdateRequest(entityName: "Player")
      update.predicate = NSPredicate(format: "team == %@", red)
      update.propertiesToUpdate = ["age": 9]
      update.resultType = .updatedObjectsCountResultType
      let updated = try here.context.execute(update) as? NSBatchUpdateResult
      #expect(updated?.result as? Int == 2)
      // The IDs may even be of several coordinators.
      let deletion = NSBatchDeleteRequest(objectIDs: [ann.objectID, bob.objectID])
      deletion.resultType = .resultTypeCount
      let deleted = try here.context.execute(deletion) as? NSBatchDeleteResult
      #expect(deleted?.result as? Int == 2)
      let rest = try there.reading { names(try $0.all("Player")) }
      #expect(rest == ["Cyd"])
    }
  }
}
