import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Merges of an update after the deletion of its row. Apple documents no order in which merges arrive; the header of
/// `mergeChanges` says that a merge brings a context to the state of the store.
@Suite("Updates that are merged late", .onEveryStore)
struct LateUpdateTests: LateMergeTests {
  /// Changes the age of objects in another context, and returns the notification of the save.
  private func update(
    _ ids: [NSManagedObjectID], in other: NSManagedObjectContext
  ) throws -> Notification {
    let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      for id in ids { try other.existingObject(with: id).setValue(7, forKey: "age") }
      try other.save()
    }
    return try #require(saved.notifications.first)
  }

  @Test(
    "an update that is merged after the row's deletion leaves no trace of an object that is not in use",
    .only(
      TestedStore.everyKind.filter { $0 != .ownIncremental },
      "a store that reads row by row is not queried"))
  func updateOfDeletedRow() throws {
    let stack = try SampleStack()
    let (context, first, second) = (stack.context, stack.newContext(), stack.newContext())
    let child = ChildContextTests.child(of: context)
    let ids = try first.performAndWait {
      let players = ["Ann", "Bob"].map { first.insert("Player", ["name": $0, "age": 1]) }
      try first.save()
      return players.map(\.objectID)
    }
    let update = try self.update(ids, in: first)
    _ = try delete(ids[0], in: second)
    for merging in [context, child] {
      try merging.performAndWait {
        let (controller, table) = try self.controller(merging)
        #expect(merging.registeredObject(for: ids[0]) == nil)
        merging.retainsRegisteredObjects = true
        let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: merging)
        merging.mergeChanges(fromContextDidSave: update)
        #expect(merging.registeredObject(for: ids[0]) == nil)
        #expect(!merging.hasChanges && merging.deletedObjects.isEmpty)
        #expect(changed.notifications.allSatisfy { $0.userInfo?[NSDeletedObjectsKey] == nil })
        #expect(controller.fetchedObjects?.map { $0["name"] } == ["Bob"])
        #expect(controller.fetchedObjects?.map { $0["age"] } == [7])
        #expect(table.violations.isEmpty)
        merging.retainsRegisteredObjects = false
      }
    }
  }

  @Test(
    "an update that is merged after the row's deletion deletes an object in use, and is reported once",
    .only(
      TestedStore.everyKind.filter { $0 != .ownIncremental },
      "a store that reads row by row is not queried"),
    arguments: [false, true], [false, true])
  func updateOfDeletedObject(isChanged: Bool, isObserved: Bool) throws {
    let stack = try SampleStack()
    let (context, first, second) = (stack.context, stack.newContext(), stack.newContext())
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      let live = try isObserved ? controller(context) : nil
      let update = try self.update([player.objectID], in: first)
      let deletion = try delete(player.objectID, in: second)
      if isChanged { player["name"] = "here" }
      context.processPendingChanges()
      let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      context.mergeChanges(fromContextDidSave: update)
      if !isChanged && !isObserved {
        // The object is a fault now. Reading it finds that the row is gone.
        #expect(!context.hasChanges && player["name"] as String? == nil)
      }
      #expect(player.isDeleted && !player.isUpdated)
      #expect(context.updatedObjects.isEmpty && context.deletedObjects == [player])
      for notification in deletion { context.mergeChanges(fromContextDidSave: notification) }
      context.processPendingChanges()
      let deleted = changed.notifications.compactMap {
        $0.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>
      }
      #expect(deleted == [[player]])
      if let live {
        #expect(live.0.fetchedObjects == [] && live.1.violations.isEmpty)
      }
      try context.save()
      #expect(!context.hasChanges && player.managedObjectContext == nil)
    }
  }

  @Test(
    "objects that referred to a deleted row are unchanged after an update that is merged after its deletion",
    .only(
      TestedStore.everyKind.filter { $0 != .ownIncremental },
      "a store that reads row by row is not queried"),
    arguments: [false, true], [false, true])
  func referrersOfDeletedObject(isChanged: Bool, isObserved: Bool) throws {
    let stack = try SampleStack()
    let (context, first, second) = (stack.context, stack.newContext(), stack.newContext())
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 1])
      let team = context.insert("Team", ["name": "Reds", "players": NSSet(object: player)])
      let tag = context.insert("Tag", ["label": "new", "players": NSSet(object: player)])
      let locker = context.insert("Locker", ["number": 1, "owner": player])
      try context.save()
      let live = try isObserved ? controller(context) : nil
      let update = try self.update([player.objectID], in: first)
      let deletion = try delete(player.objectID, in: second)
      if isChanged { player["name"] = "here" }
      context.processPendingChanges()
      func expectNoReference() {
        #expect(locker.value(forKey: "owner") == nil)
        for owner in [team, tag] {
          let players = owner.value(forKey: "players") as? NSSet
          #expect(players?.count == 0, "\(owner.entity.name ?? "")")
        }
      }
      func expectUnchanged() {
        context.processPendingChanges()
        #expect(context.updatedObjects == [] && context.insertedObjects == [])
        for object in [team, tag, locker] {
          #expect(!object.isUpdated && object.changedValues().isEmpty)
        }
      }
      context.mergeChanges(fromContextDidSave: update)
      if !isChanged && !isObserved { #expect(player["name"] as String? == nil) }
      #expect(player.isDeleted)
      // Otherwise, the merge did not look for the row, or the store does not know which other rows have changed.
      if (isChanged || isObserved) && StoreScope.current.kind.isSQL { expectNoReference() }
      expectUnchanged()
      for notification in deletion { context.mergeChanges(fromContextDidSave: notification) }
      expectNoReference()
      expectUnchanged()
      if let live { #expect(live.0.fetchedObjects == [] && live.1.violations.isEmpty) }
      try context.save()
      expectUnchanged()
    }
  }

  @Test("a merged update of an object that only the parent deleted does not delete it in the child")
  func updateOfObjectDeletedInParent() throws {
    let stack = try SampleStack()
    let (parent, other) = (stack.context, stack.newContext())
    let child = ChildContextTests.child(of: parent)
    try onQueues(of: child, parent) {
      let original = parent.insert("Player", ["name": "Ann", "age": 1])
      try parent.save()
      let player = try child.existingObject(with: original.objectID)
      let (controller, table) = try self.controller(child)
      parent.delete(original)
      parent.processPendingChanges()
      let update = try self.update([original.objectID], in: other)
      child.mergeChanges(fromContextDidSave: update)
      #expect(!player.isDeleted && !child.hasChanges)
      #expect(controller.fetchedObjects == [] && table.violations.isEmpty)
      parent.rollback()
      #expect(!player.isDeleted && !child.hasChanges && player["name"] == "Ann")
      child.mergeChanges(fromContextDidSave: update)
      #expect(controller.fetchedObjects == [player] && table.violations.isEmpty)
    }
  }

  @Test(
    "merged updates query the rows of entities that live results cover, and no others",
    .only(TestedStore.sqlKinds, "other stores run no queries"))
  func queriesOfUpdates() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    let store = try #require(stack.coordinator.persistentStores.first)
    try context.performAndWait {
      let players = (0..<20).map { context.insert("Player", ["name": "\($0)", "age": 1]) }
      try context.save()
      let update = try self.update(players.map(\.objectID), in: other)
      let tags = try controller(context, of: "Tag", sort: "label")
      let before = store.queryCount
      context.mergeChanges(fromContextDidSave: update)
      #expect(store.queryCount == before && tags.1.violations.isEmpty)
      let live = try controller(context)
      let fetched = store.queryCount
      context.mergeChanges(fromContextDidSave: update)
      // One query for the keys, and one for the rows.
      #expect(store.queryCount == fetched + 2)
      #expect(live.0.fetchedObjects?.count == 20 && live.1.violations.isEmpty)
    }
  }

  @Test("A row that was inserted or updated and then deleted is merged as deleted alone")
  func changedAndDeleted() throws {
    try SampleStack.withContext { context in
      let ids = (0..<2).map { _ in context.insert("Player").objectID }
      var changes = ChangedObjectIDs(inserted: [ids[0]], updated: [ids[1]])
      changes.add(ChangedObjectIDs(deleted: ids))
      #expect(changes.inserted.isEmpty && changes.updated.isEmpty && changes.deleted == ids)
    }
  }
}
