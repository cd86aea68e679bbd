import CoreData
import Testing

/// Sources: Apple's "NSManagedObjectContext" page and NSManagedObjectContext.h; tests of FreeCoreData and
/// CoreDataPlus, which assert the behavior of Apple's Core Data.
@Suite("Merging and refreshing", .onEveryStore)
struct MergeTests {
  /// Saves a change in another context, and returns its notification.
  private func saved(
    _ stack: SampleStack, by other: NSManagedObjectContext, _ change: () throws -> Void
  ) throws -> Notification {
    let recorder = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      try change()
      try other.save()
    }
    return try #require(recorder.notifications.first)
  }

  @Test("a merge refreshes updated objects, registers inserted ones and deletes deleted ones")
  func merge() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let objects = ["a", "b", "c"].map { context.insert("Player", ["name": $0]) }
      try context.save()
      let ids = objects.map(\.objectID)
      context.refresh(objects[2], mergeChanges: false)
      context.processPendingChanges()
      let log = NotificationLog([context], names: ["context"])
      let notification = try saved(stack, by: other) {
        try other.existingObject(with: ids[0]).setValue("A", forKey: "name")
        try other.existingObject(with: ids[2]).setValue("C", forKey: "name")
        other.insert("Player", ["name": "d"])
        other.delete(try other.existingObject(with: ids[1]))
      }
      let merged = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, of: context)
      let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      context.mergeChanges(fromContextDidSave: notification)
      #expect(log.lines == ["context changed inserted 1 deleted 1 refreshed 1"])
      #expect(
        (changed.notifications.first?.userInfo?["NSObjectsChangedByMergeChangesKey"] as? NSSet)?
          .count == 3)
      let info = try #require(merged.notifications.first?.userInfo)
      #expect((info[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
      #expect(info[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[0], ids[2]])
      #expect(info[NSRefreshedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[0], ids[2]])
      #expect(info[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[1]])
      #expect(objects[0]["name"] == "A" && !objects[0].hasChanges)
      #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty)
      // A retained deleted object stays readable.
      #expect(objects[1].isDeleted && objects[1]["name"] == "b" && !objects[1].isFault)
      #expect(context.deletedObjects == [objects[1]])
      #expect(throws: NSError.self) { try context.existingObject(with: ids[1]) }
      try context.save()
      #expect(!context.hasChanges && objects[1].managedObjectContext == nil)
      let names: [String?] = try context.all("Player", sort: ["name"]).map { $0["name"] }
      #expect(names == ["A", "C", "d"])
    }
  }

  /// Source: tests of CoreDataPlus count the registered objects right after a merge.
  @Test("a merged insertion is posted, and stays registered only as long as the object is retained")
  func insertion() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let notification = try saved(stack, by: other) { other.insert("Player", ["name": "d"]) }
      var held: NSManagedObject?
      for isHeld in [false, true] {
        let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
        context.mergeChanges(fromContextDidSave: notification)
        let inserted = changed.notifications.first?.userInfo?[NSInsertedObjectsKey] as? NSSet
        #expect(inserted?.count == 1)
        if isHeld { held = inserted?.anyObject() as? NSManagedObject }
      }
      #expect(context.registeredObjects.map(\.objectID) == [held?.objectID])
    }
    let fresh = stack.newContext()
    try fresh.performAndWait {
      let notification = try saved(stack, by: other) { other.insert("Player", ["name": "e"]) }
      fresh.mergeChanges(fromContextDidSave: notification)
      #expect(fresh.registeredObjects.isEmpty)
    }
  }

  @Test("unsaved changes are kept over merged values")
  func keepsChanges() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann", "age": 1])
      try context.save()
      ann.setValue(2, forKey: "age")
      let notification = try saved(stack, by: other) {
        try other.existingObject(with: ann.objectID).setValue("Bea", forKey: "name")
      }
      context.mergeChanges(fromContextDidSave: notification)
      #expect(ann["name"] == "Bea" && ann["age"] == 2)
      #expect(ann.isUpdated && !ann.isFault)
      try context.save()
    }
  }

  @Test("a member that this context moved keeps its new owner", arguments: [true, false])
  func keepsOwner(isRead: Bool) throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let teams = ["A", "B", "C"].map { context.insert("Team", ["name": $0]) }
      let ann = context.insert("Player", ["name": "Ann"])
      ann.setValue(teams[0], forKey: "team")
      try context.save()
      func members() -> [Int] {
        teams.map { ($0.value(forKey: "players") as? Set<NSManagedObject>)?.count ?? -1 }
      }
      if isRead { #expect(members() == [1, 0, 0]) } else { context.refreshAllObjects() }
      ann.setValue(teams[1], forKey: "team")
      let notification = try saved(stack, by: other) {
        try other.existingObject(with: ann.objectID)
          .setValue(other.existingObject(with: teams[2].objectID), forKey: "team")
      }
      context.mergeChanges(fromContextDidSave: notification)
      #expect(members() == [0, 1, 0])
      try context.save()
      #expect(members() == [0, 1, 0])
      context.refreshAllObjects()
      #expect(members() == [0, 1, 0] && ann.value(forKey: "team") as? NSManagedObject == teams[1])
    }
  }

  @Test(
    "a restored row is a member of its owner again",
    .only(TestedStore.allCases, "the custom stores of the tests do not update members"))
  func restoredMember() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let team = context.insert("Team", ["name": "A"])
      let ann = context.insert("Player", ["name": "Ann"])
      ann.setValue(team, forKey: "team")
      try context.save()
      let id = ann.objectID
      let notification = try saved(stack, by: other) {
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let held = try other.existingObject(with: id)
        try context.performAndWait {
          context.delete(ann)
          try context.save()
          #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
        }
        held.setValue("Bea", forKey: "name")
      }
      context.mergeChanges(fromContextDidSave: notification)
      #expect(
        (team.value(forKey: "players") as? Set<NSManagedObject>)?.map(\.objectID) == [id])
    }
  }

  @Test("remote IDs and URIs are merged into several contexts")
  func remote() throws {
    let stack = try SampleStack()
    let (context, other, third) = (stack.context, stack.newContext(), stack.newContext())
    let id = try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      return ann.objectID
    }
    let held = try [other, third].map { context in
      try context.performAndWait { try context.existingObject(with: id) }
    }
    try context.performAndWait {
      context.object(with: id).setValue("Bea", forKey: "name")
      try context.save()
    }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [id.uriRepresentation()]], into: [other])
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectIDsKey: [id]], into: [third])
    other.performAndWait { #expect(held[0]["name"] == "Bea") }
    third.performAndWait { #expect(held[1]["name"] == "Bea") }
    try context.performAndWait {
      context.delete(context.object(with: id))
      try context.save()
    }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [id]], into: [other, third])
    other.performAndWait { #expect(held[0].isDeleted) }
  }

  // Source: Apple's page for `mergeChanges(fromRemoteContextSave:into:)`, which "merges changes into multiple contexts
  // as well as nested contexts".
  @Test(
    "remote changes are merged into nested contexts, whatever their order in the list",
    arguments: [false, true])
  func nested(isRootFirst: Bool) throws {
    let stack = try SampleStack()
    let (root, other) = (stack.context, stack.newContext())
    let child = ChildContextTests.child(of: root)
    let contexts = [root, child, ChildContextTests.child(of: child)]
    let ids = try other.performAndWait {
      let players = ["Ann", "Bea"].map { other.insert("Player", ["name": $0]) }
      try other.save()
      return players.map(\.objectID)
    }
    let held = try contexts.map { context in
      try context.performAndWait { try ids.map { try context.existingObject(with: $0) } }
    }
    try other.performAndWait {
      other.delete(other.object(with: ids[0]))
      other.object(with: ids[1]).setValue("Cyd", forKey: "name")
      try other.save()
    }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectIDsKey: [ids[0]], NSUpdatedObjectIDsKey: [ids[1]]],
      into: isRootFirst ? contexts : contexts.reversed())
    for (context, objects) in zip(contexts, held) {
      context.performAndWait {
        #expect(objects[0].isDeleted)
        #expect(objects[1]["name"] == "Cyd")
      }
    }
  }

  @Test("refreshAllObjects keeps the changes of changed objects, and posts all as refreshed")
  func refreshAll() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let players = (0..<20).map { context.insert("Player", ["number": $0, "name": "a"]) }
      try context.save()
      for player in players.prefix(10) { player.setValue(99, forKey: "age") }
      context.processPendingChanges()
      try other.performAndWait {
        for player in try other.all("Player") { player.setValue("b", forKey: "name") }
        try other.save()
      }
      let log = NotificationLog([context], names: ["context"])
      context.refreshAllObjects()
      context.processPendingChanges()
      #expect(log.lines == ["context changed refreshed 20"])
      for (index, player) in players.enumerated() {
        #expect(player.isFault == (index >= 10))
        #expect(player["name"] == "b")
        #expect(player["age"] == (index < 10 ? 99 : 0) || player.value(forKey: "age") == nil)
      }
      #expect(context.updatedObjects == Set(players.prefix(10)))
      try context.save()
    }
  }

  @Test(
    "a save posts ObjectsDidChange, WillSave, DidSave, DidSaveObjectIDs; a save without changes posts the last three"
  )
  func sequence() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let all = Recorder(
        [
          .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
          .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
        ], of: context)
      let ann = context.insert("Player")
      try context.save()
      let changed = NSManagedObjectContext.didChangeObjectsNotification
      let save = [
        NSManagedObjectContext.willSaveObjectsNotification,
        NSManagedObjectContext.didSaveObjectsNotification,
        NSManagedObjectContext.didSaveObjectIDsNotification,
      ]
      #expect(all.notifications.map(\.name) == [changed] + save)
      #expect(all.notifications[1].userInfo == nil)
      let key = NSManagedObjectContext.NotificationKey.self
      #expect(
        all.notifications[3].userInfo?[key.insertedObjectIDs.rawValue] as? Set<NSManagedObjectID>
          == [ann.objectID])
      #expect(
        all.notifications[2].userInfo?[key.sourceContext.rawValue] as? NSManagedObjectContext
          === context)
      try context.save()
      #expect(all.notifications.map(\.name) == [changed] + save + save)
      for name in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
        #expect((all.notifications[5].userInfo?[name] as? Set<NSManagedObject>)?.isEmpty == true)
      }
    }
  }

  @Test(
    "a save that changes, inserts and deletes posts each once; a reset posts invalidatedAll alone")
  func sequenceOfChanges() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let players = (0..<3).map { context.insert("Player", ["number": $0]) }
      try context.save()
      let log = NotificationLog([context], names: ["context"])
      players[0].setValue(7, forKey: "age")
      context.insert("Player")
      context.delete(players[1])
      let dropped = context.insert("Player")
      context.delete(dropped)
      try context.save()
      #expect(
        log.lines == [
          "context changed inserted 1 updated 1 deleted 2", "context will save",
          "context saved inserted 1 updated 1 deleted 1",
        ])
      let count = context.registeredObjects.count
      context.reset()
      #expect(log.lines == ["context changed invalidatedAll \(count)"])
    }
  }

  @Test("a child's DidSaveObjectIDs has temporary IDs, the root's permanent ones")
  func childIDs() throws {
    let stack = try SampleStack()
    let child = ChildContextTests.child(of: stack.context)
    let name = NSManagedObjectContext.didSaveObjectIDsNotification
    let (childs, roots) = (Recorder(name, of: child), Recorder(name, of: stack.context))
    try child.performAndWait {
      child.insert("Player")
      try child.save()
    }
    try stack.context.performAndWait { try stack.context.save() }
    func isTemporary(_ recorder: Recorder) -> Bool? {
      (recorder.notifications.first?.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?
        .first?.isTemporaryID
    }
    #expect(isTemporary(childs) == true && isTemporary(roots) == false)
  }

  @Test("detectConflicts compares an unchanged object with the store")
  func detectConflicts() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try context.performAndWait {
      let (ann, bea) = (context.insert("Player"), context.insert("Player"))
      try context.save()
      try other.performAndWait {
        try other.existingObject(with: ann.objectID).setValue("x", forKey: "name")
        try other.save()
      }
      bea.setValue("y", forKey: "name")
      try context.save()
      context.detectConflicts(for: ann)
      bea.setValue("z", forKey: "name")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      // A rollback also discards the request to compare the object.
      context.rollback()
      bea.setValue("z", forKey: "name")
      try context.save()
      context.detectConflicts(for: ann)
      bea.setValue("y", forKey: "name")
      #expect(throws: NSError.self) { try context.save() }
      context.refresh(ann, mergeChanges: false)
      _ = ann.value(forKey: "name")
      try context.save()
    }
  }

  @Test("a new object is saved to its assigned store")
  func assignment() throws {
    let stack = try SampleStack()
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null/2"))
    let context = stack.context
    try context.performAndWait {
      let (first, other) = (context.insert("Player"), context.insert("Player"))
      context.assign(other, to: second)
      try context.save()
      #expect(first.objectID.persistentStore === stack.coordinator.persistentStores[0])
      #expect(other.objectID.persistentStore === second)
    }
  }

  @Test("objects are retained while retainsRegisteredObjects is set")
  func retaining() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for number in 0..<3 { context.insert("Player", ["number": number]) }
      try context.save()
      context.retainsRegisteredObjects = true
      _ = try context.all("Player")
      #expect(context.registeredObjects.count == 3)
      context.retainsRegisteredObjects = false
      #expect(context.registeredObjects.isEmpty)
      #expect(context.stalenessInterval == -1)
    }
  }

  @Test("retained objects are released with their context")
  func retainedObjectsEnd() throws {
    let stack = try SampleStack()
    weak var object: NSManagedObject?
    var context: NSManagedObjectContext? = stack.newContext()
    try context?.performAndWait {
      context?.retainsRegisteredObjects = true
      object = context?.insert("Player", ["number": 1])
      try context?.save()
      #expect(try context?.all("Player").count == 1)
    }
    context = nil
    // The queue may retain the context for a moment.
    for _ in 0..<300_000 where object != nil { usleep(1000) }
    #expect(object == nil)
  }

  @Test("delete rules are applied by the save if propagatesDeletesAtEndOfEvent is false")
  func propagation() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team")
      context.insert("Trophy", ["winner": red])
      try context.save()
      context.propagatesDeletesAtEndOfEvent = false
      context.delete(red)
      context.processPendingChanges()
      #expect(context.deletedObjects.count == 1)
      try context.save()
      #expect(try context.all("Trophy").isEmpty)
    }
  }
}
