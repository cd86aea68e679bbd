import CoreData
import Testing

/// Each test reproduces a bug that a random walk found.
@Suite("Undo with refreshes, saves and merges", .onEveryStore)
struct UndoEdgeTests {
  @Test("after a refresh, undo keeps a new object's earlier values")
  func refreshedInsertion() throws {
    let context = try SampleStack.withUndo().context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      context.processPendingChanges()
      context.refreshAllObjects()
      try context.forgetSteps()
      ann.setValue(2, forKey: "age")
      context.undo()
      #expect(ann["name"] == "Ann" && ann["age"] == 1)
    }
  }

  @Test("on a private queue, a fetch after a change does not merge two events into one undo")
  func fetchedInEvent() throws {
    let context = try SampleStack.withUndo().context
    let ann = try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      try context.forgetSteps()
      return ann
    }
    for age in [2, 3] {
      try context.performAndWait {
        ann.setValue(age, forKey: "age")
        _ = try context.all("Player")
      }
      // The event ends in a later block on the queue. Wait for that block.
      context.performAndWait {}
    }
    context.performAndWait {
      context.undo()
      #expect(ann["age"] == 2)
      context.undo()
      #expect(ann["age"] == 1)
    }
  }

  @Test("undoing a deletion that was reverted in the same event keeps the object")
  func reinserted() throws {
    let context = try SampleStack.withUndo().context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      try context.forgetSteps()
      context.delete(ann)
      context.insert(ann)
      context.undo()
      #expect(!ann.isDeleted && ann["name"] == "Ann")
      #expect(try context.all("Player") == [ann])
    }
  }

  @Test("a restored object regains members that were deleted after it and restored before it")
  func membersDeletedMeanwhile() throws {
    let stack = try SampleStack.withUndo()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let players = ["Ann", "Bob"].map { context.insert("Player", ["name": $0, "team": red]) }
      let last = context.insert("Player", ["name": "Cas", "team": red])
      try context.save()
      let manager = try context.forgetSteps()
      manager.groupsByEvent = false
      for object in [red, players[0]] {
        manager.beginUndoGrouping()
        context.delete(object)
        context.processPendingChanges()
        manager.endUndoGrouping()
      }
      // After the merge, the context reads the members again and finds only the remaining ones.
      let id = last.objectID
      try merge(from: other, into: context) {
        other.delete(other.object(with: id))
      }
      _ = red.value(forKey: "players")
      while manager.canUndo { context.undo() }
      #expect(red["players"] == Set(players))
      #expect(players.allSatisfy { $0["team"] == red })
      try context.save()
    }
    try stack.reading { context in
      let found = try context.all("Player", "team.name == \"Red\"")
      #expect(found.count == 2)
    }
  }

  @Test(
    "a restored new object does not refer to an object that another context deleted before the undo"
  )
  func destinationGoneMeanwhile() throws {
    let stack = try SampleStack.withUndo()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      try context.save()
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      try context.forgetSteps()
      context.delete(ann)
      context.processPendingChanges()
      let id = red.objectID
      try merge(from: other, into: context) {
        other.delete(other.object(with: id))
      }
      try context.save()
      context.undo()
      #expect(ann.managedObjectContext === context)
      #expect(ann["name"] == "Ann" && ann.value(forKey: "team") == nil)
      try context.save()
    }
    try stack.reading { context in
      let found = try context.all("Player", "team == nil")
      #expect(found.count == 1)
    }
  }

  @Test("a member that another context also added is not a change, and undo removes it")
  func memberAddedTwice() throws {
    let stack = try SampleStack.withUndo()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      let tag = context.insert("Tag", ["label": "x"])
      try context.save()
      try context.forgetSteps()
      ann.setValue(NSSet(object: tag), forKey: "tags")
      context.processPendingChanges()
      let (id, tagID) = (ann.objectID, tag.objectID)
      try merge(from: other, into: context) {
        other.object(with: id).setValue(NSSet(object: other.object(with: tagID)), forKey: "tags")
      }
      #expect(ann.changedValues().isEmpty)
      #expect(ann["tags"] == Set([tag]))
      context.undo()
      #expect(ann["tags"] == Set<NSManagedObject>())
      let tagged = try context.all("Player", "ANY tags.label == \"x\"")
      #expect(tagged.isEmpty)
      try context.save()
    }
    try stack.reading { context in
      let tagged = try context.all("Player", "tags.@count > 0")
      #expect(tagged.isEmpty)
    }
  }

  @Test("after undoing the deletion of an ordered member, a merge adopts another context's order")
  func orderedMember() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let cups = ["a", "b"].map { context.insert("Trophy", ["title": $0]) }
      red.setValue(NSOrderedSet(array: [cups[1]]), forKey: "trophies")
      try context.save()
      try context.forgetSteps()
      context.delete(cups[1])
      context.undo()
      #expect(!red.isUpdated && red.changedValues().isEmpty)
      #expect(
        (red.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject]
          == [cups[1]])

      // After the undo, this context has no unsaved order that the merge would have to keep.
      cups[0].setValue("changed", forKey: "title")
      let (redID, cupIDs) = (red.objectID, cups.map(\.objectID))
      let other = stack.newContext()
      let log = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        let members = cupIDs.map(other.object(with:))
        other.object(with: redID).setValue(NSOrderedSet(array: members), forKey: "trophies")
        try other.save()
      }
      for notification in log.notifications {
        context.mergeChanges(fromContextDidSave: notification)
      }
      #expect((red.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject] == cups)
    }
  }

  @Test("undoing the deletion of an object that refers to itself restores both sides")
  func itself() throws {
    let context = try SampleStack.withUndo(model: KinModel.make()).context
    try context.performAndWait {
      let ann = context.insert("Person", ["name": "Ann"])
      ann.setValue(ann, forKey: "parent")
      ann.setValue(NSSet(object: ann), forKey: "friends")
      try context.save()
      context.refreshAllObjects()
      try context.forgetSteps()
      context.delete(ann)
      context.undo()
      #expect(ann.names("parent") == ["Ann"])
      #expect(ann.names("children") == ["Ann"])
      #expect(ann.names("friends") == ["Ann"])
    }
  }

  private func draftContext() throws -> NSManagedObjectContext {
    let entity = NSEntityDescription()
    entity.name = "Draft"
    let scratch = SampleStack.attribute("scratch", .stringAttributeType)
    scratch.isTransient = true
    entity.properties = [scratch, SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return try SampleStack.withUndo(model: model).context
  }

  @Test("a transient value that was saved with its object can be undone and redone")
  func transientAfterSave() throws {
    let context = try draftContext()
    try context.performAndWait {
      let draft = context.insert("Draft", ["name": "a"])
      let manager = try context.forgetSteps()
      draft.setValue("x", forKey: "scratch")
      context.processPendingChanges()
      manager.endUndoGrouping()
      try context.save()
      draft.setValue("b", forKey: "name")
      context.undo()
      #expect(draft["name"] == "a" && draft["scratch"] == "x")
      context.undo()
      #expect(draft.value(forKey: "scratch") == nil && manager.canRedo)
      context.redo()
      #expect(draft["scratch"] == "x")
    }
  }

  @Test("a rollback without changes keeps transient values for a later undo")
  func transientAfterRollback() throws {
    let context = try draftContext()
    try context.performAndWait {
      let draft = context.insert("Draft", ["name": "a", "scratch": "x"])
      try context.save()
      context.rollback()
      draft.setValue("b", forKey: "name")
      context.undo()
      #expect(draft["name"] == "a" && draft["scratch"] == "x")
    }
  }

  @Test("the first change to an object after a merge can be undone")
  func afterMerge() throws {
    let stack = try SampleStack.withUndo()
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      let manager = try context.forgetSteps()
      let other = stack.newContext()
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        try other.existingObject(with: ann.objectID).setValue("Bea", forKey: "name")
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      ann.setValue(nil, forKey: "age")
      #expect(manager.canUndo)
      context.undo()
      #expect(ann["name"] == "Bea" && ann["age"] == 1)
    }
  }

  @Test("an object that was deleted as a fault is restored with its values")
  func deletedFault() throws {
    let context = try draftContext()
    try context.performAndWait {
      let id = try {
        let draft = context.insert("Draft", ["name": "a"])
        try context.save()
        return draft.objectID
      }()
      context.reset()
      try context.forgetSteps()
      let draft = context.object(with: id)
      #expect(draft.isFault)
      context.delete(draft)
      try context.save()
      context.undo()
      #expect(draft["name"] == "a" && draft.isInserted)
    }
  }

  @Test("a step after a refresh does not include an unchanged ordered relationship")
  func orderAfterRefresh() throws {
    let context = try SampleStack.withUndo().context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let cup = context.insert("Trophy", ["title": "Cup"])
      try context.save()
      cup.setValue(red, forKey: "winner")
      context.processPendingChanges()
      context.refreshAllObjects()
      let manager = try context.forgetSteps()
      red.setValue("Red", forKey: "name")
      #expect(!manager.canUndo)
      red.setValue("Blue", forKey: "name")
      context.undo()
      #expect(red["name"] == "Red" && manager.canRedo)
      context.redo()
      #expect(red["name"] == "Blue")
      #expect((red.value(forKey: "trophies") as? NSOrderedSet)?.array.first as? NSObject === cup)
    }
  }

  @Test("insertions and deletions are undone even if all objects are refreshed in the same event")
  func refreshedInSameEvent() throws {
    let context = try SampleStack.withUndo().context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      let bob = context.insert("Player", ["name": "Bob"])
      let manager = try context.forgetSteps()
      context.delete(ann)
      context.delete(bob)
      let tim = context.insert("Player", ["name": "Tim"])
      context.refreshAllObjects()
      #expect(manager.canUndo)
      context.undo()
      #expect(!ann.isDeleted && bob.isInserted && tim.managedObjectContext == nil)
      #expect(try context.all("Player", sort: ["name"]) == [ann, bob])
      context.redo()
      #expect(try context.all("Player") == [tim])
    }
  }

  @Test(
    "undoing an insertion keeps the members the new object got in the same step, with every delete rule",
    arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule], [false, true])
  func membersOfNewObject(_ rule: NSDeleteRule, _ isSaved: Bool) throws {
    let model = SampleStack.makeModel()
    let relationships = try #require(model.entitiesByName["Team"]?.relationshipsByName)
    for name in ["players", "trophies"] { relationships[name]?.deleteRule = rule }
    let locker = try #require(model.entitiesByName["Locker"]?.relationshipsByName["owner"])
    locker.deleteRule = rule
    let context = try SampleStack.withUndo(model: model).context
    try context.performAndWait {
      let (ann, cup) = (context.insert("Player"), context.insert("Trophy"))
      if isSaved { try context.save() }
      try context.forgetSteps()
      let red = context.insert("Team", ["players": Set([ann])])
      red.setValue(NSOrderedSet(array: [cup]), forKey: "trophies")
      let locker = context.insert("Locker", ["owner": ann])
      context.undo()
      #expect(!ann.isDeleted && !cup.isDeleted)
      #expect(ann.value(forKey: "team") == nil && ann.value(forKey: "locker") == nil)
      #expect(cup.value(forKey: "winner") == nil)
      #expect(context.insertedObjects == (isSaved ? [] : [ann, cup]))
      context.redo()
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect(ann.value(forKey: "locker") as? NSManagedObject === locker)
      #expect(locker.value(forKey: "owner") as? NSManagedObject === ann)
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [ann])
      #expect(
        (red.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject] == [cup])
      try context.save()
      context.undo()
      #expect(!ann.isDeleted && !cup.isDeleted && ann.value(forKey: "team") == nil)
      try context.save()
      #expect(try context.all("Team").isEmpty && context.all("Locker").isEmpty)
      #expect(try context.all("Player") == [ann] && context.all("Trophy") == [cup])
    }
  }

  /// Saves a change in another context, and merges it.
  private func merge(
    from other: NSManagedObjectContext, into context: NSManagedObjectContext,
    _ change: () throws -> Void
  ) throws {
    let log = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      try change()
      try other.save()
    }
    for note in log.notifications { context.mergeChanges(fromContextDidSave: note) }
  }
}
