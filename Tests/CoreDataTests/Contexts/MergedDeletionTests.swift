import CoreData
import Testing

/// Regressions that random walks found.
@Suite("Merged deletions", .onEveryStore)
struct MergedDeletionTests {
  /// Deletes an object in another context, and merges the save. With `undo`, the other context also undoes the deletion
  /// and saves again before both saves are merged.
  private func deleteElsewhere(
    _ id: NSManagedObjectID, _ stack: SampleStack, undo: Bool = false
  ) throws {
    let other = stack.newContext()
    other.undoManager = UndoManager()
    let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      let object = try other.existingObject(with: id)
      other.undoManager?.removeAllActions()
      other.delete(object)
      try other.save()
      if undo {
        other.undo()
        try other.save()
      }
    }
    for notification in saved.notifications {
      stack.context.mergeChanges(fromContextDidSave: notification)
    }
  }

  @Test("a fault whose deletion was merged does not break fetches that follow a relationship to it")
  func fault() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let id = try {
        let red = context.insert("Team", ["name": "Red"])
        try context.save()
        return red.objectID
      }()
      context.reset()
      let red = context.object(with: id)
      #expect(red.isFault)
      try deleteElsewhere(id, stack)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Trophy")
      request.predicate = NSPredicate(format: "winner.name == \"Red\"")
      #expect(try context.count(for: request) == 0)
      #expect(try context.fetch(request).isEmpty)
    }
  }

  @Test(
    "releaseObjectsDeletedElsewhere removes objects that other contexts deleted, and keeps changes")
  func following() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      let bob = context.insert("Player", ["name": "Bob", "team": red])
      try context.save()
      bob.setValue("Rob", forKey: "name")
      let id = ann.objectID
      try deleteElsewhere(id, stack)
      context.processPendingChanges()
      #expect(context.deletedObjects == [ann])
      context.releaseObjectsDeletedElsewhere()
      #expect(context.deletedObjects.isEmpty && ann.managedObjectContext == nil)
      #expect(context.registeredObject(for: id) == nil)
      #expect(throws: (any Error).self) { try context.existingObject(with: id) }
      #expect(context.updatedObjects.contains(bob))
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [bob])
      #expect(try context.all("Player").count == 1)
      try context.save()
      #expect(try stack.reading { try $0.all("Player").map { $0["name"] == "Rob" } } == [true])
    }
  }

  @Test("an undo restores an object that another context also deleted")
  func undoneHere() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.undoManager = UndoManager()
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann", "age": 3])
      try context.save()
      context.undoManager?.removeAllActions()
      context.delete(ann)
      context.processPendingChanges()
      try deleteElsewhere(ann.objectID, stack)
      context.undo()
      #expect(!ann.isDeleted && ann.isInserted)
      try context.save()
      let id = ann.objectID
      let other = stack.newContext()
      try other.performAndWait {
        let name: String? = try other.existingObject(with: id)["name"]
        #expect(name == "Ann")
      }
    }
  }

  @Test("merging the undo of a deletion restores the object")
  func undoneElsewhere() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      try deleteElsewhere(ann.objectID, stack, undo: true)
      #expect(!ann.isDeleted && context.deletedObjects.isEmpty && !context.hasChanges)
      #expect(ann["name"] == "Ann")
      #expect(try context.all("Player") == [ann])
    }
  }

  @Test("a refresh restores a child's object whose deletion was undone in the parent")
  func undoneInParent() throws {
    let stack = try SampleStack()
    let context = stack.context
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      let id = ann.objectID
      try child.performAndWait {
        let player = try child.existingObject(with: id)
        let saved = Recorder(.NSManagedObjectContextDidSave, of: context)
        context.undoManager = UndoManager()
        context.delete(ann)
        try context.save()
        for notification in saved.notifications {
          child.mergeChanges(fromContextDidSave: notification)
        }
        #expect(player.isDeleted)
        #expect(try child.all("Player").isEmpty)
        context.undo()
        try context.save()
        child.refreshAllObjects()
        #expect(!player.isDeleted && child.deletedObjects.isEmpty && !child.hasChanges)
        #expect(try child.all("Player") == [player])
        #expect(player["name"] == "Ann")
      }
    }
  }

  @Test("a refresh finds a row again that was missing when a fault fired")
  func missedInParent() throws {
    let stack = try SampleStack()
    let context = stack.context
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      let bob = context.insert("Player", ["name": "Bob"])
      try context.save()
      let (id, unread) = (ann.objectID, bob.objectID)
      try child.performAndWait {
        let player = child.object(with: id)
        let other = child.object(with: unread)
        child.shouldDeleteInaccessibleFaults = true
        context.undoManager = UndoManager()
        context.delete(ann)
        context.delete(bob)
        try context.save()
        #expect(player["name"] as String? == nil && player.isDeleted)
        child.shouldDeleteInaccessibleFaults = false
        #expect(throws: NSError.self) { try child.existingObject(with: unread) }
        #expect(!other.isDeleted && other.isFault)
        context.undo()
        try context.save()
        child.refreshAllObjects()
        #expect(!player.isDeleted && child.deletedObjects.isEmpty && !child.hasChanges)
        #expect(player["name"] == "Ann" && other["name"] == "Bob")
        #expect(try child.existingObject(with: unread) === other)
        #expect(try child.all("Player", sort: ["name"]) == [player, other])
      }
    }
  }
}
