import CoreData
import Testing

/// A player as programs for Apple's platforms write it by hand.
final class HandWrittenPlayer: NSManagedObject {
  /// The calls that announce changes to observers.
  var announced: [String] = []

  override func willChangeValue(forKey key: String) {
    announced.append("will \(key)")
    super.willChangeValue(forKey: key)
  }

  override func didChangeValue(forKey key: String) {
    announced.append("did \(key)")
    super.didChangeValue(forKey: key)
  }

  var name: String? {
    get {
      willAccessValue(forKey: "name")
      defer { didAccessValue(forKey: "name") }
      return primitiveValue(forKey: "name") as? String
    }
    set {
      willChangeValue(forKey: "name")
      setPrimitiveValue(newValue, forKey: "name")
      didChangeValue(forKey: "name")
    }
  }

  var team: NSManagedObject? {
    get {
      willAccessValue(forKey: "team")
      defer { didAccessValue(forKey: "team") }
      return primitiveValue(forKey: "team") as? NSManagedObject
    }
    set {
      willChangeValue(forKey: "team")
      setPrimitiveValue(newValue, forKey: "team")
      didChangeValue(forKey: "team")
    }
  }

  func addTags(_ tags: Set<NSManagedObject>) {
    willChangeValue(forKey: "tags", withSetMutation: .union, using: tags)
    (primitiveValue(forKey: "tags") as? NSMutableSet)?.union(tags)
    didChangeValue(forKey: "tags", withSetMutation: .union, using: tags)
  }

  func removeTags(_ tags: Set<NSManagedObject>) {
    willChangeValue(forKey: "tags", withSetMutation: .minus, using: tags)
    (primitiveValue(forKey: "tags") as? NSMutableSet)?.minus(tags)
    didChangeValue(forKey: "tags", withSetMutation: .minus, using: tags)
  }
}

@Suite("Primitive values", .onEveryStore)
struct PrimitiveValueTests {
  /// Calls a test's body with a context of such players.
  private func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = "CoreDataTests.HandWrittenPlayer"
    try SampleStack.withContext(model: model, body)
  }

  // Source: Core Data Programming Guide, "Managed Object Accessor Methods".
  @Test("Handwritten accessors read, write and maintain the inverse")
  func accessors() throws {
    try withContext { context in
      let player = try #require(context.insert("Player") as? HandWrittenPlayer)
      let (red, blue) = (context.insert("Team"), context.insert("Team"))
      player.name = "Ann"
      player.team = red
      #expect((red.value(forKey: "players") as? Set<NSManagedObject>) == [player])
      player.team = blue
      #expect((red.value(forKey: "players") as? Set<NSManagedObject>) == [])
      #expect((blue.value(forKey: "players") as? Set<NSManagedObject>) == [player])
      let (fast, tall) = (
        context.insert("Tag", ["label": "fast"]), context.insert("Tag", ["label": "tall"])
      )
      player.addTags([fast, tall])
      player.removeTags([tall])
      #expect((fast.value(forKey: "players") as? Set<NSManagedObject>) == [player])
      #expect((tall.value(forKey: "players") as? Set<NSManagedObject>) == [])
      try context.save()
      context.refresh(player, mergeChanges: false)
      #expect(player.isFault)
      #expect(player.name == "Ann")
      #expect(!player.isFault)
      #expect(player.team === blue)
      #expect(!context.hasChanges)
      // A cast of the returned value has the members.
      #expect((player.primitiveValue(forKey: "tags") as? Set<NSManagedObject>) == [fast])
      context.refresh(player, mergeChanges: false)
      player.addTags([tall])
      player.removeTags([fast])
      #expect((tall.value(forKey: "players") as? Set<NSManagedObject>) == [player])
      #expect((fast.value(forKey: "players") as? Set<NSManagedObject>) == [])
      try context.save()
      context.refreshAllObjects()
      #expect((player.value(forKey: "tags") as? Set<NSManagedObject>) == [tall])
    }
  }

  // Source: "Primitive setters do not maintain inverses" (NSManagedObject, setPrimitiveValue).
  @Test("Setting a primitive value announces no change and leaves context and inverse unchanged")
  func quietSetting() throws {
    try withContext { context in
      let (player, team) = (context.insert("Player"), context.insert("Team"))
      try context.save()
      let written = try #require(player as? HandWrittenPlayer)
      written.announced = []
      player.setPrimitiveValue("Bob", forKey: "name")
      player.setPrimitiveValue(team, forKey: "team")
      #expect(written.announced == [])
      #expect(player.value(forKey: "name") as? String == "Bob")
      #expect(!context.hasChanges)
      #expect(!player.hasChanges)
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>) == [])
      written.name = "Cid"
      #expect(written.announced == ["will name", "did name"])
    }
  }

  @Test("changedValuesForCurrentEvent() returns the values before the unprocessed changes")
  func currentEvent() throws {
    try withContext { context in
      let (red, blue) = (context.insert("Team"), context.insert("Team"))
      let player = context.insert("Player", ["name": "Ann", "team": red])
      #expect(player.changedValuesForCurrentEvent()["name"] is NSNull)
      try context.save()
      #expect(player.changedValuesForCurrentEvent().isEmpty)
      player.setValue("Bea", forKey: "name")
      player.setValue("Cid", forKey: "name")
      #expect(player.changedValuesForCurrentEvent()["name"] as? String == "Ann")
      context.processPendingChanges()
      #expect(player.changedValuesForCurrentEvent().isEmpty)
      player.setValue("Dot", forKey: "name")
      player.setValue(blue, forKey: "team")
      let former = player.changedValuesForCurrentEvent()
      #expect(former.keys.sorted() == ["name", "team"])
      #expect(former["name"] as? String == "Cid")
      #expect(former["team"] as? NSManagedObject === red)
      #expect(
        red.changedValuesForCurrentEvent()["players"] as? Set<NSManagedObject> == [player])
      #expect(player.changedValues().keys.sorted() == ["name", "team"])
      #expect(player.changedValues()["name"] as? String == "Dot")
      #expect(player.committedValues(forKeys: ["name"])["name"] as? String == "Ann")
      #expect(
        red.committedValues(forKeys: nil)["players"] as? Set<NSManagedObject> == [player])
      player.setValue(nil, forKey: "name")
      #expect(player.changedValues()["name"] is NSNull)
    }
  }

  /// Source: an observer in CosmicMind's Graph determines to which object a deleted object belonged.
  @Test("An observer of changes sees the former values of the changed objects")
  func announcedEvent() throws {
    try withContext { context in
      let team = context.insert("Team")
      let players = ["Ann", "Bob"].map { context.insert("Player", ["name": $0, "team": team]) }
      try context.save()
      let log = EventLog()
      log.objects = players + [team]
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { _ in
        log.events.append(log.objects.map { $0.changedValuesForCurrentEvent() })
      }
      players[0].setValue("Bea", forKey: "name")
      players[1].setValue(nil, forKey: "team")
      context.delete(players[1])
      context.processPendingChanges()
      #expect(log.events.count == 1)
      #expect(log.events[0][0]["name"] as? String == "Ann")
      #expect(log.events[0][1]["team"] as? NSManagedObject === team)
      #expect(log.events[0][2]["players"] as? Set<NSManagedObject> == Set(players))
      #expect(players[0].changedValuesForCurrentEvent().isEmpty)
      players[0].setValue("Cid", forKey: "name")
      context.processPendingChanges()
      #expect(log.events.count == 2)
      #expect(log.events[1][0]["name"] as? String == "Bea")
      #expect(log.events[1][1].isEmpty && log.events[1][2].isEmpty)
      NotificationCenter.default.removeObserver(token)
    }
  }

  private final class EventLog: @unchecked Sendable {
    var objects: [NSManagedObject] = []
    var events: [[[String: Any]]] = []
  }

  // Source: NSManagedObject.h, committedValuesForKeys; tests of public libraries.
  @Test("A new object has no committed values, and a fault has no changed values")
  func noCommittedValues() throws {
    try withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      let committed = player.committedValues(forKeys: nil)
      #expect(committed.count == 8)
      #expect(committed.values.allSatisfy { $0 is NSNull })
      // Source: CoreDataPlus's tests expect this of Apple's Core Data.
      #expect(player.committedValues(forKeys: ["name"]).isEmpty)
      try context.save()
      #expect(player.changedValues().isEmpty)
      context.refresh(player, mergeChanges: false)
      #expect(player.changedValues().isEmpty)
      #expect(player.isFault)
      #expect(player.faultingState != 0)
      player.willAccessValue(forKey: nil)
      #expect(player.faultingState == 0)
    }
  }
}
