import CoreData
import Testing

/// No object refers to a deleted one, even if the reference is set after the deletion. Random walks over live results
/// found rows with dangling references in the store.
@Suite("References that arrive after a deletion", .onEveryStore)
struct LateReferenceTests {
  private func teams(_ stack: SampleStack) throws -> (NSManagedObject, NSManagedObject) {
    let context = stack.context
    let red = context.insert("Team", ["name": "Red"])
    let ann = context.insert("Player", ["name": "Ann"])
    try context.save()
    return (red, ann)
  }

  /// Saves a change in another context and merges it.
  private func merge(
    _ stack: SampleStack, _ change: (NSManagedObjectContext) throws -> Void
  ) throws {
    let other = stack.newContext()
    let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      try change(other)
      try other.save()
    }
    for notification in saved.notifications {
      stack.context.mergeChanges(fromContextDidSave: notification)
    }
  }

  /// Saves, and expects that a player has no team in the store.
  private func expectNoTeam(_ stack: SampleStack, _ player: NSManagedObject) throws {
    #expect(player.value(forKey: "team") == nil)
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try stack.context.save()
    let id = player.objectID
    let other = stack.newContext()
    try other.performAndWait {
      let team = try other.existingObject(with: id).value(forKey: "team")
      #expect(team == nil)
      let players = try other.all("Player", "team != nil")
      #expect(players.isEmpty)
    }
  }

  @Test("an unsaved reference to an object that another context deletes is cleared")
  func deletedElsewhere() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let (red, ann) = try teams(stack)
      ann.setValue(red, forKey: "team")
      let bob = stack.context.insert("Player", ["name": "Bob", "team": red])
      try merge(stack) { $0.delete(try $0.existingObject(with: red.objectID)) }
      #expect(bob.value(forKey: "team") == nil)
      try expectNoTeam(stack, ann)
    }
  }

  @Test("a member is deleted with its owner by the cascade rule")
  func cascade() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let (red, _) = try teams(stack)
      let cup = context.insert("Trophy", ["title": "Cup", "winner": red])
      try merge(stack) { $0.delete(try $0.existingObject(with: red.objectID)) }
      #expect(cup.isDeleted || cup.managedObjectContext == nil)
      try context.save()
      #expect(try context.all("Trophy").isEmpty)
    }
  }

  @Test("a reference that another context saved to an object with an unsaved deletion is cleared")
  func mergedReference() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let (red, ann) = try teams(stack)
      stack.context.delete(red)
      stack.context.processPendingChanges()
      try merge(stack) { context in
        let team = try context.existingObject(with: red.objectID)
        try context.existingObject(with: ann.objectID).setValue(team, forKey: "team")
      }
      try expectNoTeam(stack, ann)
    }
  }

  @Test("a reference that a refresh reads again is cleared")
  func refresh() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let (red, ann) = try teams(stack)
      ann.setValue(red, forKey: "team")
      try stack.context.save()
      stack.context.delete(red)
      stack.context.processPendingChanges()
      #expect(ann.value(forKey: "team") == nil)
      stack.context.refresh(ann, mergeChanges: false)
      stack.context.processPendingChanges()
      try expectNoTeam(stack, ann)
    }
  }

  @Test("a reference that a child saves to an object its parent deleted is cleared")
  func childSave() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let (red, ann) = try teams(stack)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      let ids = (red.objectID, ann.objectID)
      try child.performAndWait {
        let player = try child.existingObject(with: ids.1)
        player.setValue(try child.existingObject(with: ids.0), forKey: "team")
      }
      context.delete(red)
      context.processPendingChanges()
      try child.performAndWait {
        // With a policy that prefers the object, the child would restore the team.
        child.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try child.save()
      }
      context.processPendingChanges()
      try expectNoTeam(stack, ann)
    }
  }

  @Test("a reference that the program sets or an undo restores is cleared")
  func setOrUndone() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.undoManager = UndoManager()
    try context.performAndWait {
      let (red, ann) = try teams(stack)
      ann.setValue(red, forKey: "team")
      context.processPendingChanges()
      context.undoManager?.endUndoGrouping()
      ann.setValue(nil, forKey: "team")
      context.processPendingChanges()
      try merge(stack) { $0.delete(try $0.existingObject(with: red.objectID)) }
      context.undo()
      context.processPendingChanges()
      #expect(ann.value(forKey: "team") == nil)
      ann.setValue(red, forKey: "team")
      context.processPendingChanges()
      try expectNoTeam(stack, ann)
    }
  }
}
