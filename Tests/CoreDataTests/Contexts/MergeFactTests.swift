import CoreData
import Testing

/// Sources: NSManagedObjectContext.h (`mergeChanges`, `refresh`), tests of FreeCoreData and CoreDataPlus,
/// a public log of what a merge posts.
@Suite("Effects of merges and refreshes", .onEveryStore)
struct MergeFactTests {
  @Test(
    "insertions are registered, deletions affect only registered objects, and IDs are posted last")
  func merging() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let held = context.insert("Player", ["name": "held"])
      context.insert("Player", ["name": "not held"])
      try context.save()
      let id = try #require(try context.all("Player", "name == 'not held'").first).objectID
      context.refreshAllObjects()
      context.processPendingChanges()
      #expect(context.registeredObject(for: id) == nil)
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      for player in try other.all("Player") { other.delete(player) }
      let new = other.insert("Player", ["name": "new"])
      try other.save()
      let posted = Recorder(
        [.NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidMergeChangesObjectIDs],
        of: context)
      context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      #expect(
        posted.notifications.map(\.name) == [
          .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidMergeChangesObjectIDs,
        ])
      let info = posted.notifications.first?.userInfo
      #expect(info?[NSDeletedObjectsKey] as? Set<NSManagedObject> == [held])
      #expect(info?[NSUpdatedObjectsKey] == nil)
      let inserted = try #require((info?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.first)
      #expect(inserted.objectID == new.objectID && inserted.managedObjectContext === context)
      #expect(!inserted.isInserted && context.insertedObjects.isEmpty)
      #expect(context.registeredObject(for: new.objectID) === inserted)
      #expect(inserted["name"] == "new")
    }
  }

  @Test("a refresh that keeps changes reads the current row, so that the save has no conflict")
  func refreshing() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      try other.existingObject(with: ann.objectID).setValue("there", forKey: "name")
      try other.save()
      ann.setValue(2, forKey: "age")
      context.refresh(ann, mergeChanges: true)
      #expect(ann["name"] == "there" && ann["age"] == 2 && ann.isUpdated && !ann.isFault)
      try context.save()
      // A property that both contexts changed keeps this context's value.
      try other.performAndWait {
        let twin = try other.existingObject(with: ann.objectID)
        other.refresh(twin, mergeChanges: false)
        twin.setValue("there again", forKey: "name")
        try other.save()
      }
      ann.setValue("here", forKey: "name")
      context.refresh(ann, mergeChanges: true)
      #expect(ann["name"] == "here")
      try context.save()
      #expect(try stack.reading { try $0.all("Player").map { $0["name"] as String? } } == ["here"])
    }
  }

  @Test("a refresh releases relationships, and objects that only they retained are deallocated")
  func relationships() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Red"])
      for title in ["a", "b"] { context.insert("Trophy", ["title": title, "winner": team]) }
      try context.save()
      context.reset()
      let red = try #require(try context.all("Team").first)
      func read() {
        for trophy in red.value(forKey: "trophies") as? NSOrderedSet ?? [] {
          _ = (trophy as? NSManagedObject)?.value(forKey: "winner")
        }
      }
      read()
      // Only the relationships retain the trophies.
      #expect(!red.hasFault(forRelationshipNamed: "trophies"))
      #expect(context.registeredObjects.count == 3)
      context.refreshAllObjects()
      context.processPendingChanges()
      #expect(red.hasFault(forRelationshipNamed: "trophies") && red.isFault)
      #expect(context.registeredObjects == [red])
    }
  }

  /// Source: NSManagedObjectContext.h, `mergeChangesFromRemoteContextSave`: arrays of IDs or of URIs, under
  /// the keys of objects or of IDs.
  @Test("a remote save is merged by IDs and URIs, under both kinds of keys")
  func remoteSaves() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let held = ["a", "b"].map { context.insert("Player", ["name": $0]) }
      try context.save()
      let new = ["c", "d"].map { other.insert("Player", ["name": $0]) }
      for player in held { other.delete(try other.existingObject(with: player.objectID)) }
      try other.save()
      let posted = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          NSInsertedObjectsKey: [new[0].objectID],
          NSInsertedObjectIDsKey: [new[1].objectID.uriRepresentation()],
          NSDeletedObjectsKey: [held[0].objectID.uriRepresentation()],
          NSDeletedObjectIDsKey: [held[1].objectID], "other": "nothing",
        ], into: [context])
      let info = posted.notifications.first?.userInfo
      #expect(posted.notifications.count == 1)
      let inserted = info?[NSInsertedObjectsKey] as? Set<NSManagedObject>
      #expect(Set(inserted?.map(\.objectID) ?? []) == Set(new.map(\.objectID)))
      #expect(info?[NSDeletedObjectsKey] as? Set<NSManagedObject> == Set(held))
      #expect(context.deletedObjects == Set(held) && context.insertedObjects.isEmpty)
      try context.save()
      #expect(try context.all("Player", sort: ["name"]).map { $0["name"] } == ["c", "d"])
    }
  }

  @Test("ObjectsDidChange is posted on the thread that processes the changes")
  func thread() throws {
    let context = try SampleStack().context
    nonisolated(unsafe) var threads: [Thread] = []
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in threads.append(Thread.current) }
    defer { NotificationCenter.default.removeObserver(token) }
    let caller = Thread.current
    context.performAndWait {
      context.insert("Player")
      context.processPendingChanges()
    }
    #expect(threads.count == 1 && threads.first === caller)
  }
}
