@testable import CoreData
import CoreDataTestSupport
import Testing

@Suite("Edge cases of the object graph", .onEveryStore)
struct EdgeTests {
  @Test(
    "rows with the same entity and key in two stores of a coordinator are different objects",
    .only(TestedStore.fileKinds, "the test opens the stores again"))
  func twoStores() throws {
    let scope = StoreScope.current
    let urls = [try scope.newURL(), try scope.newURL()]
    let model = SampleStack.makeModel()
    for (url, name) in zip(urls, ["Ann", "Bob"]) {
      let stack = try SampleStack(url: url, model: model)
      try stack.context.performAndWait {
        stack.context.insert("Player", ["name": name, "age": 30])
        try stack.context.save()
      }
    }
    let stack = try SampleStack(url: urls[0], model: model)
    try stack.coordinator.addPersistentStore(
      ofType: scope.kind.type, configurationName: nil, at: urls[1])
    let context = stack.context
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      let found = try context.all("Player", sort: ["name"])
      #expect(found.map { $0.value(forKey: "name") as? String } == ["Ann", "Bob"])
      #expect(found[0].objectID != found[1].objectID)
      found[1].setValue("Ben", forKey: "name")
      context.delete(found[0])
      try context.save()
      #expect(table.sections.map(\.rows) == [[found[1]]])
      #expect(table.violations == [])
    }
    let second = try SampleStack(url: urls[1], model: model)
    try second.context.performAndWait {
      let names = try second.context.all("Player").map { $0.value(forKey: "name") as? String }
      #expect(names == ["Ben"])
    }
  }

  @Test("deleting a stale owner does not change objects that another save moved to a new owner")
  func staleSide() throws {
    let stack = try SampleStack()
    let (first, second) = (stack.newContext(), stack.newContext())
    first.retainsRegisteredObjects = true
    let ids = try first.performAndWait {
      let red = first.insert("Team", ["name": "Red"])
      let blue = first.insert("Team", ["name": "Blue"])
      let ann = first.insert("Player", ["name": "Ann", "team": red])
      try first.save()
      #expect((red.value(forKey: "players") as? NSSet)?.count == 1)
      return (red.objectID, blue.objectID, ann.objectID)
    }
    try second.performAndWait {
      second.object(with: ids.2).setValue(second.object(with: ids.1), forKey: "team")
      try second.save()
    }
    try first.performAndWait {
      let red = first.object(with: ids.0)
      #expect((red.value(forKey: "players") as? NSSet)?.count == 1)
      first.refresh(first.object(with: ids.2), mergeChanges: false)
      first.delete(red)
      try first.save()
    }
    try second.performAndWait {
      second.reset()
      let team = try second.all("Player").first?.value(forKey: "team") as? NSManagedObject
      #expect(team?.objectID == ids.1)
    }
  }

  @Test(
    "attributes and relationships of a refetched fault are from the same version of its row",
    .only(TestedStore.allCases, "a custom incremental store fetches no values"))
  func refetchedFault() throws {
    let stack = try SampleStack()
    let (first, second) = (stack.newContext(), stack.newContext())
    try first.performAndWait {
      let red = first.insert("Team", ["name": "Red"])
      first.insert("Team", ["name": "Blue"])
      first.insert("Player", ["name": "Ann", "team": red])
      try first.save()
      first.reset()
      // A sort through the relationship reads the destination of the fault's relationship.
      let found = try first.all("Player")
      let order = RowOrder(
        sorts: try FetchPlan(sorted("team.name"), in: stack.coordinator.layouts).sorts)
      _ = try SortValues(of: found[0], by: order.sorts)
      try second.performAndWait {
        let ann = try #require(try second.all("Player").first)
        ann.setValue(try second.all("Team", "name == \"Blue\"").first, forKey: "team")
        try second.save()
      }
      let again = try #require(try first.all("Player").first)
      #expect((again.value(forKey: "team") as? NSManagedObject)?["name"] == "Blue")
      _ = found
    }
  }

  private func sorted(_ key: String) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return request
  }

  @Test("an object may outlive its context, coordinator and model, deleted or not")
  func outliving() throws {
    var kept: [NSManagedObject] = []
    do {
      let stack = try SampleStack()
      try stack.context.performAndWait {
        let red = stack.context.insert("Team", ["name": "Red"])
        let ann = stack.context.insert("Player", ["name": "Ann", "team": red])
        let bob = stack.context.insert("Player", ["name": "Bob", "team": red])
        let cyd = stack.context.insert("Player", ["name": "Cyd", "team": red])
        try stack.context.save()
        stack.context.reset()
        let found = try stack.context.all("Player", sort: ["name"])
        stack.context.delete(found[0])
        try stack.context.save()
        kept = found + [red, ann, bob, cyd, stack.context.insert("Player")]
        stack.context.delete(kept[kept.count - 1])
        stack.context.processPendingChanges()
      }
      // Waits until the queue has run the context's blocks, so that the context is deallocated here.
      stack.context.performAndWait {}
    }
    for object in kept {
      #expect(object.managedObjectContext == nil)
      #expect(object.value(forKey: "name") == nil)
      #expect(!object.isDeleted)
      if object.entity.name == "Player" { #expect(object.value(forKey: "team") == nil) }
      #expect(object.description.isEmpty == false)
    }
  }

  @Test("an object that was never saved keeps its attributes when its context ends")
  func unsavedOutliving() throws {
    func make() throws -> NSManagedObject {
      let stack = try SampleStack()
      let player = stack.context.performAndWait {
        let team = stack.context.insert("Team", ["name": "Red"])
        return stack.context.insert("Player", ["name": "Ann", "team": team])
      }
      // Waits until the queue has run the context's blocks, so that the context is deallocated here.
      stack.context.performAndWait {}
      return player
    }
    let ann = try make()
    #expect(ann["name"] == "Ann")
    #expect(ann.value(forKey: "team") == nil)
    ann.setValue("Bea", forKey: "name")
    #expect(ann["name"] == "Bea")
    #expect(!ann.isInserted && !ann.isFault)
  }

  @Test("objects that were rolled back or deleted do not retain each other")
  func retainCycles() throws {
    let stack = try SampleStack()
    weak var dropped: NSManagedObject?
    weak var deleted: NSManagedObject?
    weak var unsaved: NSManagedObject?
    try stack.context.performAndWait {
      func make() -> NSManagedObject {
        let team = stack.context.insert("Team")
        stack.context.insert("Player", ["team": team])
        _ = team.value(forKey: "players")
        return team
      }
      dropped = make()
      stack.context.rollback()
      let team = make()
      try stack.context.save()
      for player in try stack.context.all("Player") { stack.context.delete(player) }
      stack.context.delete(team)
      try stack.context.save()
      deleted = team
      let other = make()
      for player in other.value(forKey: "players") as? Set<NSManagedObject> ?? [] {
        stack.context.delete(player)
        stack.context.delete(other)
      }
      stack.context.processPendingChanges()
      #expect(!stack.context.hasChanges)
      unsaved = other
    }
    #expect(dropped == nil)
    #expect(deleted == nil)
    #expect(unsaved == nil)
  }

  @Test("deleting an unsaved object removes references to it, even with the deny rule")
  func unsavedDeny() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let locker = stack.context.insert("Locker", ["number": 1])
      let ann = stack.context.insert("Player", ["name": "Ann", "locker": locker])
      stack.context.delete(locker)
      try stack.context.save()
      #expect(ann.value(forKey: "locker") == nil)
    }
  }

  @Test("a fault whose row is gone is deleted, has no values, and does not prevent a save")
  func rowGone() throws {
    let stack = try SampleStack()
    let (first, second) = (stack.newContext(), stack.newContext())
    let id = try first.performAndWait {
      let ann = first.insert("Player", ["name": "Ann"])
      try first.save()
      return ann.objectID
    }
    try first.performAndWait {
      try second.performAndWait {
        second.delete(second.object(with: id))
        try second.save()
      }
      first.reset()
      let fault = first.object(with: id)
      #expect(fault.value(forKey: "name") == nil)
      #expect(fault.isDeleted)
      #expect(first.deletedObjects == [fault])
      #expect(throws: NSError.self) { try first.existingObject(with: id) }
      try first.save()
      #expect(!first.hasChanges)
      first.delete(first.object(with: id))
      first.insert("Player", ["name": "Bob"])
      try first.save()
      #expect(try first.count(for: sorted("name")) == 1)
    }
  }

  @Test("setting an attribute to its stored value is not a change to merge with another save")
  func sameValue() throws {
    for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
      let stack = try SampleStack()
      let (first, second) = (stack.newContext(), stack.newContext())
      first.mergePolicy = policy
      try first.performAndWait {
        let ann = first.insert("Player", ["name": "Ann", "age": 1])
        try first.save()
        try second.performAndWait {
          let other = try #require(try second.all("Player").first)
          other.setValue(2, forKey: "age")
          other.setValue("Bea", forKey: "name")
          try second.save()
        }
        ann.setValue(1, forKey: "age")
        ann.setValue("Cyd", forKey: "name")
        try first.save()
        #expect(ann["age"] == (policy === NSMergePolicy.overwrite ? 1 : 2))
        #expect(ann["name"] == "Cyd")
      }
    }
  }

  // Source: Atomic Store Programming Topics: a coordinator reads an atomic store as a whole when it adds it.
  @Test(
    "merging the save of another coordinator uses object IDs of the merging context's store",
    .only([.sqlite], "an atomic store does not read its file again"))
  func otherCoordinator() throws {
    let url = try StoreScope.current.newURL()
    let (here, there) = (try SampleStack(url: url), try SampleStack(url: url))
    try here.context.performAndWait {
      let ann = here.context.insert("Player", ["name": "Ann"])
      try here.context.save()
      nonisolated(unsafe) var notification: Notification?
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: there.context, queue: nil
      ) { notification = $0 }
      defer { NotificationCenter.default.removeObserver(token) }
      try there.context.performAndWait {
        let other = try #require(try there.context.all("Player").first)
        other.setValue("Bea", forKey: "name")
        there.context.insert("Player", ["name": "Cyd"])
        try there.context.save()
      }
      here.context.mergeChanges(fromContextDidSave: try #require(notification))
      #expect(ann["name"] == "Bea")
      for object in here.context.registeredObjects {
        #expect(object.objectID.persistentStore === here.coordinator.persistentStores[0])
      }
    }
  }

  @Test("an observer that changes objects and fetches receives its own changes afterwards")
  func observers() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.performAndWait {
      nonisolated(unsafe) var log: [String] = []
      nonisolated(unsafe) var depth = 0
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { note in
        depth += 1
        let count = (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
        log.append("\(depth): \(count)")
        if log.count == 1 {
          context.insert("Team")
          let found = (try? context.all("Team").count) ?? -1
          log.append("fetched \(found)")
        }
        depth -= 1
      }
      defer { NotificationCenter.default.removeObserver(token) }
      context.insert("Team")
      context.processPendingChanges()
      #expect(log == ["1: 1", "fetched 2", "1: 1"])
    }
  }

  @Test(
    "insert cancels an unsaved deletion, adds a new row after a saved deletion, or does nothing")
  func insertingAgain() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      context.insert(ann)
      #expect(!context.hasChanges)
      context.delete(ann)
      context.processPendingChanges()
      context.insert(ann)
      #expect(!ann.isDeleted && !ann.isInserted)
      try context.save()
      let id = ann.objectID
      #expect(try context.all("Player") == [ann])
      context.delete(ann)
      try context.save()
      context.insert(ann)
      ann.setValue("Bea", forKey: "name")
      try context.save()
      #expect(ann.objectID != id)
      #expect(try context.all("Player", "name == \"Bea\"") == [ann])
    }
  }

  @Test("a number outside the range of integers throws an error and does not trap")
  func wildNumbers() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let ann = stack.context.insert("Player", ["age": 3])
      for wild: Any in [
        Double.nan, Double.infinity, 1e300, -1e300, UInt64.max, NSNumber(value: 1e300),
      ] {
        #expect(throws: NSError.self, "\(wild)") { try ann.setValidatedValue(wild, forKey: "age") }
      }
      #expect(ann["age"] == 3)
      try ann.setValidatedValue(Double.infinity, forKey: "score")
      try stack.context.save()
    }
  }

  @Test(
    "inserting, changing and deleting thousands of objects needs fewer than a hundred reads",
    .only([.memorySQLite], "other stores have no statements"))
  func many() throws {
    let stack = try SampleStack()
    let context = stack.context
    let count = 5_000
    let store = try #require(stack.coordinator.persistentStores.first)
    try context.performAndWait {
      /// Expects that the number of reads in a step does not grow with the number of objects.
      func step(_ name: String, _ body: () throws -> Void) throws {
        let before = store.queryCount
        try body()
        try context.save()
        #expect(store.queryCount - before < 100, "\(name)")
      }
      let red = context.insert("Team", ["name": "Red"])
      try step("insert") {
        for number in 0..<count { context.insert("Player", ["number": number, "team": red]) }
      }
      context.reset()
      try step("update") {
        for player in try context.all("Player") { player.setValue(7, forKey: "age") }
      }
      context.reset()
      try step("nullify") { context.delete(try #require(try context.all("Team").first)) }
      #expect(try context.all("Player", "team == nil").count == count)
      let blue = context.insert("Team", ["name": "Blue"])
      try step("set") {
        for player in try context.all("Player") { player.setValue(blue, forKey: "team") }
      }
      try step("clear") {
        for player in try context.all("Player") { player.setValue(nil, forKey: "team") }
      }
      try step("trophies") {
        for number in 0..<count {
          context.insert("Trophy", ["title": "\(number)", "winner": blue])
        }
      }
      try step("trophies deleted") {
        for trophy in try context.all("Trophy") { context.delete(trophy) }
      }
      #expect(try context.all("Player", "age == 7").count == count)
      #expect(try context.all("Trophy").isEmpty)
    }
  }
}
