import Testing

@testable import CoreData

/// Sources: Apple's "UndoManager" and "NSManagedObjectContext" pages (undoManager, undo, redo,
/// rollback, processPendingChanges).
@Suite("Undo", .onEveryStore)
struct UndoTests {
  @Test("there is no undo manager by default, and undo has no effect without one")
  func none() throws {
    let stack = try SampleStack()
    stack.context.performAndWait {
      #expect(stack.context.undoManager == nil)
      let ann = stack.context.insert("Player", ["name": "Ann"])
      stack.context.undo()
      #expect(ann["name"] == "Ann" && stack.context.insertedObjects == [ann])
    }
  }

  @Test("a new undo manager does not undo earlier changes")
  func replaced() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      let manager = UndoManager()
      context.undoManager = manager
      context.processPendingChanges()
      #expect(!manager.canUndo)
      ann.setValue("Bea", forKey: "name")
      context.undo()
      #expect(ann["name"] == "Ann" && context.insertedObjects == [ann])
    }
  }

  @Test("an insertion is undone and redone as the same object with the same ID and values")
  func insertion() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      let id = ann.objectID
      context.undo()
      #expect(!context.hasChanges)
      #expect(ann.managedObjectContext == nil)
      #expect(try context.all("Player").isEmpty)
      context.redo()
      #expect(context.insertedObjects == [ann, red])
      #expect(ann.objectID == id)
      #expect(ann["name"] == "Ann")
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [ann])
      try context.save()
      #expect(try stack.reading { try $0.all("Player", "team.name == \"Red\"").count } == 1)
    }
  }

  @Test(
    "a change to a fetched object is undone, redone and saved, even if the object is not retained")
  func fetchedAndReleased() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    try context.performAndWait {
      _ = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      context.undoManager?.removeAllActions()
      context.reset()
    }
    try context.performAndWait {
      try context.all("Player").first?.setValue("Bea", forKey: "name")
    }
    context.performAndWait { context.undo() }
    context.performAndWait { context.redo() }
    try context.performAndWait { try context.save() }
    #expect(try stack.reading { try $0.all("Player").first?["name"] == "Bea" })
  }

  @Test("undo reverts one group at a time, and an object with its saved values has no changes")
  func changes() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    let manager = try #require(context.undoManager)
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      try context.forgetSteps()
      manager.groupsByEvent = false
      for (name, age) in [("Bea", 2), ("Cid", 3)] {
        manager.beginUndoGrouping()
        ann.setValue(name, forKey: "name")
        ann.setValue(age, forKey: "age")
        manager.endUndoGrouping()
      }
      #expect(manager.undoCount == 2)
      context.undo()
      #expect(ann["name"] == "Bea" && ann["age"] == 2)
      context.undo()
      #expect(ann["name"] == "Ann" && ann["age"] == 1)
      #expect(!context.hasChanges && !manager.canUndo && manager.canRedo)
      context.redo()
      context.redo()
      #expect(ann["name"] == "Cid" && ann["age"] == 3)
      #expect(!manager.canRedo)
      context.undo()
      ann.setValue(9, forKey: "age")
      #expect(!manager.canRedo)
    }
  }

  @Test("undo restores a deleted object with its ID, values and relationships, even after a save")
  func deletion() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    for savesBetween in [false, true] {
      try context.performAndWait {
        let red = context.insert("Team", ["name": "Red"])
        let tag = context.insert("Tag", ["label": "x"])
        let ann = context.insert("Player", ["name": "Ann", "team": red])
        ann.setValue(NSSet(object: tag), forKey: "tags")
        for title in ["a", "b"] { context.insert("Trophy", ["title": title, "winner": red]) }
        try context.save()
        try context.forgetSteps()
        let (id, team) = (ann.objectID, red.objectID)
        context.delete(ann)
        context.delete(red)
        context.processPendingChanges()
        #expect(context.deletedObjects.count == 4)
        if savesBetween { try context.save() }
        context.undo()
        #expect(ann.objectID == id && red.objectID == team)
        #expect(!ann.isDeleted && ann.managedObjectContext === context)
        #expect(ann["name"] == "Ann")
        #expect(ann.value(forKey: "team") as? NSManagedObject === red)
        #expect(tag.value(forKey: "players") as? Set<NSManagedObject> == [ann])
        let titles: [String]? = (red.value(forKey: "trophies") as? NSOrderedSet)?.compactMap {
          ($0 as? NSManagedObject)?["title"]
        }
        #expect(titles == ["a", "b"])
        #expect(context.hasChanges == savesBetween)
        try context.save()
        try stack.reading { other in
          let found = try #require(try other.all("Player", "team.name == \"Red\"").first)
          #expect(found.objectID == id)
          #expect((found.value(forKey: "tags") as? NSSet)?.count == 1)
        }
        context.redo()
        try context.save()
        #expect(try stack.reading { try $0.all("Player").isEmpty })
        #expect(try stack.reading { try $0.all("Trophy").isEmpty })
        context.reset()
      }
    }
  }

  @Test("changes made while registration is disabled are not undone")
  func disabled() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      try context.forgetSteps()
      ann.setValue("Bea", forKey: "name")
      context.processPendingChanges()
      context.undoManager?.disableUndoRegistration()
      ann.setValue(5, forKey: "age")
      context.processPendingChanges()
      context.undoManager?.enableUndoRegistration()
      context.undo()
      #expect(ann["name"] == "Ann" && ann["age"] == 5)
    }
  }

  @Test("undo after a save makes the object dirty again; a rollback and a reset remove all actions")
  func savesAndRollbacks() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    let manager = try #require(context.undoManager)
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      try context.forgetSteps()
      ann.setValue("Bea", forKey: "name")
      try context.save()
      #expect(manager.canUndo)
      context.undo()
      #expect(ann["name"] == "Ann" && ann.isUpdated)
      try context.save()
      let stored: String? = try stack.reading { try $0.all("Player").first?["name"] }
      #expect(stored == "Ann")
      ann.setValue("Cid", forKey: "name")
      context.rollback()
      #expect(ann["name"] == "Ann" && !manager.canUndo && !manager.canRedo)
      context.redo()
      #expect(ann["name"] == "Ann")
      ann.setValue("Dan", forKey: "name")
      context.reset()
      #expect(!manager.canUndo && !manager.canRedo)
    }
  }

  @Test("a child's save is one undo step in the parent")
  func childSave() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    let child = ChildContextTests.child(of: context)
    try child.performAndWait {
      let red = child.insert("Team", ["name": "Red"])
      child.insert("Player", ["name": "Ann", "team": red])
      try child.save()
    }
    try context.performAndWait {
      let count = try context.all("Player").count
      #expect(count == 1)
      context.undo()
      #expect(!context.hasChanges)
      context.redo()
      #expect(context.insertedObjects.count == 2)
    }
  }

  @Test("a child's undo of a deletion that it has saved restores the objects in the parent")
  func childDeletion() throws {
    let stack = try SampleStack()
    let parent = stack.context
    let red = try parent.performAndWait {
      let red = parent.insert("Team", ["name": "Red"])
      red.setValue(
        NSOrderedSet(array: ["b", "a"].map { parent.insert("Trophy", ["title": $0]) }),
        forKey: "trophies")
      parent.insert("Player", ["name": "Ann", "team": red])
      try parent.save()
      return red
    }
    let child = ChildContextTests.child(of: parent)
    try child.performAndWait {
      child.undoManager = UndoManager()
      child.delete(child.object(with: red.objectID))
      try child.save()
      child.undo()
      try child.save()
      #expect(try child.all("Player", "team.name == \"Red\"").count == 1)
    }
    try parent.performAndWait {
      #expect(parent.deletedObjects.isEmpty && !red.isDeleted)
      #expect(red["name"] == "Red")
      #expect(parent.checkInvariants() == nil)
      try parent.save()
    }
    try stack.reading { context in
      let teams = try context.all("Team")
      let trophies = teams.first?.value(forKey: "trophies") as? NSOrderedSet
      let titles = (trophies?.array ?? []).map { ($0 as? NSManagedObject)?["title"] ?? "-" }
      #expect(titles == ["b", "a"])
      #expect(try context.all("Player", "team.name == \"Red\"").count == 1)
    }
  }

  @Test("a child's undo of a deletion that its parent has saved inserts the object again")
  func childDeletionSaved() throws {
    let stack = try SampleStack()
    let parent = stack.context
    let id = try parent.performAndWait {
      let ann = parent.insert("Player", ["name": "Ann"])
      try parent.save()
      return ann.objectID
    }
    let child = ChildContextTests.child(of: parent)
    try child.performAndWait {
      child.undoManager = UndoManager()
      child.delete(child.object(with: id))
      try child.save()
      try parent.performAndWait { try parent.save() }
      let fault = parent.performAndWait { parent.object(with: id) }
      defer { withExtendedLifetime(fault) {} }
      child.undo()
      try child.save()
    }
    try parent.performAndWait {
      #expect(parent.insertedObjects.count == 1)
      try parent.save()
    }
    #expect(try stack.reading { try $0.all("Player", "name == \"Ann\"").count } == 1)
  }

  @Test("merged changes of another context are not undone")
  func merges() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      try context.forgetSteps()
      ann.setValue(2, forKey: "age")
      context.processPendingChanges()
      let other = stack.newContext()
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        try other.existingObject(with: ann.objectID).setValue("Bea", forKey: "name")
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      #expect(ann["name"] == "Bea" && ann["age"] == 2)
      context.undo()
      #expect(ann["name"] == "Bea" && ann["age"] == 1)
    }
  }

  @Test("changes of transient properties are undone as well")
  func transient() throws {
    let entity = NSEntityDescription()
    entity.name = "Draft"
    let scratch = SampleStack.attribute("scratch", .stringAttributeType)
    scratch.isTransient = true
    entity.properties = [scratch, SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let context = try SampleStack.withUndo(model: model).context
    try context.performAndWait {
      let draft = context.insert("Draft", ["name": "a"])
      try context.save()
      try context.forgetSteps()
      draft.setValue("x", forKey: "scratch")
      context.processPendingChanges()
      #expect(draft.hasChanges && !draft.hasPersistentChangedValues)
      context.undo()
      #expect(draft.value(forKey: "scratch") == nil)
      context.redo()
      #expect(draft["scratch"] == "x")
    }
  }

  final class Waking: NSManagedObject {
    var events: [NSSnapshotEventType] = []
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { events.append(flags) }
  }

  @Test("undo, refresh and rollback awaken objects with their events")
  func awaking() throws {
    let entity = NSEntityDescription()
    entity.name = "Waking"
    entity.managedObjectClassName = "Waking"
    entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    ManagedObjectClasses.register([Waking.self])
    let stack = try SampleStack.withUndo(model: model)
    let context = stack.context
    try context.performAndWait {
      let object = try #require(
        context.insert("Waking", ["name": "a"]) as? Waking)
      try context.save()
      try context.forgetSteps()
      object.setValue("b", forKey: "name")
      context.undo()
      #expect(object.events == [.undoUpdate])
      context.delete(object)
      context.undo()
      #expect(object.events == [.undoUpdate, .undoDeletion])
      object.setValue("c", forKey: "name")
      context.refresh(object, mergeChanges: true)
      #expect(object.events.last == .refresh && object["name"] == "c")
      context.rollback()
      #expect(object.events.last == .rollback && object["name"] == "a")
    }
  }
}
