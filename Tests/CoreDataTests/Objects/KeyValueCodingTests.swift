import CoreData
import Testing

@Suite("Key-value coding of managed objects", .onEveryStore)
struct KeyValueCodingTests {
  @Test("Key paths follow relationships, and operators work on collections")
  func keyPaths() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team", ["name": "Reds"])
      let players = [30, 20, 40].map { context.insert("Player", ["age": $0, "team": team]) }
      #expect(players[0].value(forKeyPath: "team.name") as? String == "Reds")
      #expect(team.value(forKeyPath: "players.@count") as? Int == 3)
      #expect(team.value(forKeyPath: "players.@max.age") as? Int == 40)
      #expect(team.value(forKeyPath: "players.@avg.age") as? Double == 30)
      #expect(team.value(forKeyPath: "players.@sum.age") as? Int == 90)
      #expect(Set((team.value(forKeyPath: "players.age") as? Set<Int>) ?? []) == [20, 30, 40])
      players[1].setValue("Blues", forKeyPath: "team.name")
      #expect(team.value(forKey: "name") as? String == "Blues")
      team.setValue(1, forKeyPath: "players.age")
      #expect(team.value(forKeyPath: "players.@sum.age") as? Int == 3)
      players[1].setValue(nil, forKey: "team")
      players[1].setValue("Greens", forKeyPath: "team.name")
      #expect(team.value(forKey: "name") as? String == "Blues")
    }
  }

  // Source: Apple's pages for mutableSetValue(forKeyPath:) and mutableOrderedSetValue(forKeyPath:).
  @Test("A key path returns a mutable set, or a detached empty set if an object on the way is nil")
  func mutableSetsAtKeyPaths() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team", ["name": "Reds"])
      let (ann, bea) = (context.insert("Player", ["team": team]), context.insert("Player"))
      let cup = context.insert("Trophy")
      ann.mutableSetValue(forKeyPath: "team.players").add(bea)
      #expect(bea.value(forKey: "team") as? NSManagedObject === team)
      bea.mutableOrderedSetValue(forKeyPath: "team.trophies").add(cup)
      #expect(cup.value(forKey: "winner") as? NSManagedObject === team)
      #expect(ann.mutableSetValue(forKeyPath: "team.players").count == 2)
      #expect(team.mutableSetValue(forKeyPath: "players").count == 2)
      bea.setValue(nil, forKey: "team")
      bea.mutableSetValue(forKeyPath: "team.players").add(ann)
      #expect(bea.mutableOrderedSetValue(forKeyPath: "team.trophies").count == 0)
      #expect(ann.value(forKey: "team") as? NSManagedObject === team)
    }
  }

  @Test("Several keys can be read and set at once, with NSNull for nil")
  func dictionaries() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player")
      player.setValuesForKeys(["name": "Ann", "age": 7])
      let values = player.dictionaryWithValues(forKeys: ["name", "age", "score"])
      #expect(values["name"] as? String == "Ann")
      #expect(values["age"] as? Int == 7)
      #expect(values["score"] is NSNull)
      player.setValuesForKeys(["name": NSNull()])
      #expect(player.value(forKey: "name") == nil)
      let age = try player.value("age", as: Int.self)
      #expect(age == 7)
      let name = try player.value("name", as: String.self)
      #expect(name == nil)
      #expect(throws: NSError.self) { try player.value("age", as: Date.self) }
      #expect(throws: NSError.self) { try player.value("agee", as: Int.self) }
    }
  }

  /// Source: Big Nerd Ranch's CoreDataStack filters the objects of a notification by their entity.
  @Test("Properties common to all objects can be read by key and in predicates")
  func state() throws {
    try SampleStack.withContext { context in
      let (team, player) = (context.insert("Team"), context.insert("Player"))
      let entity = try #require(
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Player"])
      #expect(player.value(forKey: "entity") as? NSEntityDescription === entity)
      #expect(player.value(forKeyPath: "entity.name") as? String == "Player")
      #expect(player.value(forKey: "isInserted") as? Bool == true)
      #expect(player.value(forKey: "managedObjectContext") as? NSManagedObjectContext === context)
      let both = NSSet(array: [team, player])
      for format in ["entity == %@", "entity.name == %@.name", "SELF.entity IN {%@}"] {
        let predicate = NSPredicate(format: format, entity)
        #expect(both.filtered(using: predicate) as? Set<NSManagedObject> == [player])
      }
      try context.save()
      #expect(!NSPredicate(format: "inserted == YES").evaluate(with: player))
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "entity == %@", entity)
      let found = try context.fetch(request)
      #expect(found == [player])
    }
  }
}
