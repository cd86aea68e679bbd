import CoreData
import Testing

/// Sources: tests of FreeCoreData, which assert the behavior of Apple's Core Data for attributes by policy;
/// NSMergePolicy.h. Apple's page says that the class merges members of to-many relationships, but not how
/// (ObjectDifferences.md).
@Suite("Properties after a resolved conflict")
struct SettledPropertiesTests {
  typealias Arrangement = TwoWriters.Arrangement

  /// The expected values after `here` has saved, by policy, of a property that was changed only in `here`, only in
  /// `there`, or in both. "o" is the old value, "h" the value set in `here`, "t" the value set in `there`.
  static let table: [(policy: NSMergePolicy, here: String, there: String, both: String)] = [
    (.mergeByPropertyStoreTrump, "h", "t", "t"),
    (.mergeByPropertyObjectTrump, "h", "t", "h"),
    (.overwrite, "h", "o", "h"),
    (.rollback, "o", "t", "t"),
  ]

  @Test(
    "Attributes are resolved one by one, by the table of policies", arguments: Arrangement.allCases,
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
      // The object has the new version: the next save finds no conflict.
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
    "A to-one relationship is resolved like an attribute, and its inverse follows",
    arguments: Arrangement.allCases)
  func toOne(_ arrangement: Arrangement) throws {
    for row in Self.table {
      for (isHere, isThere) in [(true, false), (false, true), (true, true)] {
        let writers = try TwoWriters(arrangement, policy: row.policy)
        let teams = ["o", "h", "t"].map { writers.here.insert("Team", ["name": $0]) }
        let player = writers.here.insert("Player", ["name": "Ann", "team": teams[0], "age": 1])
        try writers.here.save()
        // Load all members first.
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

  @Test(
    "An unchanged destination of the conflict's object does not become a fault",
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
