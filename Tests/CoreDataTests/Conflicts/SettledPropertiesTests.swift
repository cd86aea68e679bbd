import CoreData
import Testing

/// Sources: what tests of FreeCoreData assert of Apple's for attributes (changed here, there, in
/// both, by policy); NSMergePolicy.h. Members of to-many relationships: Apple's page says that the
/// class merges them; how is ours (see "Differences").
@Suite("Settled properties")
struct SettledPropertiesTests {
  typealias Arrangement = TwoWriters.Arrangement

  /// What is expected after `here` saved, by policy: a property changed here only, there only, in
  /// both. "o" is the old value, "h" what was set here, "t" what was set there.
  static let table: [(policy: NSMergePolicy, here: String, there: String, both: String)] = [
    (.mergeByPropertyStoreTrump, "h", "t", "t"),
    (.mergeByPropertyObjectTrump, "h", "t", "h"),
    (.overwrite, "h", "o", "h"),
    (.rollback, "o", "t", "t"),
  ]

  @Test(
    "Attributes are settled one by one, by the table of policies", arguments: Arrangement.allCases,
    [false, true])
  func attributes(_ arrangement: Arrangement, _ isFault: Bool) throws {
    for row in Self.table {
      let model = SampleStack.makeModel()
      model.entitiesByName["Player"]?.properties += ["a", "b", "c", "d"].map {
        SampleStack.attribute($0, .stringAttributeType)
      }
      let writers = try TwoWriters(arrangement, model: model, policy: row.policy)
      let id = try Self.newPlayer(writers)
      let player: NSManagedObject
      if isFault {
        player = try #require(try writers.here.all("Player").first)
        #expect(player.isFault)
      } else {
        player = try writers.here.existingObject(with: id)
        #expect(!player.isFault)
      }
      let twin = try writers.twin(player)
      twin["b"] = "t"
      twin["c"] = "t"
      try writers.there.save()
      player["a"] = "h"
      player["c"] = "h"
      try writers.here.save()
      let expected = [row.here, row.there, row.both, "o"]
      let stored = try #require(writers.stored(player))
      #expect(["a", "b", "c", "d"].map { player[$0] } == expected, "\(row.policy.mergeType)")
      #expect(["a", "b", "c", "d"].map { stored[$0] } == expected, "\(row.policy.mergeType)")
      #expect(player.changedValues().isEmpty && !player.hasChanges && !writers.here.hasChanges)
      #expect(player.committedValues(forKeys: ["a"])["a"] as? String == expected[0])
      // It stands on the new version: the next save finds no conflict.
      writers.here.mergePolicy = NSMergePolicy.error
      player["d"] = "next"
      try writers.here.save()
      #expect(writers.stored(player)?["d"] == "next")
    }
  }

  private static func newPlayer(_ writers: TwoWriters) throws -> NSManagedObjectID {
    let setup = writers.reader()
    let player = setup.insert("Player", ["a": "o", "b": "o", "c": "o", "d": "o"])
    try setup.save()
    return player.objectID
  }

  @Test(
    "A to-one relationship is settled as an attribute is, and the other side follows",
    arguments: Arrangement.allCases)
  func toOne(_ arrangement: Arrangement) throws {
    for row in Self.table {
      for (isHere, isThere) in [(true, false), (false, true), (true, true)] {
        let writers = try TwoWriters(arrangement, policy: row.policy)
        let teams = ["o", "h", "t"].map { writers.here.insert("Team", ["name": $0]) }
        let player = writers.here.insert("Player", ["name": "Ann", "team": teams[0], "age": 1])
        try writers.here.save()
        // All members are in memory before.
        for team in teams { _ = (team.value(forKey: "players") as? NSSet)?.count }
        let twin = try writers.twin(player)
        twin["age"] = 2
        if isThere { twin["team"] = try writers.twin(teams[2]) }
        try writers.there.save()
        player["name"] = "Bea"
        if isHere { player["team"] = teams[1] }
        try writers.here.save()
        let expected = isHere ? (isThere ? row.both : row.here) : row.there
        let text = "\(row.policy.mergeType) here \(isHere) there \(isThere)"
        #expect(player.value(forKeyPath: "team.name") as? String == expected, "\(text)")
        let stored = try #require(writers.stored(player))
        #expect(stored.value(forKeyPath: "team.name") as? String == expected, "\(text)")
        for team in teams {
          let count = team["name"] == expected ? 1 : 0
          #expect((team.value(forKey: "players") as? NSSet)?.count == count, "\(text)")
          let storedTeam = try #require(writers.stored(team))
          #expect((storedTeam.value(forKey: "players") as? NSSet)?.count == count, "\(text)")
        }
        #expect(!writers.here.hasChanges, "\(text)")
      }
    }
  }

  @Test("Both ends of a one-to-one relationship agree after a conflict, in memory and in the store")
  func oneToOne() throws {
    for row in Self.table {
      for (isHere, isThere) in [(true, false), (false, true), (true, true)] {
        let writers = try TwoWriters(policy: row.policy)
        let lockers = (0..<3).map { writers.here.insert("Locker", ["number": $0]) }
        let player = writers.here.insert("Player", ["name": "Ann", "locker": lockers[0], "age": 1])
        try writers.here.save()
        for locker in lockers { _ = locker.value(forKey: "owner") }
        let twin = try writers.twin(player)
        twin["age"] = 2
        if isThere { twin["locker"] = try writers.twin(lockers[2]) }
        try writers.there.save()
        player["name"] = "Bea"
        if isHere { player["locker"] = lockers[1] }
        try writers.here.save()
        let text = "\(row.policy.mergeType) here \(isHere) there \(isThere)"
        let expected = isHere ? (isThere ? row.both : row.here) : row.there
        let number = ["o": 0, "h": 1, "t": 2][expected]
        let own = try #require(player.value(forKey: "locker") as? NSManagedObject, "\(text)")
        #expect(own["number"] == number, "\(text)")
        let stored = try #require(writers.stored(player))
        #expect(stored.value(forKeyPath: "locker.number") as? Int == number, "\(text)")
        let reader = writers.reader()
        for locker in try reader.all("Locker") {
          let owner = locker.value(forKey: "owner") as? NSManagedObject
          #expect((owner != nil) == (locker["number"] == number), "\(text) \(locker)")
        }
        #expect(own.value(forKey: "owner") as? NSManagedObject === player, "\(text)")
        #expect(!writers.here.hasChanges, "\(text)")
      }
    }
  }

  @Test("Members that were added and removed here and there are merged one by one")
  func manyToMany() throws {
    for policy in NSMergePolicy.settling {
      let writers = try TwoWriters(policy: policy)
      let tags = ["a", "b", "c", "x", "y"].map { writers.here.insert("Tag", ["label": $0]) }
      let player = writers.here.insert("Player", ["name": "Ann"])
      player["tags"] = Set(tags[0..<3])
      try writers.here.save()
      let twin = try writers.twin(player)
      twin["name"] = "there"
      twin.mutableSetValue(forKey: "tags").remove(try writers.twin(tags[0]))
      twin.mutableSetValue(forKey: "tags").add(try writers.twin(tags[3]))
      try writers.there.save()
      player["name"] = "here"
      player.mutableSetValue(forKey: "tags").remove(tags[1])
      player.mutableSetValue(forKey: "tags").add(tags[4])
      try writers.here.save()
      let expected = policy === NSMergePolicy.rollback ? ["b", "c", "x"] : ["c", "x", "y"]
      func labels(_ object: NSManagedObject?) -> [String] {
        let tags = object?.value(forKey: "tags") as? Set<NSManagedObject> ?? []
        return tags.compactMap { $0["label"] }.sorted()
      }
      #expect(labels(player) == expected, "\(policy.mergeType)")
      #expect(labels(writers.stored(player)) == expected, "\(policy.mergeType)")
      for tag in tags {
        let count = expected.contains(tag["label"] ?? "") ? 1 : 0
        let stored = try #require(writers.stored(tag))
        #expect((stored.value(forKey: "players") as? NSSet)?.count == count)
      }
      #expect((tags[1].value(forKey: "players") as? NSSet)?.count == (expected[0] == "b" ? 1 : 0))
      #expect((tags[4].value(forKey: "players") as? NSSet)?.count == (expected[0] == "b" ? 0 : 1))
      #expect(!writers.here.hasChanges, "\(policy.mergeType)")
    }
  }

  @Test("An ordered relationship keeps the order that was set here, with what was added there")
  func ordered() throws {
    let writers = try TwoWriters(policy: .mergeByPropertyObjectTrump)
    let team = writers.here.insert("Team", ["name": "Reds"])
    let trophies = ["a", "b", "c"].map { writers.here.insert("Trophy", ["title": $0]) }
    team["trophies"] = NSOrderedSet(array: trophies)
    try writers.here.save()
    let twin = try writers.twin(team)
    twin["name"] = "there"
    twin.mutableOrderedSetValue(forKey: "trophies")
      .add(writers.there.insert("Trophy", ["title": "t"]))
    try writers.there.save()
    team["name"] = "here"
    team["trophies"] = NSOrderedSet(array: [trophies[2], trophies[0], trophies[1]])
    try writers.here.save()
    func titles(_ object: NSManagedObject?) -> [String] {
      (object?.value(forKey: "trophies") as? NSOrderedSet)?.array
        .compactMap { ($0 as? NSManagedObject)?["title"] } ?? []
    }
    #expect(titles(team) == ["c", "a", "b", "t"])
    #expect(titles(writers.stored(team)) == ["c", "a", "b", "t"])
  }

  @Test("Policies settle conflicts in stores of every kind")
  func everyStore() throws {
    for row in Self.table {
      try onEveryStore { kind, _ in
        let writers = try TwoWriters(.contexts, kind, policy: row.policy)
        let player = writers.here.insert("Player", ["name": "o", "age": 1])
        try writers.here.save()
        let twin = try writers.twin(player)
        twin["name"] = "t"
        twin["age"] = 2
        try writers.there.save()
        player["name"] = "h"
        try writers.here.save()
        let text = "\(kind) \(row.policy.mergeType)"
        #expect(
          player["name"] == row.both && writers.stored(player)?["name"] == row.both, "\(text)")
        #expect(player["age"] == (row.there == "o" ? 1 : 2), "\(text)")
        #expect(writers.stored(player)?["age"] == (row.there == "o" ? 1 : 2), "\(text)")
        #expect(!writers.here.hasChanges, "\(text)")
      }
    }
  }

  @Test("A save that settles a conflict is one transaction with everything else of it")
  func oneTransaction() throws {
    let writers = try TwoWriters(policy: .mergeByPropertyObjectTrump)
    let player = writers.here.insert("Player", ["name": "Ann"])
    let team = writers.here.insert("Team", ["name": "Reds"])
    try writers.here.save()
    try writers.twin(player)["name"] = "there"
    try writers.there.save()
    // Settled, the save fails after all: of its other rows nothing may be there.
    player["name"] = "here"
    team["name"] = "Blues"
    writers.here.insert("Player", ["name": "new"])
    let file = try #require(writers.here.persistentStoreCoordinator?.persistentStores.first?.url)
    let database = try PlainDatabase(file)
    try database.execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON ZPLAYER BEGIN SELECT RAISE(ABORT, 'no'); END")
    #expect(throws: NSError.self) { try writers.here.save() }
    #expect(writers.stored(player)?["name"] == "there")
    #expect(writers.stored(team)?["name"] == "Reds")
    #expect(try writers.reader().all("Player").count == 1)
    #expect(player["name"] == "here" && writers.here.insertedObjects.count == 1)
    try database.execute("DROP TRIGGER refuse")
    try writers.here.save()
    #expect(writers.stored(player)?["name"] == "here")
    #expect(writers.stored(team)?["name"] == "Blues")
    #expect(try writers.reader().all("Player").count == 2)
  }

  @Test(
    "what a conflict's object leads to unchanged is left alone, and keeps what was read",
    arguments: [NSMergePolicy.rollback, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump])
  func unchangedDestination(policy: NSMergePolicy) throws {
    let writers = try TwoWriters(policy: policy)
    let locker = writers.here.insert("Locker", ["number": 1])
    let player = writers.here.insert("Player", ["name": "Ann", "locker": locker, "age": 1])
    try writers.here.save()
    #expect(locker.value(forKey: "owner") as? NSManagedObject === player)
    try writers.twin(player).setValue(2, forKey: "age")
    try writers.there.save()
    player.setValue(3, forKey: "age")
    try writers.here.save()
    #expect(!locker.isFault)
    #expect(player.value(forKey: "locker") as? NSManagedObject === locker)
  }
}
