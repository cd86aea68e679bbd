import CoreData
import Observation
import Synchronization
import Testing

/// Counts the calls to `setValue`.
final class CountingPlayer: NSManagedObject {
  private(set) var settings = 0

  override func setValue(_ value: Any?, forKey key: String) {
    settings += 1
    super.setValue(value, forKey: key)
  }
}

/// Sources: "Undo and redo" in Apple's Core Data guide, and Apple's pages for `undo`, `rollback` and
/// `processPendingChanges`; a public report that undo bypasses accessors; FreeCoreData's tests.
@Suite("Undo, redo and rollback", .onEveryStore)
struct UndoFactTests {
  private func stack() throws -> SampleStack {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = "CoreDataTests.CountingPlayer"
    let stack = try SampleStack(model: model)
    stack.context.undoManager = UndoManager()
    return stack
  }

  @Test("undo and redo bypass a class's own setters, and notify observers")
  func setters() throws {
    let context = try stack().context
    try context.performAndWait {
      let ann = try #require(context.insert("Player", ["name": "Ann"]) as? CountingPlayer)
      try context.save()
      context.undoManager?.removeAllActions()
      ann.setValue("Bea", forKey: "name")
      let count = ann.settings
      let changes = ChangeCount()
      withObservationTracking {
        _ = ann.value(forKey: "name")
      } onChange: {
        changes.count.add(1, ordering: .relaxed)
      }
      context.undo()
      #expect(ann["name"] == "Ann" && changes.count.load(ordering: .relaxed) == 1)
      context.redo()
      #expect(ann["name"] == "Bea" && ann.settings == count)
    }
  }

  private final class ChangeCount: Sendable { let count = Atomic<Int>(0) }

  @Test("all changes until processPendingChanges are one action")
  func events() throws {
    let context = try stack().context
    let manager = try #require(context.undoManager)
    manager.groupsByEvent = false
    try context.performAndWait {
      manager.beginUndoGrouping()
      let players = ["a", "b"].map { context.insert("Player", ["name": $0]) }
      try context.save()
      manager.endUndoGrouping()
      manager.removeAllActions()
      for name in ["x", "y"] {
        manager.beginUndoGrouping()
        for player in players {
          player.setValue("first", forKey: "name")
          player.setValue(name, forKey: "name")
        }
        context.processPendingChanges()
        manager.endUndoGrouping()
      }
      #expect(manager.undoCount == 2)
      context.undo()
      #expect(players.map { $0["name"] } == ["x", "x"])
      context.undo()
      #expect(players.map { $0["name"] } == ["a", "b"])
    }
  }

  @Test("a rollback restores the values that were read, without querying the store")
  func rollback() throws {
    let stack = try stack()
    let (context, store) = (stack.context, stack.coordinator.persistentStores[0])
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      try stack.reading { other in
        try other.existingObject(with: ann.objectID).setPrimitiveValue(nil, forKey: "age")
        try other.existingObject(with: ann.objectID).setValue("there", forKey: "name")
        try other.save()
      }
      ann.setValue("Bea", forKey: "name")
      let before = store.queryCount
      context.rollback()
      #expect(ann["name"] == "Ann" && !ann.isFault && store.queryCount == before)
      #expect(context.undoManager?.canUndo == false && context.undoManager?.canRedo == false)
      context.redo()
      #expect(ann["name"] == "Ann")
    }
  }

  @Test("without an undo manager a rollback works, and undo does nothing")
  func withoutManager() throws {
    try SampleStack.withContext { context in
      #expect(context.undoManager == nil)
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      ann.setValue("Bea", forKey: "name")
      context.undo()
      #expect(ann["name"] == "Bea")
      context.rollback()
      #expect(ann["name"] == "Ann" && !context.hasChanges)
    }
  }

  @Test("undoing an insertion leaves the new object's owners unchanged")
  func insertion() throws {
    let context = try stack().context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let tag = context.insert("Tag", ["label": "tall"])
      try context.save()
      context.undoManager?.removeAllActions()
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      ann.mutableSetValue(forKey: "tags").add(tag)
      let cup = context.insert("Trophy", ["title": "Cup", "winner": red])
      context.processPendingChanges()
      #expect(context.updatedObjects == [red, tag])
      context.undo()
      #expect(!context.hasChanges && !red.hasChanges && !tag.hasChanges)
      #expect((red.value(forKey: "trophies") as? NSOrderedSet)?.count == 0)
      context.redo()
      #expect(context.insertedObjects == [ann, cup] && context.updatedObjects == [red, tag])
      try context.save()
      context.refreshAllObjects()
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [ann])
      #expect(
        (red.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject] == [cup])
    }
  }
}
