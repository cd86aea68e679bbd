import CoreData
import Testing

/// Regressions that random walks found.
@Suite("Deletions in children")
struct ChildDeletionTests {
  @Test("an owner that a child sets before it deletes the member has no change in the parent")
  func ownerSetBefore() throws {
    let stack = try SampleStack()
    let parent = stack.context
    let child = ChildContextTests.child(of: parent)
    let (red, ann) = try parent.performAndWait {
      let red = parent.insert("Team", ["name": "Red"])
      let ann = parent.insert("Player", ["name": "Ann"])
      try parent.save()
      return (red, ann)
    }
    try child.performAndWait {
      let player = child.object(with: ann.objectID)
      player.setValue(child.object(with: red.objectID), forKey: "team")
      child.delete(player)
      try child.save()
    }
    try parent.performAndWait {
      #expect(parent.deletedObjects == [ann])
      #expect(red.changedValues().isEmpty)
      #expect((red.value(forKey: "players") as? NSSet)?.count == 0)
      try parent.save()
    }
  }

  @Test(
    "a member that the parent has added but not saved, and that a child deletes, leaves no change in its owner",
    arguments: ["players", "trophies"])
  func deletedNewMember(of relationship: String) throws {
    let isOrdered = relationship == "trophies"
    let parent = try SampleStack().context
    let child = ChildContextTests.child(of: parent)
    let (red, new) = try parent.performAndWait {
      let red = parent.insert("Team", ["name": "Red"])
      let new = parent.insert(isOrdered ? "Trophy" : "Player")
      try parent.save()
      new.setValue(red, forKey: isOrdered ? "winner" : "team")
      return (red, new)
    }
    child.performAndWait {
      child.delete(child.object(with: new.objectID))
      child.processPendingChanges()
    }
    parent.performAndWait { parent.refreshAllObjects() }
    try child.performAndWait { try child.save() }
    try parent.performAndWait {
      #expect(parent.deletedObjects == [new])
      #expect(red.changedValues().isEmpty)
      try parent.save()
    }
  }

  @Test("members that a child deletes and moves have the child's order in the parent")
  func deletedOrderedMember() throws {
    let parent = try SampleStack().context
    let child = ChildContextTests.child(of: parent)
    let (red, cups) = try parent.performAndWait {
      let red = parent.insert("Team", ["name": "Red"])
      let cups = ["a", "b", "c", "d"].map { parent.insert("Trophy", ["title": $0]) }
      red.setValue(NSOrderedSet(array: cups), forKey: "trophies")
      try parent.save()
      return (red, cups)
    }
    try child.performAndWait {
      let own = child.object(with: red.objectID).mutableOrderedSetValue(forKey: "trophies")
      child.delete(child.object(with: cups[1].objectID))
      child.processPendingChanges()
      own.moveObjects(at: IndexSet(integer: 2), to: 0)
      try child.save()
    }
    try parent.performAndWait {
      #expect(
        (red.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject]
          == [cups[3], cups[0], cups[2]])
      try parent.save()
      parent.refreshAllObjects()
      #expect(
        (red.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject]
          == [cups[3], cups[0], cups[2]])
    }
  }
}
