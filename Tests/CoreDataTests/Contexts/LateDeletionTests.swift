import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Merges of a deletion after the row was restored, by a merge policy that prefers the object or by an undo of the
/// deletion. Apple documents no order in which merges arrive; the header of `mergeChanges` says that a merge brings a
/// context to the state of the store.
@Suite("Deletions that are merged late", .onEveryStore)
struct LateDeletionTests: LateMergeTests {
  private func expectPresent(_ player: NSManagedObject, _ name: String) throws {
    let context = try #require(player.managedObjectContext)
    context.processPendingChanges()
    #expect(!player.isDeleted && !context.hasChanges && context.deletedObjects.isEmpty)
    #expect(player["name"] == name)
    #expect(try context.all("Player") == [player])
    #expect(try context.existingObject(with: player.objectID) === player)
  }

  /// The policies that restore a deleted row.
  private static let winning = [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite]

  @Test("an object that a policy restored stays when its deletion is merged automatically")
  func automatic() throws {
    for policy in Self.winning {
      for batchSize in [0, 2] {
        let stack = try SampleStack()
        let (context, other) = (stack.context, stack.newContext())
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = policy
        let (player, live) = try context.performAndWait {
          let player = context.insert("Player", ["name": "Ann", "age": 1])
          try context.save()
          let live = try controller(context, batchSize: batchSize)
          _ = try delete(player.objectID, in: other)
          player["name"] = "here"
          try context.save()
          return (player, live)
        }
        // Lets the queue merge the deletion.
        context.performAndWait {}
        try context.performAndWait {
          try expectPresent(player, "here")
          #expect(live.0.fetchedObjects == [player])
          #expect(live.1.violations.isEmpty && live.1.sections.flatMap(\.rows) == [player])
          player["age"] = 2
          try context.save()
        }
        #expect(try stack.reading { try $0.all("Player").map { $0["age"] as Int? } } == [2])
      }
    }
  }

  @Test("an object that a policy restored stays when its deletion is merged explicitly")
  func explicitly() throws {
    for isRemote in [false, true] {
      for isChanged in [false, true] {
        let stack = try SampleStack()
        let (context, other) = (stack.context, stack.newContext())
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.performAndWait {
          let player = context.insert("Player", ["name": "Ann", "age": 1])
          try context.save()
          let id = player.objectID
          let deletion = try delete(id, in: other)
          player["name"] = "here"
          try context.save()
          if isChanged { player["age"] = 5 }
          if isRemote {
            NSManagedObjectContext.mergeChanges(
              fromRemoteContextSave: [NSDeletedObjectsKey: [id.uriRepresentation()]],
              into: [context])
          } else {
            for notification in deletion {
              context.mergeChanges(fromContextDidSave: notification)
            }
          }
          if isChanged {
            #expect(!player.isDeleted && player.isUpdated && player["age"] == 5)
            try context.save()
          }
          try expectPresent(player, "here")
        }
      }
    }
  }

  @Test("merging a deletion after its undo, even twice, keeps the object")
  func afterUndo() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann"])
      try context.save()
      let live = try controller(context)
      let saves = try delete(player.objectID, in: other, undo: true)
      try #require(saves.count == 2)
      for number in [1, 0, 0, 1, 0] {
        context.mergeChanges(fromContextDidSave: saves[number])
        try expectPresent(player, "Ann")
      }
      #expect(live.0.fetchedObjects == [player] && live.1.violations.isEmpty)
      #expect(live.1.sections.flatMap(\.rows) == [player])
    }
  }

  @Test("merging an insertion after the deletion of its row keeps the object deleted")
  func lateInsertion() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      let id = try other.performAndWait {
        let player = other.insert("Player", ["name": "Ann"])
        try other.save()
        return player.objectID
      }
      let player = try context.existingObject(with: id)
      let live = try controller(context)
      let deletion = try delete(id, in: other)
      for notification in deletion { context.mergeChanges(fromContextDidSave: notification) }
      #expect(player.isDeleted && live.0.fetchedObjects == [])
      let changes = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      context.processPendingChanges()
      #expect(player.isDeleted && context.deletedObjects == [player])
      #expect(changes.notifications.allSatisfy { $0.userInfo?[NSInsertedObjectsKey] == nil })
      #expect(live.0.fetchedObjects == [] && live.1.violations.isEmpty)
      try context.save()
      #expect(!context.hasChanges && player.managedObjectContext == nil)
    }
  }

  @Test("a refresh and a lookup restore an object whose merged deletion was undone")
  func refreshed() throws {
    for way in 0..<4 {
      let stack = try SampleStack()
      let (context, other) = (stack.context, stack.newContext())
      try context.performAndWait {
        let player = context.insert("Player", ["name": "Ann"])
        try context.save()
        let saves = try delete(player.objectID, in: other, undo: true)
        // Sets the state from before the undo, when only the deletion was merged.
        context.noteDeletedElsewhere(player)
        context.processPendingChanges()
        #expect(player.isDeleted && saves.count == 2)
        switch way {
        case 0: context.refresh(player, mergeChanges: false)
        case 1: context.refresh(player, mergeChanges: true)
        case 2: context.refreshAllObjects()
        default: #expect(try context.existingObject(with: player.objectID) === player)
        }
        try expectPresent(player, "Ann")
      }
    }
  }

  @Test("an object that an undo inserted again survives a late merge of its deletion")
  func undoneHere() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.undoManager = UndoManager()
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann"])
      try context.save()
      let saved = Recorder(.NSManagedObjectContextDidSave, of: context)
      context.undoManager?.removeAllActions()
      context.delete(player)
      try context.save()
      context.undo()
      #expect(player.isInserted)
      context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      #expect(player.isInserted && !player.isDeleted)
      try context.save()
      try expectPresent(player, "Ann")
      #expect(try stack.reading { try $0.all("Player").map { $0["name"] as String? } } == ["Ann"])
    }
  }

  @Test(
    "an object that a batch request deleted and a policy restored stays when the result is merged")
  func batches() throws {
    guard StoreScope.current.kind.isSQL else { return }
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann"])
      let gone = context.insert("Player", ["name": "Bob"])
      try context.save()
      let request = NSBatchDeleteRequest(objectIDs: [player.objectID, gone.objectID])
      request.resultType = .resultTypeObjectIDs
      let result = try other.performAndWait {
        try other.execute(request) as? NSBatchDeleteResult
      }
      let ids = try #require(result?.result as? [NSManagedObjectID])
      player["name"] = "here"
      try context.save()
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
      #expect(gone.isDeleted && context.deletedObjects == [gone])
      try context.save()
      try expectPresent(player, "here")
    }
  }

  @Test(
    "a late merge of another coordinator's deletion queries the store, with and without IDs")
  func coordinators() throws {
    for isNamed in [true, false] {
      let writers = try TwoWriters(.coordinators, policy: .mergeByPropertyObjectTrump)
      let (here, there) = (writers.here, writers.there)
      let player = here.insert("Player", ["name": "Ann"])
      try here.save()
      let id = player.objectID
      there.undoManager = UndoManager()
      let twin = try writers.twin(player)
      there.processPendingChanges()
      there.undoManager?.removeAllActions()
      there.delete(twin)
      try there.save()
      player["name"] = "here"
      try here.save()
      let store = try #require(here.persistentStoreCoordinator?.persistentStores.first)
      let deletion =
        isNamed
        ? ForeignChanges(ids: ChangedObjectIDs(deleted: [twin.objectID]))
        : ForeignChanges(unnamed: [store.engine.origin])
      here.merge(deletion)
      try expectPresent(player, "here")
      // The other context deletes the object again, and this deletion is merged by its ID. Then it restores the object,
      // and this change is merged without IDs.
      let again = try there.existingObject(
        with: try #require(
          there.persistentStoreCoordinator?.managedObjectID(
            forURIRepresentation: id.uriRepresentation())))
      there.processPendingChanges()
      there.undoManager?.removeAllActions()
      there.delete(again)
      try there.save()
      here.merge(deletion)
      #expect(player.isDeleted && here.deletedObjects == [player])
      there.undo()
      try there.save()
      here.merge(ForeignChanges(unnamed: [store.engine.origin]))
      try expectPresent(player, "here")
    }
  }

  @Test(
    "an insertion that is merged after the row's deletion is not reported",
    .only(
      TestedStore.everyKind.filter { $0 != .ownIncremental },
      "a store that reads row by row is not queried"))
  func insertionOfDeletedRow() throws {
    let stack = try SampleStack()
    let (context, first, second) = (stack.context, stack.newContext(), stack.newContext())
    let child = ChildContextTests.child(of: context)
    let saved = Recorder(.NSManagedObjectContextDidSave, of: first)
    let id = try first.performAndWait {
      let player = first.insert("Player", ["name": "Ann"])
      first.insert("Player", ["name": "Bob"])
      try first.save()
      return player.objectID
    }
    let insertion = try #require(saved.notifications.first)
    _ = try delete(id, in: second)
    for merging in [context, child] {
      try merging.performAndWait {
        let (controller, table) = try self.controller(merging)
        let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: merging)
        merging.mergeChanges(fromContextDidSave: insertion)
        let inserted = changed.notifications.compactMap {
          $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
        }
        #expect(inserted.joined().map { $0["name"] } == ["Bob"])
        #expect(!merging.hasChanges && merging.deletedObjects.isEmpty)
        #expect(controller.fetchedObjects?.map { $0["name"] } == ["Bob"])
        #expect(table.violations.isEmpty)
      }
    }
  }

  @Test("a child that restored an object in its parent keeps it when the deletion is merged")
  func child() throws {
    let stack = try SampleStack()
    let context = stack.context
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    child.automaticallyMergesChangesFromParent = true
    child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let id = try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann"])
      try context.save()
      return player.objectID
    }
    let player = try child.performAndWait {
      let player = try child.existingObject(with: id)
      try context.performAndWait {
        context.delete(try context.existingObject(with: id))
        try context.save()
      }
      player["name"] = "here"
      try child.save()
      return player
    }
    // The child merges the deletion, queries its parent, and merges the answer.
    for queue in [child, context, child] { queue.performAndWait {} }
    try context.performAndWait { try context.save() }
    for queue in [child, context, child] { queue.performAndWait {} }
    try child.performAndWait { try expectPresent(player, "here") }
    #expect(try stack.reading { try $0.all("Player").map { $0["name"] as String? } } == ["here"])
  }

  @Test("an object whose row was restored is reported as inserted when it is looked up")
  func lookup() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    let player = try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann"])
      try context.save()
      return player
    }
    nonisolated(unsafe) let player2 = player
    let id = context.performAndWait { player2.objectID }
    let saves = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      other.undoManager = UndoManager()
      other.undoManager?.groupsByEvent = false
      other.undoManager?.beginUndoGrouping()
      other.delete(try other.existingObject(with: id))
      other.processPendingChanges()
      other.undoManager?.endUndoGrouping()
      try other.save()
    }
    context.performAndWait {
      for save in saves.notifications { context.mergeChanges(fromContextDidSave: save) }
      #expect(player2.isDeleted)
    }
    try other.performAndWait {
      other.undo()
      try other.save()
    }
    let changes = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
    try context.performAndWait {
      let found = try context.existingObject(with: id)
      #expect(found === player2)
      #expect(!player2.isDeleted && player2["name"] == "Ann")
    }
    // Lets the queue process its changes.
    context.performAndWait {}
    let inserted = changes.notifications.compactMap {
      $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
    }
    #expect(inserted == [[player2]])
    context.performAndWait { #expect(!context.hasChanges) }
  }

  @Test(
    "a member that moved before its old owner was deleted stays when another context changes the old owner"
  )
  func movedBefore() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
    let (red, blue, cup, medal) = try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let cup = context.insert("Trophy", ["title": "Cup", "winner": red])
      let medal = context.insert("Trophy", ["title": "Medal", "winner": red])
      let blue = context.insert("Team", ["name": "Blue"])
      try context.save()
      cup.setValue(blue, forKey: "winner")
      context.delete(red)
      context.processPendingChanges()
      #expect(medal.isDeleted && !cup.isDeleted)
      return (red, blue, cup, medal)
    }
    try other.performAndWait {
      try other.existingObject(with: red.objectID).setValue("Rot", forKey: "name")
      try other.save()
    }
    try context.performAndWait {
      for notification in saved.notifications {
        context.mergeChanges(fromContextDidSave: notification)
      }
      context.processPendingChanges()
      #expect(red.isDeleted && medal.isDeleted && !cup.isDeleted)
      context.mergePolicy = NSMergePolicy.overwrite
      try context.save()
    }
    try stack.reading { fresh in
      #expect(try fresh.all("Team").count == 1)
      let left = try fresh.all("Trophy")
      #expect(left.map { $0["title"] } == ["Cup"])
      #expect((left.first?["winner"] as NSManagedObject?)?.objectID == blue.objectID)
    }
  }
}
