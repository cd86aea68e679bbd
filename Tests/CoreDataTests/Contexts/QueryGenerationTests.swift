import CoreData
import Testing

/// Sources: WWDC 2016 session 242, "Query Generations"; NSManagedObjectContext.h.
@Suite("Query generations")
struct QueryGenerationTests {
  private func withStack(_ body: (SampleStack) throws -> Void) throws {
    let folder = try ThreadTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let stack = try SampleStack(url: folder.appendingPathComponent("generations.sqlite"))
    try body(stack)
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  private func add(_ name: String, to stack: SampleStack) throws {
    let writer = stack.newContext()
    try writer.performAndWait {
      writer.insert("Player", ["name": name])
      try writer.save()
    }
  }

  private func names(_ context: NSManagedObjectContext) throws -> [String] {
    try context.performAndWait {
      try context.all("Player", sort: ["name"]).compactMap { $0.value(forKey: "name") as? String }
    }
  }

  @Test(
    "a pinned context reads one generation until it moves, other contexts read the current store")
  func pinning() throws {
    try withStack { stack in
      try add("a", to: stack)
      let (pinned, free) = (stack.newContext(), stack.newContext())
      #expect(pinned.queryGenerationToken == nil)
      try pinned.setQueryGenerationFrom(.current)
      #expect(pinned.queryGenerationToken === NSQueryGenerationToken.current)
      // The first read chooses the generation.
      try add("b", to: stack)
      #expect(try names(pinned) == ["a", "b"])
      let token = try #require(pinned.queryGenerationToken)
      #expect(token !== NSQueryGenerationToken.current)
      try add("c", to: stack)
      #expect(try names(pinned) == ["a", "b"])
      #expect(try names(free) == ["a", "b", "c"])
      let second = stack.newContext()
      try second.setQueryGenerationFrom(token)
      #expect(try names(second) == ["a", "b"])
      try second.setQueryGenerationFrom(nil)
      #expect(try names(second) == ["a", "b", "c"])
      try pinned.setQueryGenerationFrom(.current)
      #expect(try names(pinned) == ["a", "b", "c"])
    }
  }

  @Test("faults and relationships of a pinned context read its generation, even rows deleted since")
  func faults() throws {
    try withStack { stack in
      let writer = stack.newContext()
      let pinned = stack.newContext()
      try pinned.setQueryGenerationFrom(.current)
      let id = try writer.performAndWait {
        let red = writer.insert("Team", ["name": "Red"])
        writer.insert("Player", ["name": "Ann", "team": red])
        try writer.save()
        return red.objectID
      }
      try pinned.performAndWait {
        let count = try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Team"))
        #expect(count == 1)
        try writer.performAndWait {
          for object in try writer.all("Player") + writer.all("Team") { writer.delete(object) }
          try writer.save()
        }
        let red = try pinned.existingObject(with: id)
        #expect(red["name"] == "Red")
        #expect((red.value(forKey: "players") as? NSSet)?.count == 1)
      }
    }
  }

  @Test("a save, a merge and a reset move to the latest generation; conflicts are detected")
  func moving() throws {
    try withStack { stack in
      try add("a", to: stack)
      let pinned = stack.newContext()
      try pinned.setQueryGenerationFrom(.current)
      #expect(try names(pinned) == ["a"])
      try add("b", to: stack)
      let recorder = Recorder(.NSManagedObjectContextDidSave, of: pinned)
      try pinned.performAndWait {
        pinned.insert("Player", ["name": "c"])
        try pinned.save()
      }
      #expect(
        recorder.notifications.first?.userInfo?[NSManagedObjectContextQueryGenerationKey]
          is NSQueryGenerationToken)
      #expect(try names(pinned) == ["a", "b", "c"])
      try add("d", to: stack)
      pinned.performAndWait { pinned.reset() }
      #expect(try names(pinned) == ["a", "b", "c", "d"])
      let writer = stack.newContext()
      try pinned.performAndWait {
        let a = try #require(try pinned.all("Player", "name == \"a\"").first)
        try writer.performAndWait {
          try #require(try writer.all("Player", "name == \"a\"").first).setValue(9, forKey: "age")
          try writer.save()
        }
        a.setValue("A", forKey: "name")
        let error = #expect(throws: NSError.self) { try pinned.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        pinned.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try pinned.save()
        #expect(a["name"] == "A" && a["age"] == 9)
      }
    }
  }

  @Test("a store without generations is read as it is, and a child cannot be pinned")
  func withoutGenerations() throws {
    let stack = try SampleStack()
    try stack.context.setQueryGenerationFrom(.current)
    #expect(try names(stack.context) == [])
    try add("a", to: stack)
    #expect(try names(stack.context) == ["a"])
    #expect(stack.context.queryGenerationToken === NSQueryGenerationToken.current)
    let child = ChildContextTests.child(of: stack.context)
    #expect(child.queryGenerationToken == nil)
    #expect(throws: NSError.self) { try child.setQueryGenerationFrom(.current) }
  }

  /// Source: Apple's page "automaticallyMergesChangesFromParent" and NSManagedObjectContext.h: merging
  /// moves a context to the generation of the merged changes.
  @Test("a merge moves to the latest generation")
  func merging() throws {
    try withStack { stack in
      try add("a", to: stack)
      let (pinned, writer) = (stack.newContext(), stack.newContext())
      try pinned.setQueryGenerationFrom(.current)
      #expect(try names(pinned) == ["a"])
      let saved = Recorder(.NSManagedObjectContextDidSave, of: writer)
      try writer.performAndWait {
        writer.insert("Player", ["name": "b"])
        try writer.save()
      }
      #expect(try names(pinned) == ["a"])
      let notification = try #require(saved.notifications.first)
      pinned.performAndWait { pinned.mergeChanges(fromContextDidSave: notification) }
      #expect(try names(pinned) == ["a", "b"])
    }
  }

  /// Source: WWDC 2016 session 242: SQLite stores with a write-ahead log have generations, and pinning
  /// other stores has no effect.
  @Test("a SQLite store without a write-ahead log is read as it is")
  func rollbackJournal() throws {
    let folder = try TemporaryFolder()
    let (_, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("a.sqlite"),
      options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    let coordinator = try #require(context.persistentStoreCoordinator)
    try context.setQueryGenerationFrom(.current)
    #expect(try names(context) == [])
    let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    writer.persistentStoreCoordinator = coordinator
    try writer.performAndWait {
      writer.insert("Player", ["name": "a"])
      try writer.save()
    }
    #expect(try names(context) == ["a"])
    #expect(context.queryGenerationToken === NSQueryGenerationToken.current)
  }

  @Test("a context stays pinned until a store with generations is added")
  func laterStore() throws {
    try withStack { stack in
      try add("a", to: stack)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
      let (pinned, writer) = (
        NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType),
        NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      )
      for context in [pinned, writer] { context.persistentStoreCoordinator = coordinator }
      try pinned.setQueryGenerationFrom(.current)
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      #expect(try names(pinned) == [])
      let url = stack.coordinator.persistentStores[0].url
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      #expect(try names(pinned) == ["a"])
      try writer.performAndWait {
        let player = try #require(try writer.all("Player").first)
        player.setValue("b", forKey: "name")
        try writer.save()
      }
      #expect(try names(writer) == ["b"])
      pinned.performAndWait { pinned.refreshAllObjects() }
      #expect(try names(pinned) == ["a"])
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
  }
}
