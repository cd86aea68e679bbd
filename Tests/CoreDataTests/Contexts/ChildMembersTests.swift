import CoreData
import Testing

/// The child has read members before the parent changes them. After the child's save, both sides of the relationships
/// still agree in the parent.
@Suite("Members that a child and its parent change", .onEveryStore)
struct ChildMembersTests {
  private let stack: SampleStack
  private let child: NSManagedObjectContext

  init() throws {
    stack = try SampleStack()
    child = ChildContextTests.child(of: stack.context)
  }

  @Test(
    "a member leaves its former owner even if the child read the owner's members before")
  func membersReadBefore() throws {
    let context = stack.context
    let (red, blue, cup) = try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      let cup = context.insert("Trophy", ["title": "Cup"])
      try context.save()
      return (red, blue, cup)
    }
    let ids = (red.objectID, blue.objectID, cup.objectID)
    let known = try child.performAndWait {
      let known = try child.existingObject(with: ids.1)
      #expect(known.names("trophies", "title") == [])
      return known
    }
    context.performAndWait { cup["winner"] = blue }
    try child.performAndWait {
      let moved = try child.existingObject(with: ids.2)
      moved["winner"] = try child.existingObject(with: ids.0)
      try child.save()
      #expect(known.names("trophies", "title") == [])
    }
    try context.performAndWait {
      #expect(context.findDisagreement() == nil)
      #expect(blue.names("trophies", "title") == [] && red.names("trophies", "title") == ["Cup"])
      try context.save()
      context.refreshAllObjects()
      #expect(context.findDisagreement() == nil)
    }
  }

  @Test("a member that the child removed and added again stays where the parent moved it")
  func leftAndBack() throws {
    let context = stack.context
    let (red, blue, cup) = try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      let cup = context.insert("Trophy", ["title": "Cup", "winner": red])
      try context.save()
      return (red, blue, cup)
    }
    let (id, owner) = (cup.objectID, red.objectID)
    try child.performAndWait {
      let own = try child.existingObject(with: id)
      own.setValue(nil, forKey: "winner")
      child.processPendingChanges()
      own["winner"] = try child.existingObject(with: owner)
    }
    context.performAndWait { cup["winner"] = blue }
    try child.performAndWait { try child.save() }
    context.performAndWait {
      #expect(context.findDisagreement() == nil)
      #expect(cup.value(forKeyPath: "winner.name") as? String == "Blue")
      #expect(red.names("trophies", "title") == [])
    }
  }

  @Test(
    "a child's save is one change in its parent, even if the save reads the parent's order of members"
  )
  func oneEvent() throws {
    let context = stack.context
    context.performAndWait { context.undoManager = UndoManager() }
    let red = try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      context.insert("Trophy", ["title": "Cup", "winner": red])
      try context.save()
      try context.forgetSteps()
      return red
    }
    let id = red.objectID
    let log = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
    try child.performAndWait {
      child.insert("Trophy", ["title": "Medal", "winner": try child.existingObject(with: id)])
      try child.save()
    }
    #expect(log.notifications.count == 1)
    try context.performAndWait {
      #expect(red.names("trophies", "title") == ["Cup", "Medal"])
      context.undo()
      #expect(context.findDisagreement() == nil)
      #expect(red.names("trophies", "title") == ["Cup"])
      let trophies = try context.all("Trophy")
      #expect(trophies.count == 1 && !context.hasChanges)
    }
  }

  @Test(
    "a member that the child moved away from a new owner moves back when the parent sets that owner"
  )
  func ownerSetAgain() throws {
    let context = stack.context
    let (new, ann) = try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      context.insert("Team", ["name": "Blue"])
      try context.save()
      let new = context.insert("Team", ["name": "New"])
      ann["team"] = new
      return (new, ann)
    }
    let id = ann.objectID
    try child.performAndWait {
      let own = try child.existingObject(with: id)
      own["team"] = try child.all("Team").first { $0.value(forKey: "name") as? String == "Blue" }
      try child.save()
    }
    try context.performAndWait {
      ann["team"] = new
      #expect(new.names("players") == ["Ann"])
      #expect(context.findDisagreement() == nil)
      try context.save()
      #expect(new.names("players") == ["Ann"])
    }
  }
}
