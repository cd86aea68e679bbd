import CoreData
import Testing

// Sources: NSManagedObject's page for setPrimitiveValue(_:forKey:) (no change notification), and
// tests of other projects that expect changedValues() to be empty after it.
@Suite(.onEveryStore)
struct PrimitiveChangeTests {
  private func withSavedPlayer(
    _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void
  ) throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann", "age": 30])
      try context.save()
      try body(context, player)
    }
  }

  @Test func `Setting a primitive value of an unchanged object is not a change`() throws {
    try withSavedPlayer { context, player in
      player.setPrimitiveValue("Bea", forKey: "name")
      #expect(player.primitiveValue(forKey: "name") as? String == "Bea")
      #expect(player.value(forKey: "name") as? String == "Bea")
      #expect(player.changedValues().isEmpty)
      #expect(player.changedValuesForCurrentEvent().isEmpty)
      #expect(!player.hasChanges && !player.hasPersistentChangedValues && !player.isUpdated)
      #expect(!context.hasChanges && context.updatedObjects.isEmpty)
      #expect(player.committedValues(forKeys: ["name"])["name"] as? String == "Ann")
      context.processPendingChanges()
      #expect(player.changedValues().isEmpty && !context.hasChanges)
    }
  }

  @Test func `Generated accessors set primitive values, which is not a change either`()
    throws
  {
    try withSavedPlayer { context, player in
      player.setPrimitiveValue(31 as Int16?, ManagedKey("age"))
      #expect(player.value(forKey: "age") as? Int == 31)
      #expect(player.changedValues().isEmpty && !player.hasPersistentChangedValues)
      #expect(!context.hasChanges)
    }
  }

  @Test func `Setting a primitive relationship of an unchanged object is not a change`() throws {
    try withSavedPlayer { context, player in
      let team = context.insert("Team")
      try context.save()
      player.setPrimitiveValue(team, forKey: "team")
      #expect(player.changedValues().isEmpty && !player.hasPersistentChangedValues)
      #expect(!context.hasChanges)
    }
  }

  @Test func `A primitive value is saved and reported with another change to the object`() throws {
    try withSavedPlayer { context, player in
      player.setPrimitiveValue("Bea", forKey: "name")
      player.setValue(31, forKey: "age")
      #expect(Set(player.changedValues().keys) == ["name", "age"])
      #expect(player.hasPersistentChangedValues)
      try context.save()
      #expect(player.changedValues().isEmpty)
      context.refresh(player, mergeChanges: false)
      #expect(player.value(forKey: "name") as? String == "Bea")
    }
  }

  @Test func `An accessor that announces its change makes a change`() throws {
    try withSavedPlayer { context, player in
      player.willChangeValue(forKey: "name")
      player.setPrimitiveValue("Bea", forKey: "name")
      player.didChangeValue(forKey: "name")
      #expect(player.changedValues()["name"] as? String == "Bea")
      #expect(player.hasPersistentChangedValues && context.updatedObjects == [player])
    }
  }

  @Test func `A primitive value of a new object is one of its changed values`() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player")
      player.setPrimitiveValue("Ann", forKey: "name")
      #expect(player.changedValues()["name"] as? String == "Ann")
      try context.save()
      #expect(try context.all("Player", "name == 'Ann'").count == 1)
    }
  }
}
