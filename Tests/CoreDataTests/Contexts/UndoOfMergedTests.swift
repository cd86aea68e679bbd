import CoreData
import Foundation
import Testing

@Suite("Undo of changes that another context has changed again", .onEveryStore)
struct UndoOfMergedTests {
  @Test(
    "a member that a merge added is a member again after redoing both insertions",
    arguments: [false, true], [false, true])
  func members(reads: Bool, refreshes: Bool) throws {
    let stack = try SampleStack()
    let context = stack.context
    let other = stack.newContext()
    func merge(_ change: (NSManagedObjectContext) -> Void) throws {
      let recorder = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        change(other)
        try other.save()
      }
      let note = try #require(recorder.notifications.first)
      context.performAndWait { context.mergeChanges(fromContextDidSave: note) }
    }
    let (player, first, second) = try context.performAndWait {
      context.undoManager = UndoManager()
      let (first, second) = (
        context.insert("Team", ["name": "A"]), context.insert("Team", ["name": "C"])
      )
      let player = context.insert("Player", ["name": "p"])
      // Ends an event, which is undone separately.
      context.processPendingChanges()
      player.setValue(second, forKey: "team")
      try context.save()
      return (player, first, second)
    }
    let ids = context.performAndWait { (player.objectID, first.objectID) }
    try merge { $0.object(with: ids.0).setValue($0.object(with: ids.1), forKey: "team") }
    try context.performAndWait {
      context.processPendingChanges()
      if reads {
        #expect((first.value(forKey: "players") as? Set<NSManagedObject>) == [player])
        #expect((second.value(forKey: "players") as? Set<NSManagedObject>) == [])
      }
      try context.save()
      context.undo()
      context.processPendingChanges()
      #expect(player.isDeleted && first.isDeleted)
    }
    if refreshes { context.performAndWait { context.refreshAllObjects() } }
    try merge { $0.object(with: ids.1).setValue("X", forKey: "name") }
    context.performAndWait {
      context.processPendingChanges()
      context.redo()
      context.processPendingChanges()
      #expect(!player.isDeleted && !first.isDeleted)
      let team = player.value(forKey: "team") as? NSManagedObject
      #expect(team === first)
      #expect(
        (first.value(forKey: "players") as? Set<NSManagedObject>)
          == (team === first ? [player] : []))
      #expect(
        (second.value(forKey: "players") as? Set<NSManagedObject>)
          == (team === second ? [player] : []))
    }
  }

  @Test(
    "undoing a change of owner removes the member from the owner that a merge set")
  func movedElsewhere() throws {
    let stack = try SampleStack()
    let context = stack.context
    let other = stack.newContext()
    let (player, first, second) = try context.performAndWait {
      let first = context.insert("Team", ["name": "A"])
      let second = context.insert("Team", ["name": "C"])
      let player = context.insert("Player", ["name": "p"])
      try context.save()
      context.undoManager = UndoManager()
      player.setValue(second, forKey: "team")
      try context.save()
      return (player, first, second)
    }
    let (playerID, firstID) = context.performAndWait { (player.objectID, first.objectID) }
    let recorder = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      other.object(with: playerID).setValue(other.object(with: firstID), forKey: "team")
      try other.save()
    }
    let note = try #require(recorder.notifications.first)
    context.performAndWait {
      func players(_ team: NSManagedObject) -> Set<NSManagedObject>? {
        team.value(forKey: "players") as? Set<NSManagedObject>
      }
      context.mergeChanges(fromContextDidSave: note)
      #expect(players(first) == [player] && players(second) == [])
      context.undo()
      context.processPendingChanges()
      #expect(player.value(forKey: "team") == nil)
      #expect(players(first) == [] && players(second) == [])
      context.redo()
      context.processPendingChanges()
      // Redo restores the state before the undo.
      #expect(player.value(forKey: "team") as? NSManagedObject === first)
      #expect(players(first) == [player] && players(second) == [])
    }
  }

  @Test(
    "undoing a deletion connects the object to the owner that a merge set",
    arguments: [false, true])
  func movedWhileDeleted(readsBefore: Bool) throws {
    let stack = try SampleStack()
    let context = stack.context
    let other = stack.newContext()
    let (player, first, second, tag) = try context.performAndWait {
      let first = context.insert("Team", ["name": "A"])
      let second = context.insert("Team", ["name": "C"])
      let tag = context.insert("Tag", ["label": "x"])
      let player = context.insert("Player", ["name": "p", "team": first])
      try context.save()
      context.undoManager = UndoManager()
      context.delete(player)
      context.processPendingChanges()
      return (player, first, second, tag)
    }
    let ids = context.performAndWait { (player.objectID, second.objectID, tag.objectID) }
    let recorder = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      let player = other.object(with: ids.0)
      player.setValue(other.object(with: ids.1), forKey: "team")
      player.setValue(NSSet(object: other.object(with: ids.2)), forKey: "tags")
      try other.save()
    }
    let note = try #require(recorder.notifications.first)
    context.performAndWait {
      func players(_ owner: NSManagedObject) -> Set<NSManagedObject>? {
        owner.value(forKey: "players") as? Set<NSManagedObject>
      }
      if readsBefore { #expect(players(second) == [] && players(tag) == []) }
      context.mergeChanges(fromContextDidSave: note)
      #expect(players(first) == [] && players(second) == [] && players(tag) == [])
      context.undo()
      context.processPendingChanges()
      #expect(!player.isDeleted)
      let team = player.value(forKey: "team") as? NSManagedObject
      #expect(players(first) == (team === first ? [player] : []))
      #expect(players(second) == (team === second ? [player] : []))
      #expect(player.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
      #expect(players(tag) == [player])
    }
  }

  @Test(
    "undoing a change to a fault's ordered members, made on the inverse side, restores their order",
    arguments: [false, true])
  func orderOfFault(removes: Bool) throws {
    let stack = try SampleStack(model: WalkModel.make())
    let context = stack.context
    let other = stack.newContext()
    let ids = try context.performAndWait {
      let tags = (0..<3).map { context.insert("Tag", ["uid": $0, "name": "t"]) }
      let node = context.insert("Node", ["uid": 9])
      try context.save()
      return (node: node.objectID, tags: tags.map(\.objectID))
    }
    let recorder = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      let tags = (removes ? [2, 1, 0] : [2, 1]).map { other.object(with: ids.tags[$0]) }
      other.object(with: ids.node).setValue(NSOrderedSet(array: tags), forKey: "route")
      try other.save()
    }
    let note = try #require(recorder.notifications.first)
    context.performAndWait {
      context.mergeChanges(fromContextDidSave: note)
      context.undoManager = UndoManager()
      let node = context.object(with: ids.node)
      #expect(node.isFault)
      let nodes = context.object(with: ids.tags[removes ? 2 : 0])
        .mutableSetValue(forKey: "routes")
      if removes { nodes.remove(node) } else { nodes.add(node) }
      context.processPendingChanges()
      context.undo()
      context.processPendingChanges()
      let route = node.value(forKey: "route") as? NSOrderedSet
      let expected = (removes ? [2, 1, 0] : [2, 1]).map { ids.tags[$0] }
      #expect(route?.array.map { ($0 as? NSManagedObject)?.objectID } == expected)
      #expect(!context.hasChanges)
    }
  }
}
