import CoreData
import Testing

/// What random walks found.
@Suite("Deletions in children")
struct ChildDeletionTests {
  @Test("what an object was given before it was deleted is no change of the giver in the parent")
  func givenBefore() throws {
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
}
