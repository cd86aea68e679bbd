import CoreData
import Foundation
import Testing

/// Source: Apple's page for NSMergePolicy says that it merges members of to-many relationships, but
/// not how (see "Differences").
@Suite("Members after a resolved conflict")
struct ResolvedMembersTests {
  @Test("Members that two contexts added and removed are merged one by one")
  func manyToMany() throws {
    for policy in NSMergePolicy.resolving {
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

  @Test(
    "An ordered relationship keeps this context's order, followed by the other context's members")
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

  @Test("A restored row is the last of its owner's ordered members")
  func orderedAndRestored() throws {
    let writers = try TwoWriters(policy: .overwrite)
    let team = writers.here.insert("Team", ["name": "Reds"])
    let trophies = ["a", "b", "c"].map { writers.here.insert("Trophy", ["title": $0]) }
    team["trophies"] = NSOrderedSet(array: trophies)
    try writers.here.save()
    writers.there.delete(try writers.twin(trophies[1]))
    try writers.there.save()
    trophies[1]["title"] = "new"
    try writers.here.save()
    // Moving the middle member shows that no positions are missing or equal.
    let stored = try #require(writers.stored(team))
    #expect(stored.names("trophies", "title") == ["a", "c", "new"])
    stored.mutableOrderedSetValue(forKey: "trophies")
      .moveObjects(at: IndexSet(integer: 1), to: 0)
    try stored.managedObjectContext?.save()
    #expect(writers.stored(team)?.names("trophies", "title") == ["c", "a", "new"])
  }
}
