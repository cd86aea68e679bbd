import Foundation
import Observation
import Testing

@testable import CoreData

@Suite("Typed accessors", .onEveryStore)
struct ManagedValueTests {
  private static let name = ManagedKey("name")
  private static let age = ManagedKey("age")
  private static let score = ManagedKey("score")
  private static let isActive = ManagedKey("isActive")
  private static let number = ManagedKey("number")
  private static let team = ManagedKey("team")
  private static let founded = ManagedKey("founded")

  // The tests of CoreDataKit declare `@NSManaged var cars: NSMutableSet`.
  @Test("A property with the type of a mutable set shows and changes the relationship")
  func mutableSets() throws {
    let (players, trophies) = (ManagedKey("players"), ManagedKey("trophies"))
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let team = stack.context.insert("Team", ["name": "Red"])
      let ada = stack.context.insert("Player", ["name": "Ada", "team": team])
      let required: NSMutableSet = team.requiredManagedValue(players)
      #expect(required.count == 1)
      let optional: NSMutableSet? = team.managedValue(players)
      optional?.add(stack.context.insert("Player", ["name": "Kim"]))
      #expect(required.count == 2)
      required.remove(ada)
      #expect(ada["team"] as NSManagedObject? == nil)
      let ordered: NSMutableOrderedSet = team.requiredManagedValue(trophies)
      ordered.add(stack.context.insert("Trophy", [:]))
      let read: NSOrderedSet = team.requiredManagedValue(trophies)
      #expect(read.count == 1)
      let members: NSSet? = team.managedValue(players)
      #expect(!(members is NSMutableSet))
      try stack.context.save()
    }
  }

  @Test("Typed accessors read stored values and values that were set")
  func reading() throws {
    let founded = Date(timeIntervalSinceReferenceDate: 86_400)
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let team = stack.context.insert("Team", ["name": "Red", "founded": founded])
      stack.context.insert(
        "Player",
        ["name": "Ada", "age": 36, "score": 1.5, "isActive": true, "number": -7, "team": team])
      stack.context.insert("Captain", ["name": nil])
      try stack.context.save()
    }
    try stack.reading { context in
      let players = try context.all("Player", sort: ["-name"])
      let (ada, nobody) = (players[0], players[1])
      #expect(ada.managedValue(Self.name) as String? == "Ada")
      #expect(ada.managedValue(Self.age) as Int16 == 36)
      #expect(ada.managedValue(Self.age) as Int64 == 36)
      #expect(ada.managedValue(Self.score) as Double == 1.5)
      #expect(ada.managedValue(Self.isActive) as Bool)
      #expect(ada.managedValue(Self.number) as Int32 == -7)
      #expect(ada.managedValue(Self.number) as Int == -7)
      let team: NSManagedObject? = ada.managedValue(Self.team)
      #expect(team?.managedValue(Self.name) as String? == "Red")
      #expect(team?.managedValue(Self.founded) as Date? == founded)
      // This object has no values. It belongs to a subentity, which has these properties in the same slots.
      #expect(nobody.entity.name == "Captain")
      #expect(nobody.managedValue(Self.name) as String? == nil)
      #expect(nobody.managedValue(Self.age) as Int64 == 0)
      #expect(nobody.managedValue(Self.score) as Double == 0)
      #expect(!(nobody.managedValue(Self.isActive) as Bool))
      #expect(nobody.managedValue(Self.age) as NSNumber? == nil)
      #expect(nobody.managedValue(Self.team) as NSManagedObject? == nil)
      // Values are converted to types other than the attribute's.
      #expect(ada.managedValue(Self.score) as Int64 == 1)
      #expect(ada.managedValue(Self.age) as Double == 36)
      #expect(ada.managedValue(Self.age) as NSNumber? == 36)

      ada.setManagedValue("Grace" as String?, Self.name)
      ada.setManagedValue(85 as Int16, Self.age)
      ada.setManagedValue(2.5, Self.score)
      ada.setManagedValue(false, Self.isActive)
      ada.setManagedValue(nil as NSManagedObject?, Self.team)
      #expect(ada.managedValue(Self.name) as String? == "Grace")
      #expect(ada.managedValue(Self.age) as Int64 == 85)
      #expect(ada["age"] == 85)
      #expect(ada["team"] as NSManagedObject? == nil)
      #expect(
        Set(ada.changedValues().keys) == ["name", "age", "score", "isActive", "team"])
      ada.setManagedValue(nil as String?, Self.name)
      #expect(ada["name"] as String? == nil)
      try context.save()
    }
    try stack.reading { context in
      let player = try #require(try context.all("Player", "age == 85").first)
      #expect(player.isFault)
      #expect(player.managedValue(Self.score) as Double == 2.5)
      #expect(!player.isFault)
      #expect(!(player.managedValue(Self.isActive) as Bool))
      // A refresh discards the unsaved value and reads the stored one.
      player.setManagedValue(3.5, Self.score)
      context.refresh(player, mergeChanges: false)
      #expect(player.managedValue(Self.score) as Double == 2.5)
    }
  }

  @Test("managedMembers returns an array, in the relationship's order if it has one")
  func members() throws {
    let stack = try SampleStack()
    let (players, trophies) = (ManagedKey("players"), ManagedKey("trophies"))
    try stack.context.performAndWait {
      let team = stack.context.insert("Team", ["name": "Red"])
      let cups = (0..<5).map { stack.context.insert("Trophy", ["title": "\($0)"]) }
      team["trophies"] = NSOrderedSet(array: [3, 1, 4, 0, 2].map { cups[$0] })
      for number in 0..<4 { stack.context.insert("Player", ["number": number, "team": team]) }
      #expect((team.managedMembers(players) as [NSManagedObject]).count == 4)
      try stack.context.save()
    }
    try stack.reading { context in
      let team = try #require(try context.all("Team").first)
      let cups: [NSManagedObject] = team.managedMembers(trophies)
      #expect(cups.map { $0["title"] } == ["3", "1", "4", "0", "2"])
      let members: [NSManagedObject] = team.managedMembers(players)
      #expect(Set(members.map { $0["number"] as Int? }) == [0, 1, 2, 3])
      context.delete(members[0])
      context.processPendingChanges()
      #expect((team.managedMembers(players) as [NSManagedObject]).count == 3)
    }
  }

  @Test(
    "Reading the members of a property that is not a to-many relationship stops the program",
    .only([.memorySQLite], "another process runs the body, and opens a store of this kind"))
  func membersOfOtherProperties() async {
    let members = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try SampleStack.withContext { context in
        let player = context.insert("Player", ["name": "Ada"])
        _ = player.managedMembers(ManagedKey("name")) as [NSManagedObject]
      }
    }
    let count = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try SampleStack.withContext { context in
        let player = context.insert("Player", ["team": context.insert("Team")])
        _ = player.managedMemberCount(ManagedKey("team"))
      }
    }
    for (result, property) in [(members, "Player.name"), (count, "Player.team")] {
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("\(property) is not a to-many relationship"))
    }
  }

  @Test("Reading through a typed accessor can be observed")
  func observing() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["age": 1])
      try context.save()
      nonisolated(unsafe) var changes = 0
      withObservationTracking {
        _ = player.managedValue(Self.age) as Int64
      } onChange: {
        changes += 1
      }
      player.setManagedValue(2, Self.age)
      #expect(changes == 1)
    }
  }
}
