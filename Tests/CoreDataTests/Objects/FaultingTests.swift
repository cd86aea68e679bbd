import CoreData
import Testing

/// Sources: Apple's "Faulting and Uniquing" (which messages do not fire a fault), its pages for
/// `object(with:)`, `existingObject(with:)`, `registeredObject(for:)` and `includesPropertyValues`,
/// and NSManagedObject.h (`hasPersistentChangedValues` does not fire faults).
@Suite("What fires a fault, and its cost", .onEveryStore)
struct FaultingTests {
  /// Saves players of one team, and resets the context, so that none of them are in memory.
  private func saved(_ stack: SampleStack) throws -> (
    team: NSManagedObjectID, player: NSManagedObjectID
  ) {
    let context = stack.context
    let team = context.insert("Team", ["name": "Red"])
    let players = ["Ann", "Bea", "Cid"].map {
      context.insert("Player", ["name": $0, "team": team])
    }
    try context.save()
    let ids = (team.objectID, players[0].objectID)
    context.reset()
    return ids
  }

  @Test("Identity, class, context, entity, ID and state do not fire a fault")
  func unfired() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      _ = try saved(stack)
      let players = try context.all("Player", sort: ["name"])
      let ann = players[0]
      #expect(ann.isEqual(ann) && !ann.isEqual(players[1]) && Set(players).count == 3)
      #expect(type(of: ann) == NSManagedObject.self)
      #expect(ann.description.contains("<fault>"))
      #expect(ann.managedObjectContext === context && ann.entity.name == "Player")
      #expect(!ann.objectID.isTemporaryID && ann.objectID.persistentStore != nil)
      #expect(!ann.isInserted && !ann.isUpdated && !ann.isDeleted && !ann.hasChanges)
      #expect(!ann.hasPersistentChangedValues && ann.changedValues().isEmpty)
      #expect(ann.hasFault(forRelationshipNamed: "tags"))
      #expect(ann.isFault && ann.faultingState != 0)
      ann.willAccessValue(forKey: nil)
      #expect(!ann.isFault && ann.faultingState == 0)
      #expect(players[1].isFault && players[2].isFault)
    }
  }

  @Test(
    "A fetch reads rows and IDs of to-one relationships; members are read once, on access",
    .only(TestedStore.sqlKinds, "the test counts queries"))
  func queries() throws {
    let stack = try SampleStack()
    let (context, store) = (stack.context, stack.coordinator.persistentStores[0])
    func queries(_ body: () throws -> Void) rethrows -> Int {
      let before = store.queryCount
      try body()
      return store.queryCount - before
    }
    try context.performAndWait {
      let ids = try saved(stack)
      let players = try context.all("Player", sort: ["name"])
      let reading = queries { #expect(players.map { $0["name"] } == ["Ann", "Bea", "Cid"]) }
      #expect(reading == 0)
      var team: NSManagedObject?
      let following = queries { team = players[0].value(forKey: "team") as? NSManagedObject }
      #expect(following == 0 && team?.objectID == ids.team && team?.isFault == true)
      let red = try #require(team)
      let filling = queries { #expect(red["name"] == "Red") }
      #expect(filling == 1)
      #expect(red.hasFault(forRelationshipNamed: "players"))
      func members() -> Int { (red.value(forKey: "players") as? NSSet)?.count ?? 0 }
      let first = queries { #expect(members() == 3) }
      #expect(first == 1 && !red.hasFault(forRelationshipNamed: "players"))
      let second = queries { #expect(members() == 3) }
      #expect(second == 0)
      context.refresh(red, mergeChanges: false)
      #expect(red.hasFault(forRelationshipNamed: "players"))
      let third = queries { #expect(members() == 3) }
      #expect(third >= 1)
    }
    try stack.reading { other in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.includesPropertyValues = false
      let bare = try other.fetch(request)
      #expect(bare.count == 3 && bare.allSatisfy(\.isFault))
      let filling = queries { _ = bare[0].value(forKey: "name") }
      #expect(filling == 1)
    }
  }

  @Test(
    "object(with:) reads nothing, and existingObject(with:) returns no fault")
  func finding() throws {
    let stack = try SampleStack()
    let (context, store) = (stack.context, stack.coordinator.persistentStores[0])
    try context.performAndWait {
      let ids = try saved(stack)
      #expect(context.registeredObject(for: ids.player) == nil && context.registeredObjects.isEmpty)
      let before = store.queryCount
      let fault = context.object(with: ids.player)
      #expect(fault.isFault && store.queryCount == before)
      #expect(context.registeredObject(for: ids.player) === fault)
      #expect(try context.existingObject(with: ids.player) === fault)
      #expect(!fault.isFault)
      let unsaved = context.insert("Player", ["name": "Dan"])
      #expect(unsaved.objectID.isTemporaryID)
      #expect(try context.existingObject(with: unsaved.objectID) === unsaved)
      #expect(context.object(with: unsaved.objectID) === unsaved)
      // Even for the ID of a missing row, `object(with:)` returns a fault.
      let uri = ids.player.uriRepresentation().deletingLastPathComponent()
      let missing = try #require(
        stack.coordinator.managedObjectID(
          forURIRepresentation: uri.appendingPathComponent("p99")))
      let queries = store.queryCount
      #expect(context.object(with: missing).isFault && store.queryCount == queries)
      let error = #expect(throws: NSError.self) { try context.existingObject(with: missing) }
      #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }
  }

  /// Source: Apple's page "shouldDeleteInaccessibleFaults". The object is marked as deleted, its
  /// properties are nil or zero, and it is not validated.
  @Test(
    "A fault whose row is gone has no values, is not validated, and is deleted if so configured")
  func rowGone() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let tags = ["a", "b"].map { context.insert("Tag", ["label": $0]) }
      try context.save()
      let ids = tags.map(\.objectID)
      context.reset()
      try stack.reading { other in
        for id in ids { other.delete(other.object(with: id)) }
        try other.save()
      }
      // The label is required and is nil now, so validation would fail.
      let gone = context.object(with: ids[0])
      #expect(gone.value(forKey: "label") == nil && gone.isDeleted)
      #expect((gone.value(forKey: "players") as? NSSet)?.count ?? 0 == 0)
      try context.save()
      #expect(!context.hasChanges)
      // Apple's Core Data raises an exception here.
      context.shouldDeleteInaccessibleFaults = false
      let kept = context.object(with: ids[1])
      #expect(kept.value(forKey: "label") == nil && !kept.isDeleted && !context.hasChanges)
    }
  }

  /// Source: Apple's "Memory Management". A context retains objects with unsaved changes, and other
  /// objects only as long as the program does.
  @Test(
    "A context retains objects with unsaved changes, and no others",
    .only(TestedStore.allCases, "the custom test stores read both sides of relationships"))
  func registry() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      _ = try saved(stack)
      func touch() throws {
        let players = try context.all("Player", sort: ["name"])
        players[0].setValue(1, forKey: "age")
        context.delete(players[1])
        context.insert("Tag", ["label": "new"])
        #expect(players[2]["name"] == "Cid")
      }
      try touch()
      context.processPendingChanges()
      // The test itself must not hold any of the objects.
      func count(_ objects: Set<NSManagedObject>, _ entity: String) -> Int {
        objects.count { $0.entity.name == entity }
      }
      #expect(count(context.registeredObjects, "Player") == 2)
      #expect(count(context.insertedObjects, "Tag") == 1)
      #expect(count(context.deletedObjects, "Player") == 1)
      #expect(context.updatedObjects.contains { $0["name"] == "Ann" && $0["age"] == 1 })
      try context.save()
      context.processPendingChanges()
      #expect(context.registeredObjects.isEmpty)
    }
  }
}
