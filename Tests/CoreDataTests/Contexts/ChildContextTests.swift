import CoreData
import CoreDataTestSupport
import Testing

/// Sources: Apple's "NSManagedObjectContext" page, "Parent Store"; WWDC 2012 session 214; tests of public
/// libraries, which assert the behavior of Apple's Core Data (FreeCoreData, CoreDataPlus).
@Suite("Child contexts", .onEveryStore)
struct ChildContextTests {
  static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }

  @Test("a new object is inserted into a parent that has made a fault of its ID")
  func faultOfNewObject() throws {
    let stack = try SampleStack()
    let parent = stack.context
    let child = Self.child(of: parent)
    let id = child.performAndWait { child.insert("Player", ["name": "Ann"]).objectID }
    let fault = parent.performAndWait { parent.object(with: id) }
    try child.performAndWait { try child.save() }
    try parent.performAndWait {
      #expect(parent.insertedObjects == [fault])
      #expect(fault["name"] == "Ann")
      try parent.save()
      #expect(!fault.objectID.isTemporaryID)
    }
    #expect(try stack.reading { try $0.all("Player", "name == \"Ann\"").count } == 1)
  }

  @Test("a child sees its parent's unsaved changes, and not the reverse")
  func visibility() throws {
    let stack = try SampleStack()
    let child = Self.child(of: stack.context)
    #expect(child.persistentStoreCoordinator === stack.coordinator)
    let id = stack.context.performAndWait {
      stack.context.insert("Player", ["name": "Ann", "age": 30]).objectID
    }
    #expect(id.isTemporaryID)
    try child.performAndWait {
      let ann = try #require(try child.all("Player").first)
      #expect(ann.objectID == id)
      #expect(ann["name"] == "Ann")
      #expect(!ann.hasChanges && !child.hasChanges)
      ann.setValue("Bea", forKey: "name")
      child.insert("Player", ["name": "Cid", "age": 5])
      #expect(
        try child.all("Player", "age > 1", sort: ["age"]).map { $0["name"] } == ["Cid", "Bea"])
      #expect(try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player")) == 2)
    }
    try stack.context.performAndWait {
      let names: [String?] = try stack.context.all("Player").map { $0["name"] }
      #expect(names == ["Ann"])
    }
  }

  @Test("a saved object gets its permanent ID in all contexts when the child obtains it")
  func permanentIDsOfSaved() throws {
    let stack = try SampleStack()
    let middle = Self.child(of: stack.context)
    let child = Self.child(of: middle)
    let (id, bob) = try child.performAndWait {
      let ann = child.insert("Player", ["name": "Ann"])
      let bob = child.insert("Player", ["name": "Bob"])
      try child.save()
      #expect(ann.objectID.isTemporaryID)
      let cid = child.insert("Player", ["name": "Cid"])
      try child.obtainPermanentIDs(for: [ann, cid])
      #expect(!ann.objectID.isTemporaryID && !cid.objectID.isTemporaryID)
      #expect(!ann.hasChanges && bob.objectID.isTemporaryID)
      return (ann.objectID, bob.objectID)
    }
    try middle.performAndWait {
      let players = try middle.all("Player")
      #expect(Set(players.map(\.objectID)) == [id, bob])
      try middle.save()
    }
    try stack.context.performAndWait { try stack.context.save() }
    let names = try stack.reading { context in
      try context.all("Player").map { player -> String? in player["name"] }
    }
    #expect(Set(names) == ["Ann", "Bob"])
    try stack.context.performAndWait {
      let ann = try stack.context.existingObject(with: id)
      #expect(ann["name"] == "Ann")
    }
  }

  @Test(
    "a save pushes one level up; the root's save writes, and IDs become permanent at all levels")
  func chain() throws {
    let stack = try SampleStack()
    let middle = Self.child(of: stack.context)
    let child = Self.child(of: middle)
    var team: NSManagedObject?
    var player: NSManagedObject?
    try child.performAndWait {
      team = child.insert("Team", ["name": "Red"])
      player = child.insert("Player", ["name": "Ann", "team": team])
      try child.save()
      #expect(!child.hasChanges)
      #expect(team?.objectID.isTemporaryID == true)
    }
    try middle.performAndWait {
      #expect(middle.insertedObjects.count == 2)
      let red = try #require(try middle.all("Team").first)
      #expect((red.value(forKey: "players") as? NSSet)?.count == 1)
      #expect(try stack.reading { try $0.all("Team").isEmpty })
      try middle.save()
    }
    try stack.context.performAndWait {
      #expect(stack.context.insertedObjects.count == 2)
      try stack.context.save()
      #expect(try stack.reading { try $0.all("Player", "team.name == \"Red\"").count } == 1)
    }
    let root = try stack.context.performAndWait {
      try #require(try stack.context.all("Player").first).objectID
    }
    try child.performAndWait {
      let found = try child.all("Player")
      #expect(found.count == 1 && found.first === player)
      #expect(player?.objectID == root)
      #expect(player?.objectID.isTemporaryID == false)
      #expect(child.object(with: root) === player)
      child.refresh(try #require(player), mergeChanges: false)
      #expect(player?.value(forKey: "team") as? NSManagedObject === team)
    }
  }

  @Test("changed values, deletions, orders and members reach the parent as unsaved changes")
  func changes() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      for title in ["a", "b", "c"] { context.insert("Trophy", ["title": title, "winner": red]) }
      let tag = context.insert("Tag", ["label": "x"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      ann.setValue(NSSet(object: tag), forKey: "tags")
      context.insert("Player", ["name": "Bea", "team": red])
      try context.save()
    }
    let child = Self.child(of: context)
    try child.performAndWait {
      let red = try #require(try child.all("Team").first)
      let trophies = try #require(red.value(forKey: "trophies") as? NSOrderedSet)
      red.setValue(NSOrderedSet(array: trophies.reversed()), forKey: "trophies")
      let players = try child.all("Player", sort: ["name"])
      players[0].setValue(nil, forKey: "tags")
      let other = child.insert("Tag", ["label": "y"])
      players[1].setValue(NSSet(object: other), forKey: "tags")
      players[0].setValue("Zoe", forKey: "name")
      child.delete(try #require(trophies.firstObject as? NSManagedObject))
      try child.save()
    }
    try context.performAndWait {
      #expect(context.hasChanges)
      let red = try #require(try context.all("Team").first)
      func titles(_ team: NSManagedObject) -> [String] {
        (team.value(forKey: "trophies") as? NSOrderedSet)?.compactMap {
          ($0 as? NSManagedObject)?["title"]
        } ?? []
      }
      #expect(titles(red) == ["c", "b"])
      #expect(context.deletedObjects.count == 1)
      #expect(try context.all("Player", "ANY tags.label == \"y\"").map { $0["name"] } == ["Bea"])
      #expect(try context.all("Player", "ANY tags.label == \"x\"").isEmpty)
      try context.save()
      try stack.reading { fresh in
        #expect(titles(try #require(try fresh.all("Team").first)) == ["c", "b"])
        let counts = try fresh.all("Player", sort: ["name"]).map {
          ($0.value(forKey: "tags") as? NSSet)?.count
        }
        #expect(counts == [1, 0])
      }
    }
  }

  @Test("a member that parent and child both moved has one owner after the child's save")
  func movedMeanwhile() throws {
    let stack = try SampleStack()
    let context = stack.context
    let ids = try context.performAndWait {
      let teams = ["A", "B", "C"].map { context.insert("Team", ["name": $0]) }
      let ann = context.insert("Player", ["name": "Ann", "team": teams[0]])
      try context.save()
      return teams.map(\.objectID) + [ann.objectID]
    }
    let child = Self.child(of: context)
    try child.performAndWait {
      let ann = try child.existingObject(with: ids[3])
      context.performAndWait {
        context.object(with: ids[3]).setValue(context.object(with: ids[1]), forKey: "team")
      }
      ann.setValue(child.object(with: ids[2]), forKey: "team")
      try child.save()
    }
    context.performAndWait {
      let counts = ids.prefix(3).map {
        (context.object(with: $0).value(forKey: "players") as? NSSet)?.count
      }
      #expect(counts == [0, 0, 1])
    }
  }

  @Test("the parent posts one ObjectsDidChange for a child's save, before the child's DidSave")
  func notifications() throws {
    let stack = try SampleStack()
    let child = Self.child(of: stack.context)
    let log = NotificationLog([child, stack.context], names: ["child", "parent"])
    try child.performAndWait {
      child.insert("Player", ["name": "Ann"])
      try child.save()
    }
    #expect(
      log.lines == [
        "child changed inserted 1", "child will save", "parent changed inserted 1",
        "child saved inserted 1",
      ])
  }

  @Test("obtainPermanentIDs in a child queries the store, and applies at all levels")
  func permanentIDs() throws {
    let stack = try SampleStack()
    let middle = Self.child(of: stack.context)
    let child = Self.child(of: middle)
    try child.performAndWait {
      let early = child.insert("Player", ["name": "early"])
      try child.save()
      let late = child.insert("Player", ["name": "late"])
      try child.obtainPermanentIDs(for: [late])
      #expect(!late.objectID.isTemporaryID && late.isInserted)
      early.setValue("earlier", forKey: "name")
      try child.save()
      let id = late.objectID
      try middle.performAndWait {
        #expect(middle.registeredObject(for: id)?.isInserted == true)
        let object = try #require(middle.registeredObject(for: early.objectID))
        try middle.obtainPermanentIDs(for: [object])
        #expect(!early.objectID.isTemporaryID && early.objectID == object.objectID)
        try middle.save()
        try stack.context.performAndWait { try stack.context.save() }
      }
      #expect(try child.all("Player").count == 2)
      #expect(!early.objectID.isTemporaryID)
      #expect(late.objectID == id)
      #expect(
        try stack.reading { try $0.all("Player", sort: ["name"]).map(\.objectID) }
          == [early.objectID, late.objectID])
    }
  }

  @Test("a validation error in a child leaves its parent unchanged")
  func validation() throws {
    let stack = try SampleStack()
    let child = Self.child(of: stack.context)
    child.performAndWait {
      child.insert("Tag")
      let error = #expect(throws: NSError.self) { try child.save() }
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
      #expect(child.insertedObjects.count == 1)
    }
    #expect(!stack.context.performAndWait { stack.context.hasChanges })
  }

  @Test("a change to an object that the parent has deleted is a conflict")
  func deletedInParent() throws {
    let stack = try SampleStack()
    let context = stack.context
    let id = try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      return ann.objectID
    }
    let child = Self.child(of: context)
    try child.performAndWait {
      try child.existingObject(with: id).setValue("Bea", forKey: "name")
      context.performAndWait { context.delete(context.object(with: id)) }
      let error = #expect(throws: NSError.self) { try child.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      #expect(child.updatedObjects.count == 1)
      child.rollback()
      #expect(throws: NSError.self) {
        child.refresh(child.object(with: id), mergeChanges: false)
        _ = try child.existingObject(with: id)
      }
    }
  }

  @Test("a child's loaded objects adopt the parent's changes by a refresh or an automatic merge")
  func merging() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let id = try await context.perform {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      return ann.objectID
    }
    let child = Self.child(of: context)
    child.automaticallyMergesChangesFromParent = true
    // `ann` is used only on the queue of its context.
    nonisolated(unsafe) let ann = try child.performAndWait { try child.existingObject(with: id) }
    context.performAndWait { context.object(with: id).setValue("Bea", forKey: "name") }
    child.performAndWait { #expect(ann["name"] == "Ann") }
    child.performAndWait {
      child.refresh(ann, mergeChanges: false)
      #expect(ann["name"] == "Bea")
    }
    try context.performAndWait {
      context.object(with: id).setValue("Cid", forKey: "name")
      try context.save()
    }
    // The save has enqueued the merge already.
    await child.perform(schedule: .enqueued) { #expect(ann["name"] == "Cid") }
  }

  @Test("a fetched results controller works on a child, with and without a batch size")
  func controller() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.performAndWait {
      for age in [3, 1, 2] { context.insert("Player", ["age": age]) }
    }
    let child = Self.child(of: context)
    try child.performAndWait {
      for batchSize in [0, 2] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        request.fetchBatchSize = batchSize
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: child, sectionNameKeyPath: nil,
          cacheName: nil)
        let table = RecordingTable(traps: false)
        controller.delegate = table
        try controller.performFetch()
        table.load(controller)
        #expect(controller.fetchedObjects?.map { $0["age"] } == [1, 2, 3])
        let new = child.insert("Player", ["age": 0])
        child.processPendingChanges()
        #expect(controller.fetchedObjects?.map { $0["age"] } == [0, 1, 2, 3])
        child.delete(new)
        child.processPendingChanges()
        #expect(controller.fetchedObjects?.map { $0["age"] } == [1, 2, 3])
        #expect(table.violations == [])
      }
    }
  }

  @Test("a child of the main queue's context works from any thread")
  func mainQueueParent() async throws {
    let stack = try SampleStack()
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.persistentStoreCoordinator = stack.coordinator
    let child = Self.child(of: main)
    try await child.perform {
      child.insert("Player", ["name": "Ann"])
      try child.save()
    }
    let count = try await main.perform { () -> Int in
      try main.save()
      return try main.all("Player").count
    }
    #expect(count == 1)
  }

  @Test(
    "setting the parent to nil keeps the coordinator, and setting a coordinator removes the parent")
  func sources() throws {
    let stack = try SampleStack()
    let context = stack.newContext()
    context.parent = nil
    #expect(context.persistentStoreCoordinator === stack.coordinator)
    context.parent = stack.context
    #expect(context.parent === stack.context)
    context.persistentStoreCoordinator = nil
    #expect(context.persistentStoreCoordinator === stack.coordinator && context.parent != nil)
    context.persistentStoreCoordinator = stack.coordinator
    #expect(context.parent == nil)
  }

  @Test("children and their objects are released; a parent lives as long as its children")
  func lifetimes() throws {
    let stack = try SampleStack()
    weak var weakChild: NSManagedObjectContext?
    weak var weakMiddle: NSManagedObjectContext?
    weak var weakObject: NSManagedObject?
    try {
      let child = Self.child(of: Self.child(of: stack.context))
      weakChild = child
      weakMiddle = child.parent
      #expect(weakMiddle != nil)
      try child.performAndWait {
        let team = child.insert("Team", ["name": "Red"])
        weakObject = child.insert("Player", ["team": team])
        try child.save()
        child.refreshAllObjects()
        child.processPendingChanges()
      }
      #expect(try child.performAndWait { try child.all("Player").count } == 1)
    }()
    #expect(weakChild == nil && weakMiddle == nil && weakObject == nil)
  }
}
