import CoreData
import Testing

/// Sources: NSManagedObject.h (`hasChanges`, `hasPersistentChangedValues`), WWDC 2015 session 220,
/// public reports (setting a value to itself marks the object as changed), CoreDataPlus's tests.
@Suite("Whether an object is changed", .onEveryStore)
struct DirtyFlagTests {
  @Test("Setting an equal value marks the object as changed but writes nothing")
  func sameValue() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      let twin = try other.existingObject(with: ann.objectID)
      ann.setValue("Ann", forKey: "name")
      #expect(ann.hasChanges && ann.isUpdated && context.updatedObjects == [ann])
      #expect(!ann.hasPersistentChangedValues && ann.changedValues().isEmpty)
      try context.save()
      #expect(!ann.hasChanges)
      // The row's version is unchanged, so another context's save does not conflict.
      twin.setValue(2, forKey: "age")
      try other.save()
    }
  }

  @Test("Committed values are the stored ones while values change, with NSNull for nil")
  func committed() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": team])
      try context.save()
      ann.setValue(3, forKey: "age")
      ann.setValue(nil, forKey: "team")
      let committed = ann.committedValues(forKeys: nil)
      #expect(
        committed.keys.sorted() == [
          "age", "isActive", "locker", "name", "number", "score", "tags", "team",
        ])
      #expect(committed["name"] as? String == "Ann" && committed["age"] is NSNull)
      #expect(committed["team"] as? NSManagedObject === team && committed["locker"] is NSNull)
      #expect(ann.committedValues(forKeys: ["age"]).count == 1)
      try context.save()
      #expect(ann.committedValues(forKeys: ["age"])["age"] as? Int == 3)
      #expect(ann.committedValues(forKeys: ["team"])["team"] is NSNull)
    }
  }

  /// Sources: Apple's page on transient properties, and NSManagedObject.h.
  @Test(
    "A transient value marks object and context as changed, is reported, and reaches the parent")
  func transients() throws {
    let model = SampleStack.makeModel()
    let mood = SampleStack.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    model.entitiesByName["Player"]?.properties.append(mood)
    let stack = try SampleStack(model: model)
    let (context, child) = (stack.context, ChildContextTests.child(of: stack.context))
    let ann = try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      let log = NotificationLog([context], names: ["context"])
      ann.setValue("merry", forKey: "mood")
      context.processPendingChanges()
      #expect(context.hasChanges && context.updatedObjects == [ann])
      #expect(log.lines == ["context changed updated 1"])
      try context.save()
      return ann
    }
    try child.performAndWait {
      try child.existingObject(with: ann.objectID).setValue("sad", forKey: "mood")
      try child.save()
    }
    context.performAndWait {
      #expect(ann["mood"] == "sad" && ann.hasChanges && !ann.hasPersistentChangedValues)
    }
    #expect(NSManagedObject.contextShouldIgnoreUnmodeledPropertyChanges)
  }
}
