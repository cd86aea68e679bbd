import CoreData
import Testing

@Suite("Relationships", .onEveryStore)
struct RelationshipTests {
  @Test("setting either side of a relationship sets its inverse")
  func inverses() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [ann])
      ann.setValue(blue, forKey: "team")
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [])
      #expect(blue.value(forKey: "players") as? Set<NSManagedObject> == [ann])
      red.setValue(NSSet(array: [ann]), forKey: "players")
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect(blue.value(forKey: "players") as? Set<NSManagedObject> == [])
      try context.save()
      context.reset()
      let found = try context.all("Team", "name == \"Red\"")
      #expect((found.first?.value(forKey: "players") as? NSSet)?.count == 1)
    }
  }

  @Test("a new destination of a one-to-one relationship replaces the earlier one on both sides")
  func oneToOne() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let first = context.insert("Locker", ["number": 1])
      let second = context.insert("Locker", ["number": 2])
      let ann = context.insert("Player", ["name": "Ann", "locker": first])
      let bob = context.insert("Player", ["name": "Bob", "locker": second])
      bob.setValue(first, forKey: "locker")
      #expect(ann.value(forKey: "locker") == nil)
      #expect(second.value(forKey: "owner") == nil)
      #expect(first.value(forKey: "owner") as? NSManagedObject === bob)
      try context.save()
      context.reset()
      #expect(try context.all("Player", "locker == nil").count == 1)
    }
  }

  @Test("members can be added to and removed from a relationship that was not read")
  func changesOfUnreadRelationship() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let people = (0..<4).map { context.insert("Player", ["number": $0, "team": red]) }
      try context.save()
      let ids = people.map(\.objectID)
      context.reset()
      let first = context.object(with: ids[0])
      first.setValue(nil, forKey: "team")
      let added = context.insert("Player", ["number": 9])
      let team = try #require(try context.all("Team").first)
      added.setValue(team, forKey: "team")
      let players = try #require(team.value(forKey: "players") as? Set<NSManagedObject>)
      #expect(Set(players.compactMap { $0.value(forKey: "number") as? Int }) == [1, 2, 3, 9])
      try context.save()
      context.reset()
      #expect(try context.all("Player", "team.name == \"Red\"").count == 4)
    }
  }

  @Test("an ordered relationship keeps its order through saves, insertions and moves")
  func ordered() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let titles = ["a", "b", "c", "d"].map { context.insert("Trophy", ["title": $0]) }
      red.setValue(NSOrderedSet(array: titles), forKey: "trophies")
      try context.save()
      func stored() throws -> [String] {
        context.reset()
        let team = try #require(try context.all("Team").first)
        let trophies = try #require(team.value(forKey: "trophies") as? NSOrderedSet)
        return trophies.array.compactMap {
          ($0 as? NSManagedObject)?.value(forKey: "title") as? String
        }
      }
      #expect(try stored() == ["a", "b", "c", "d"])
      func rearrange(_ change: (inout [NSManagedObject]) -> Void) throws {
        let team = try #require(try context.all("Team").first)
        var members =
          (team.value(forKey: "trophies") as? NSOrderedSet)?.array.compactMap {
            $0 as? NSManagedObject
          } ?? []
        change(&members)
        team.setValue(NSOrderedSet(array: members), forKey: "trophies")
        try context.save()
      }
      try rearrange { $0.insert(context.insert("Trophy", ["title": "x"]), at: 1) }
      #expect(try stored() == ["a", "x", "b", "c", "d"])
      try rearrange { $0.append($0.removeFirst()) }
      #expect(try stored() == ["x", "b", "c", "d", "a"])
      try rearrange { $0.remove(at: 2) }
      #expect(try stored() == ["x", "b", "d", "a"])
      try rearrange { $0.reverse() }
      #expect(try stored() == ["a", "d", "b", "x"])
    }
  }

  @Test("a many-to-many relationship is stored once and read from both sides")
  func manyToMany() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let tags = ["x", "y", "z"].map { context.insert("Tag", ["label": $0]) }
      let ann = context.insert(
        "Player", ["name": "Ann", "tags": NSSet(array: [tags[0], tags[1]])])
      let bob = context.insert(
        "Player", ["name": "Bob", "tags": NSSet(array: [tags[1], tags[2]])])
      #expect(tags[1].value(forKey: "players") as? Set<NSManagedObject> == [ann, bob])
      try context.save()
      tags[1].setValue(NSSet(array: [bob]), forKey: "players")
      try context.save()
      context.reset()
      #expect(try context.all("Player", "ANY tags.label == \"y\"").count == 1)
      #expect(try context.all("Tag", "players.@count == 2").isEmpty)
      let stored = try #require(try context.all("Player", "name == \"Ann\"").first)
      #expect((stored.value(forKey: "tags") as? NSSet)?.count == 1)
    }
  }

  @Test("a delete rule nullifies references, deletes destinations or denies the deletion")
  func deleteRules() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      let locker = context.insert("Locker", ["number": 1, "owner": ann])
      red.setValue(
        NSOrderedSet(array: [context.insert("Trophy"), context.insert("Trophy")]),
        forKey: "trophies")
      try context.save()

      context.delete(locker)
      let denied = #expect(throws: NSError.self) { try context.save() }
      #expect(denied?.code == NSValidationRelationshipDeniedDeleteError)
      #expect(denied?.userInfo[NSValidationKeyErrorKey] as? String == "owner")
      context.rollback()
      #expect(!locker.isDeleted)

      context.delete(red)
      try context.save()
      #expect(ann.value(forKey: "team") == nil)
      #expect(try context.all("Trophy").isEmpty)
      #expect(try context.all("Team").isEmpty)

      // The deny rule does not apply, because its destination is deleted in the same save.
      context.delete(ann)
      context.delete(locker)
      try context.save()
      #expect(try context.all("Locker").isEmpty)
    }
  }

  @Test("a relationship rejects objects of another context and of the wrong type")
  func contexts() throws {
    let stack = try SampleStack()
    let other = stack.newContext()
    onQueues(of: stack.context, other) {
      let red = stack.context.insert("Team", ["name": "Red"])
      let ann = other.insert("Player", ["name": "Ann"])
      let error = #expect(throws: NSError.self) { try ann.setValidatedValue(red, forKey: "team") }
      #expect(error?.localizedDescription.contains("different contexts") == true)
      let wrong = #expect(throws: NSError.self) { try red.setValidatedValue(5, forKey: "name") }
      #expect(
        wrong?.localizedDescription.contains("Unacceptable type of value for attribute") == true)
      let kind = #expect(throws: NSError.self) {
        try red.setValidatedValue(NSSet(array: [red]), forKey: "players")
      }
      #expect(kind?.localizedDescription.contains("to-many relationship") == true)
    }
  }
}
