import Foundation
import Testing

@testable import CoreData

@Suite("The invariant check of a context")
struct InvariantTests {
  private func player(_ stack: SampleStack) throws -> NSManagedObject {
    NSManagedObject(
      entity: try #require(stack.model.entitiesByName["Player"]), insertInto: nil)
  }

  @Test("finds and changes nothing in a consistent context")
  func nothingChanges() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      let players = (0..<5).map { context.insert("Player", ["number": $0]) }
      try context.save()
      context.refreshAllObjects()
      context.delete(players[0])
      players[1].setValue(team, forKey: "team")
      context.insert("Player", ["number": 9])
      let faults = context.registeredObjects.filter(\.isFault)
      #expect(context.checkInvariants() == nil)
      #expect(context.registeredObjects.filter(\.isFault) == faults)
      #expect(context.insertedObjects.count == 1)
      #expect(context.updatedObjects.contains(players[1]))
      #expect(context.deletedObjects == [players[0]])
      try context.save()
      #expect(context.checkInvariants() == nil)
    }
  }

  @Test("finds an object whose flag disagrees with the lists")
  func flagWithoutList() throws {
    let context = try SampleStack().context
    try context.performAndWait {
      let player = context.insert("Player")
      try context.save()
      player.state.becameUpdated()
      #expect(
        context.checkInvariants()?.hasSuffix("is flagged as updated, but is not in that list")
          == true)
      player.state.changesEnded()
      #expect(context.checkInvariants() == nil)
      player.state.deleteRulesAreDone()
      #expect(
        context.checkInvariants()?.hasSuffix("its delete rules were carried out without a deletion")
          == true)
      player.state.deleteRulesAreDue()
    }
  }

  @Test("finds states that exclude each other")
  func states() throws {
    let layout = try player(SampleStack()).layout
    var state = ObjectState()
    state.becameInserted()
    #expect(state.checkInvariants(of: layout) == nil)
    state.becameUpdated()
    #expect(state.checkInvariants(of: layout) == "it is inserted and updated")
  }

  @Test("finds a listed object without its flag")
  func listWithoutFlag() throws {
    let stack = try SampleStack()
    let player = try player(stack)
    var changes = UnsavedChanges()
    #expect(changes.checkInvariants() == nil)
    changes.insert(player)
    #expect(
      changes.checkInvariants()?
        .hasSuffix("is among the inserted objects, but not flagged as inserted") == true)
    player.state.becameInserted()
    #expect(changes.checkInvariants() == nil)
    changes.insert(player, isKnownToBeNew: true)
    #expect(changes.checkInvariants() == "inserted objects: the list has an object twice")
  }

  @Test("finds an undo manager without a recorder")
  func undoManager() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.performAndWait {
      var undoing = ContextUndo()
      #expect(undoing.checkInvariants() == nil)
      let recorder = UndoRecorder(in: context)
      undoing.use(UndoManager(), recorder)
      #expect(undoing.checkInvariants() == nil)
      let former = undoing.use(UndoManager(), nil)
      #expect(former === recorder)
      #expect(undoing.checkInvariants() == "the undo manager has no recorder")
      undoing.use(nil, recorder)
      #expect(undoing.checkInvariants() == "there is an undo recorder without a manager")
    }
  }

  @Test("finds a temporary ID among the changes of other processes")
  func foreignChanges() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let inbox = ForeignInbox()
      let player = context.insert("Player")
      try context.save()
      inbox.add(ForeignChanges(ids: ChangedObjectIDs(updated: [player.objectID])), for: context)
      #expect(inbox.checkInvariants() == nil)
      let unsaved = context.insert("Player")
      inbox.add(ForeignChanges(ids: ChangedObjectIDs(updated: [unsaved.objectID])), for: context)
      #expect(inbox.checkInvariants()?.hasPrefix("the inbox contains a change of") == true)
    }
  }

  @Test("accepts the changes of a reset, which replace all changes before it")
  func resetChanges() throws {
    let stack = try SampleStack()
    let player = try player(stack)
    var changes = PendingChanges()
    changes.update(player)
    let former = changes.reset(invalidating: [player.objectID])
    #expect(former.updated.objects == [player])
    #expect(changes.isReset)
    #expect(changes.updated.isEmpty)
    #expect(changes.invalidatedAll == [player.objectID])
    #expect(changes.checkInvariants() == nil)
  }

  @Test("finds a duplicate member")
  func members() throws {
    let stack = try SampleStack()
    let (one, other) = (try player(stack), try player(stack))
    #expect(MemberOrder([one, other]).checkInvariants() == nil)
    #expect(MemberOrder([one, other, one]).checkInvariants() == "a member is in the order twice")

    let content = ToManyContent(isOrdered: true)
    content.setStored([one])
    content.insert(other)
    content.remove(one)
    #expect(content.checkInvariants() == nil)
    #expect(content.forgetStored())
    #expect(content.checkInvariants() == nil)
    content.setStored([one, other])
    #expect(content.objects == [other])
    #expect(content.checkInvariants() == nil)
  }

  @Test("finds results whose rows disagree with the counts of their sections")
  func resultCounts() throws {
    let context = try SampleStack().context
    try context.performAndWait {
      for age in [1, 1, 2] { context.insert("Player", ["age": age]) }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "age",
        cacheName: nil)
      try controller.performFetch()
      let results = try #require(controller.results)
      #expect(results.checkInvariants() == nil)
      results.tree.remove(at: results.tree.locate(0).location)
      #expect(results.tree.checkInvariants() == nil)
      #expect(results.checkInvariants()?.hasPrefix("the sections have") == true)
    }
  }
}
