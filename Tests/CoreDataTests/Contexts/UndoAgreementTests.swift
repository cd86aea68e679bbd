import CoreData
import Testing

/// Undo restores what a step changed on one side of a relationship. Another context may have changed the other side
/// between the step and its undo.
@Suite("Both sides of relationships agree after undo and merges", .onEveryStore)
struct UndoAgreementTests {
  private let stack: SampleStack
  private let context: NSManagedObjectContext

  init() throws {
    stack = try SampleStack.withUndo()
    context = stack.context
  }

  /// Saves two teams and a player of the first team.
  private func begin() throws -> (
    red: NSManagedObject, blue: NSManagedObject, ann: NSManagedObject
  ) {
    let red = context.insert("Team", ["name": "Red"])
    let blue = context.insert("Team", ["name": "Blue"])
    let ann = context.insert("Player", ["name": "Ann", "team": red])
    try context.save()
    try context.forgetSteps()
    return (red, blue, ann)
  }

  /// Saves a change in another context, and merges it.
  private func merge(_ change: (NSManagedObjectContext) throws -> Void) throws {
    let other = stack.newContext()
    let log = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      try change(other)
      try other.save()
    }
    for note in log.notifications { context.mergeChanges(fromContextDidSave: note) }
  }

  /// Expects that both sides of relationships agree now, and after redo, undo and a refresh.
  private func expectAgreement(_ location: SourceLocation = #_sourceLocation) throws {
    func expect() {
      context.processPendingChanges()
      let disagreement = context.findDisagreement()
      #expect(disagreement == nil, sourceLocation: location)
    }
    expect()
    context.redo()
    expect()
    context.undo()
    expect()
    context.refreshAllObjects()
    expect()
  }

  @Test(
    "an owner whose deletion is undone does not get the member that another context added before the undo"
  )
  func addedToDeleted() throws {
    try context.performAndWait {
      let (red, blue, ann) = try begin()
      context.delete(blue)
      context.processPendingChanges()
      let ids = (ann.objectID, blue.objectID)
      try merge { $0.object(with: ids.0).setValue($0.object(with: ids.1), forKey: "team") }
      #expect(ann.value(forKey: "team") == nil)
      context.undo()
      #expect(!blue.isDeleted && blue["players"] == Set<NSManagedObject>())
      #expect(red["players"] == Set<NSManagedObject>())
      try expectAgreement()
    }
  }

  @Test("a member that another context deleted does not return to its owner")
  func deletedElsewhere() throws {
    try context.performAndWait {
      let (red, blue, ann) = try begin()
      context.insert("Player", ["name": "Bob", "team": red])
      ann.setValue(blue, forKey: "team")
      context.processPendingChanges()
      let id = ann.objectID
      try merge { $0.delete($0.object(with: id)) }
      context.undo()
      #expect(red["players"] == Set<NSManagedObject>())
      try expectAgreement()
    }
  }

  @Test("a new member regains its deleted owner, even if another context changed the owner's row")
  func newMember() throws {
    try context.performAndWait {
      let (_, blue, _) = try begin()
      let bob = context.insert("Player", ["name": "Bob", "team": blue])
      context.processPendingChanges()
      context.undoManager?.endEvent()
      context.delete(blue)
      context.processPendingChanges()
      let id = blue.objectID
      try merge { $0.object(with: id).setValue("Green", forKey: "name") }
      context.undo()
      #expect(bob["team"] == blue && blue["players"] == Set([bob]))
      try expectAgreement()
    }
  }

  @Test("a change that another context also made is undone on both sides")
  func changedTwice() throws {
    try context.performAndWait {
      let (red, blue, ann) = try begin()
      ann.setValue(blue, forKey: "team")
      context.processPendingChanges()
      let ids = (ann.objectID, blue.objectID)
      try merge { $0.object(with: ids.0).setValue($0.object(with: ids.1), forKey: "team") }
      context.undo()
      #expect(ann["team"] == red && red["players"] == Set([ann]))
      try expectAgreement()
    }
  }

  @Test("a member that both contexts deleted returns to its owner, even after a refresh")
  func deletedTwice() throws {
    try context.performAndWait {
      let (red, _, ann) = try begin()
      context.delete(ann)
      context.processPendingChanges()
      let id = ann.objectID
      try merge { $0.delete($0.object(with: id)) }
      context.undo()
      context.refreshAllObjects()
      #expect(ann["team"] == red && red["players"] == Set([ann]))
      try expectAgreement()
    }
  }

  @Test("a member that another context moved while its owner was deleted returns to its owner")
  func movedWhileOwnerDeleted() throws {
    try context.performAndWait {
      let (red, blue, ann) = try begin()
      context.delete(red)
      context.processPendingChanges()
      #expect(blue["players"] == Set<NSManagedObject>())
      let ids = (ann.objectID, blue.objectID)
      try merge { $0.object(with: ids.0).setValue($0.object(with: ids.1), forKey: "team") }
      context.undo()
      #expect(ann["team"] == red && red["players"] == Set([ann]))
      #expect(blue["players"] == Set<NSManagedObject>())
      try expectAgreement()
    }
  }

  @Test("an object restored without an owner is not a member of the owner that another context set")
  func movedWhileDeleted() throws {
    try context.performAndWait {
      let (red, blue, ann) = try begin()
      context.delete(blue)
      context.processPendingChanges()
      let ids = (ann.objectID, red.objectID, blue.objectID)
      // The deletion in this context leaves the player without a team.
      try merge { $0.object(with: ids.0).setValue($0.object(with: ids.2), forKey: "team") }
      context.undoManager?.endEvent()
      context.delete(ann)
      context.processPendingChanges()
      try merge { $0.object(with: ids.0).setValue($0.object(with: ids.1), forKey: "team") }
      context.undo()
      #expect(!ann.isDeleted && ann.value(forKey: "team") == nil)
      #expect(red["players"] == Set<NSManagedObject>())
      try expectAgreement()
    }
  }

  @Test("rolling back a deletion connects the object to the owner that a merge set")
  func rolledBack() throws {
    try context.performAndWait {
      let (_, blue, ann) = try begin()
      let tag = context.insert("Tag", ["label": "x"])
      try context.save()
      context.delete(ann)
      context.processPendingChanges()
      let ids = (ann.objectID, blue.objectID, tag.objectID)
      try merge {
        let ann = $0.object(with: ids.0)
        ann.setValue($0.object(with: ids.1), forKey: "team")
        ann.setValue(NSSet(object: $0.object(with: ids.2)), forKey: "tags")
      }
      #expect(blue["players"] == Set<NSManagedObject>())
      #expect(tag["players"] == Set<NSManagedObject>())
      context.rollback()
      #expect(ann["team"] == blue && blue["players"] == Set([ann]))
      #expect(ann["tags"] == Set([tag]) && tag["players"] == Set([ann]))
    }
  }

  @Test("an owner loses a member deleted by a context that did not know the owner")
  func deletedUnaware() throws {
    try context.performAndWait {
      let (_, blue, ann) = try begin()
      let other = stack.newContext()
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let id = ann.objectID
      let theirs = other.performAndWait {
        let ann = other.object(with: id)
        _ = ann.value(forKey: "team")
        return ann
      }
      ann.setValue(blue, forKey: "team")
      try context.save()
      #expect(blue["players"] == Set([ann]))
      let log = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        other.delete(theirs)
        try other.save()
      }
      for note in log.notifications { context.mergeChanges(fromContextDidSave: note) }
      #expect(blue["players"] == Set<NSManagedObject>())
    }
  }

  @Test(
    "redoing a deletion removes the object from the owner that another context set")
  func deletedAgain() throws {
    try context.performAndWait {
      let (red, blue, ann) = try begin()
      let bea = context.insert("Player", ["name": "Bea", "team": blue])
      try context.save()
      try context.forgetSteps()
      context.delete(ann)
      bea["team"] = red
      context.processPendingChanges()
      let ids = (ann.objectID, blue.objectID)
      try merge { $0.object(with: ids.0).setValue($0.object(with: ids.1), forKey: "team") }
      context.undo()
      #expect(blue.names("players") == ["Ann", "Bea"])
      context.redo()
      #expect(ann.isDeleted && blue.names("players") == [] && red.names("players") == ["Bea"])
      try expectAgreement()
    }
  }

  enum Moment: CaseIterable {
    case beforeOtherSave
    case beforeMerge
    case afterMerge
  }

  /// Deletes a team and saves. Another context, unaware of the deletion, changes the team, and its save restores the
  /// row.
  ///
  /// - Parameter moment: When the deletion is undone.
  @Test(
    "an object that an undo and another context's policy both restore is inserted once",
    arguments: Moment.allCases)
  func restoredByBoth(moment: Moment) throws {
    try context.performAndWait {
      let (red, _, ann) = try begin()
      let id = red.objectID
      let other = stack.newContext()
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let log = Recorder(.NSManagedObjectContextDidSave, of: other)
      let known = try other.performAndWait { try other.existingObject(with: id) }
      context.delete(red)
      try context.save()
      if moment == .beforeOtherSave { context.undo() }
      try other.performAndWait {
        known["name"] = "Rose"
        try other.save()
      }
      if moment == .beforeMerge { context.undo() }
      for note in log.notifications { context.mergeChanges(fromContextDidSave: note) }
      if moment == .afterMerge { context.undo() }
      context.processPendingChanges()
      #expect(context.findDisagreement() == nil)
      let teams = try context.all("Team")
      #expect(Set(teams.map(\.objectID)).count == 2)
      #expect(context.insertedObjects == [])
      #expect(ann.value(forKeyPath: "team.objectID") as? NSManagedObjectID == id)
      try context.save()
      context.refreshAllObjects()
      #expect(context.findDisagreement() == nil)
      let present = try other.performAndWait { try other.all("Team") }
      #expect(present.count == 2)
    }
  }

  @Test(
    "saving a restored object is a conflict if another context's save restored its row too and was not merged"
  )
  func restoredByBothUnmerged() throws {
    try context.performAndWait {
      let (red, _, _) = try begin()
      let id = red.objectID
      let other = stack.newContext()
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let known = try other.performAndWait { try other.existingObject(with: id) }
      context.delete(red)
      try context.save()
      context.undo()
      try other.performAndWait {
        known["name"] = "Rose"
        try other.save()
      }
      var code = 0
      do { try context.save() } catch let error as CocoaError { code = error.code.rawValue }
      #expect(code == NSManagedObjectMergeError)
      context.mergePolicy = NSMergePolicy.overwrite
      try context.save()
      try other.performAndWait {
        other.refreshAllObjects()
        let teams = try other.all("Team")
        #expect(Set(teams.map { $0.value(forKey: "name") as? String }) == ["Red", "Blue"])
        #expect(teams.count == 2)
      }
    }
  }
}
