import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// Derived attributes that depend on other rows. Source of the operators: Apple's page for
/// NSDerivedAttributeDescription. Notifying contexts of the changed rows is this library's design.
@Suite(
  "Derived attributes of other rows",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores support derived attributes"))
struct DerivedRowTests {
  private static func derived(
    _ name: String, _ expression: String, _ type: NSAttributeType = .integer64AttributeType
  ) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.derivationExpression = NSExpression(format: expression)
    return attribute
  }

  /// Returns a model with these derived attributes: a player has the number, the total weight and the
  /// greatest weight of its tags, and a copy of its team's size. A tag has the number of its players. A
  /// team has the numbers of its players and fans, and the total, lowest, highest and average score of
  /// its players.
  private func model() throws -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    let player = try #require(model.entitiesByName["Player"])
    let tag = try #require(model.entitiesByName["Tag"])
    let double = NSAttributeType.doubleAttributeType
    tag.properties += [
      SampleStack.attribute("weight", double), Self.derived("playerCount", "players.@count"),
    ]
    player.properties += [
      Self.derived("tagCount", "tags.@count"), Self.derived("weight", "tags.@sum.weight", double),
      Self.derived("heaviest", "tags.@max.weight", double),
      Self.derived("teamSize", "team.playerCount"),
    ]
    // The relationship `fans` has no inverse.
    team.properties += [
      SampleStack.relationship("fans", to: player, toMany: true),
      Self.derived("fanCount", "fans.@count"), Self.derived("playerCount", "players.@count"),
      Self.derived("total", "players.@sum.score", double),
      Self.derived("least", "players.@min.score", double),
      Self.derived("greatest", "players.@max.score", double),
      Self.derived("average", "players.@avg.score", double),
    ]
    return model
  }

  @Test("Values of every operator are kept up to date, even over many-to-many relationships")
  func kinds() throws {
    try SampleStack.withContext(model: try model()) { context in
      func values(_ object: NSManagedObject, _ keys: String...) -> [Double?] {
        context.refreshAllObjects()
        return keys.map { (object.value(forKey: $0) as? NSNumber)?.doubleValue }
      }
      let team = context.insert("Team", ["name": "Red"])
      let tags = [1.5, 2.5, 4.0].map { context.insert("Tag", ["label": "t", "weight": $0]) }
      let ann = context.insert("Player", ["name": "Ann", "score": 3.0, "team": team])
      let bob = context.insert("Player", ["name": "Bob", "score": 5.0, "team": team])
      try context.save()
      #expect(values(ann, "tagCount", "weight", "heaviest", "teamSize") == [0, 0, nil, 2])
      #expect(
        values(team, "playerCount", "total", "least", "greatest", "average", "fanCount")
          == [2, 8, 3, 5, 4, 0])
      ann.setValue(NSSet(array: [tags[0], tags[1]]), forKey: "tags")
      team.setValue(NSSet(array: [ann, bob]), forKey: "fans")
      bob.setValue(7.0, forKey: "score")
      try context.save()
      #expect(values(ann, "tagCount", "weight", "heaviest") == [2, 4, 2.5])
      #expect(values(team, "total", "greatest", "average", "fanCount") == [10, 7, 5, 2])
      #expect(tags.map { values($0, "playerCount")[0] } == [1, 1, 0])
      tags[0].setValue(9.5, forKey: "weight")
      tags[2].setValue(NSSet(array: [ann, bob]), forKey: "players")
      team.setValue(NSSet(array: [bob]), forKey: "fans")
      bob.setValue(nil, forKey: "team")
      try context.save()
      #expect(values(ann, "tagCount", "weight", "heaviest", "teamSize") == [3, 16, 9.5, 1])
      #expect(values(bob, "tagCount", "weight", "heaviest", "teamSize") == [1, 4, 4, nil])
      #expect(
        values(team, "playerCount", "total", "least", "greatest", "fanCount") == [1, 3, 3, 3, 1])
      context.delete(tags[0])
      context.delete(bob)
      try context.save()
      #expect(values(ann, "tagCount", "weight", "heaviest") == [2, 6.5, 4])
      #expect(values(tags[2], "playerCount") == [1])
      context.delete(ann)
      try context.save()
      #expect(values(team, "playerCount", "total", "least", "average") == [0, 0, nil, nil])
    }
  }

  @Test(
    "A sum of fractions equals the members' sum, whatever values the members had before",
    arguments: [1e17, Double.infinity, 0.1])
  func fractions(_ passing: Double) throws {
    try SampleStack.withContext(model: try model()) { context in
      let team = context.insert("Team", ["name": "Red"])
      let other = context.insert("Team", ["name": "Blue"])
      context.insert("Player", ["name": "Ann", "score": 0.1, "team": team])
      let bob = context.insert("Player", ["name": "Bob", "score": passing, "team": team])
      try context.save()
      func totals() -> [Double?] {
        context.refreshAllObjects()
        return [team, other].map { ($0.value(forKey: "total") as? NSNumber)?.doubleValue }
      }
      #expect(totals() == [0.1 + passing, 0])
      bob.setValue(other, forKey: "team")
      try context.save()
      #expect(totals() == [0.1, passing])
      bob.setValue(-passing, forKey: "score")
      try context.save()
      #expect(totals() == [0.1, -passing])
      context.delete(bob)
      try context.save()
      #expect(totals() == [0.1, 0])
    }
  }

  @Test("Sums of fractions are updated after batch requests, and so are the sums of these sums")
  func fractionsOfBatches() throws {
    let model = try model()
    let league = NSEntityDescription()
    league.name = "League"
    let teams = SampleStack.relationship(
      "teams", to: try #require(model.entitiesByName["Team"]), toMany: true)
    league.properties = [teams, Self.derived("grand", "teams.@sum.total", .doubleAttributeType)]
    model.entities.append(league)
    try SampleStack.withContext(model: model) { context in
      let team = context.insert("Team", ["name": "Red"])
      let league = context.insert("League", ["teams": NSSet(object: team)])
      for score in [0.1, 1e17, 0.2] { context.insert("Player", ["score": score, "team": team]) }
      try context.save()
      func sums() -> [Double?] {
        context.refreshAllObjects()
        return [team.value(forKey: "total"), league.value(forKey: "grand")].map {
          ($0 as? NSNumber)?.doubleValue
        }
      }
      #expect(sums() == [1e17, 1e17])
      try context.batchUpdate("Player", "score > 1", ["score": Double.infinity])
      #expect(sums() == [.infinity, .infinity])
      try context.batchDelete("Player", "score > 1")
      #expect(sums() == [0.1 + 0.2, 0.1 + 0.2])
    }
  }

  @Test("Derived values equal the members' values after random changes")
  func random() throws {
    var generator = SeededGenerator("derived rows")
    for _ in 0..<4 {
      try SampleStack.withContext(model: try model()) { context in
        let teams = (0..<3).map { context.insert("Team", ["name": "\($0)"]) }
        let tags = (0..<5).map {
          context.insert("Tag", ["label": "\($0)", "weight": Double($0)])
        }
        var players: [NSManagedObject] = []
        for _ in 0..<60 {
          switch Int.random(in: 0..<6, using: &generator) {
          case 0: players.append(context.insert("Player", ["score": 1.0]))
          case 1 where players.count > 3:
            context.delete(players.remove(at: Int.random(in: 0..<players.count, using: &generator)))
          case 2: try context.save()
          default:
            guard let player = players.randomElement(using: &generator) else { continue }
            player.setValue(
              Double(Int.random(in: 0..<9, using: &generator)), forKey: "score")
            player.setValue(
              (teams + [nil]).randomElement(using: &generator) ?? nil, forKey: "team")
            let some = tags.filter { _ in Bool.random(using: &generator) }
            player.setValue(NSSet(array: some), forKey: "tags")
            tags.randomElement(using: &generator)?.setValue(
              Double(Int.random(in: 0..<9, using: &generator)), forKey: "weight")
          }
        }
        try context.save()
        context.refreshAllObjects()
        func check(_ object: NSManagedObject, _ key: String, _ expected: Double?) {
          #expect((object.value(forKey: key) as? NSNumber)?.doubleValue == expected)
        }
        for team in teams {
          let scores = try context.all("Player", "team == %@", [team]).compactMap {
            $0["score"] as Double?
          }
          check(team, "playerCount", Double(scores.count))
          check(team, "total", scores.reduce(0, +))
          check(team, "least", scores.min())
          check(team, "greatest", scores.max())
        }
        for player in players {
          let weights =
            (player.value(forKey: "tags") as? NSSet)?.allObjects
            .compactMap { ($0 as? NSManagedObject)?["weight"] as Double? } ?? []
          check(player, "tagCount", Double(weights.count))
          check(player, "weight", weights.reduce(0, +))
          check(player, "heaviest", weights.max())
          let size = (player.value(forKey: "team") as? NSManagedObject)?["playerCount"] as Double?
          check(player, "teamSize", size)
        }
      }
    }
  }

  @Test("The saving context, its live results and other contexts have the new values")
  func reported() throws {
    let stack = try SampleStack(model: try model())
    let (context, other) = (stack.context, stack.newContext())
    other.automaticallyMergesChangesFromParent = true
    try onQueues(of: context, other) {
      let team = context.insert("Team", ["name": "Red"])
      context.insert("Player", ["name": "Ann", "team": team])
      try context.save()
      let twin = try other.existingObject(with: team.objectID)
      #expect(team["playerCount"] == 1 && twin["playerCount"] == 1)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.predicate = NSPredicate(format: "playerCount > 1")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let results = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      // Without a delegate, changes are not tracked, as in Apple's Core Data.
      let table = RecordingTable(traps: false)
      results.delegate = table
      try results.performFetch()
      #expect(results.fetchedObjects?.isEmpty == true)
      try context.batchInsert("Player", [["name": "Bob"]])
      let bob = try #require(try context.all("Player", "name == 'Bob'").first)
      bob.setValue(team, forKey: "team")
      try context.save()
      #expect(team["playerCount"] == 2)
      #expect(results.fetchedObjects == [team] && table.calls.last == "did")
    }
    try other.performAndWait {
      let twin = try #require(try other.all("Team").first)
      #expect(twin["playerCount"] == 2)
    }
  }

  @Test("Rows that only a trigger changed are refreshed and reported, and do not conflict")
  func affected() throws {
    let stack = try SampleStack(model: try model())
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["name": "Ann", "score": 1.0, "team": team])
      try context.save()
      #expect(team["total"] == 1.0)
      let saved = Recorder(
        [.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs], of: context)
      player.setValue(4.5, forKey: "score")
      #expect(!team.hasChanges)
      try context.save()
      #expect(team["total"] == 4.5 && team["greatest"] == 4.5)
      let infos = saved.notifications.map(\.userInfo)
      #expect(infos[0]?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [player])
      #expect(infos[0]?[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [team])
      #expect(infos[1]?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [player.objectID])
      #expect(infos[1]?[NSRefreshedObjectIDsKey] as? Set<NSManagedObjectID> == [team.objectID])
      // The trigger leaves the row's version unchanged, so a later change to the row does not conflict.
      team.setValue("Blue", forKey: "name")
      player.setValue(5.5, forKey: "score")
      try context.save()
      #expect(team["total"] == 5.5 && team["name"] == "Blue")
      // Unsaved changes are kept on top of the new row.
      team.setValue("Green", forKey: "name")
      let second = stack.newContext()
      try second.performAndWait {
        let twin = try second.existingObject(with: player.objectID)
        twin.setValue(6.5, forKey: "score")
        try second.save()
      }
      try context.save()
      context.refreshAllObjects()
      #expect(team["total"] == 6.5 && team["name"] == "Green")
    }
  }

  @Test("Batch requests also report the rows that triggers changed")
  func batches() throws {
    try SampleStack.withContext(model: try model()) { context in
      context.automaticallyMergesChangesFromParent = true
      let team = context.insert("Team", ["name": "Red"])
      for score in [1.0, 2.0] { context.insert("Player", ["score": score, "team": team]) }
      try context.save()
      #expect(team["total"] == 3.0)
      let updated = try context.batchUpdate("Player", nil, ["score": 5.0])
      #expect(updated.count == 2)
      #expect(team["total"] == 10.0)
      let deleted = try context.batchDelete("Player")
      #expect(deleted.count == 2)
      #expect(team["total"] == 0.0 && team["playerCount"] == 0)
    }
  }

  @Test(
    "Changes made by Apple's own triggers are reported",
    .only([.sqlite], "the store is a file of Apple's"),
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func apple() throws {
    let folder = try TemporaryFolder()
    let fixture = try #require(StoreFixture.named("SampleModel2_V1.sqlite"))
    // The program that made the store has a custom transformer.
    ValueTransformer.setValueTransformer(
      NSSecureUnarchiveFromDataTransformer(), forName: .init("ContentTransformer"))
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).last).model
    let (_, context) = try TestedStore.sqlite.open(
      model, at: url,
      options: [
        NSIgnorePersistentStoreVersioningOption: NSNumber(value: true),
        "NSPersistentHistoryTrackingKey": NSNumber(value: true),
      ])
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    other.automaticallyMergesChangesFromParent = true
    let (book, count) = try onQueues(of: context, other) {
      let book = try #require(try other.all("Book", "pages.@count > 1").first)
      let count = try #require(book["pagesCount"] as Int?)
      let twin = try context.existingObject(with: book.objectID)
      let page = try #require(
        (twin.value(forKey: "pages") as? NSSet)?.allObjects.first as? NSManagedObject)
      context.delete(page)
      try context.save()
      #expect(twin["pagesCount"] == count - 1)
      return (book, count)
    }
    other.performAndWait { #expect(book["pagesCount"] == count - 1) }
  }

  @Test("Rows reported by a file's triggers are checked before they are used")
  func strange() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let model = try model()
    let (store, first) = try TestedStore.sqlite.open(model, at: url)
    try first.persistentStoreCoordinator?.remove(store)
    try PlainDatabase(url).execute(
      "CREATE TRIGGER x AFTER INSERT ON ZTEAM BEGIN"
        + " SELECT NSCoreDataTriggerUpdateAffectedObjectValue('ZTEAM', 900, 5, 'name', 1),"
        + " NSCoreDataTriggerUpdateAffectedObjectValue(NULL, 'x', NULL, NULL, NULL),"
        + " NSCoreDataTriggerUpdateAffectedObjectValue(),"
        + " NSCoreDataTriggerUpdateAffectedObjectValue('ZTEAM', Z_ENT, 77, 'unknown', 1)"
        + " FROM ZTEAM; END")
    let (_, context) = try TestedStore.sqlite.open(model, at: url)
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Red"])
      try context.save()
      #expect(team["name"] == "Red")
    }
  }
}
