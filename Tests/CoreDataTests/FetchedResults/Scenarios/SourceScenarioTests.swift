import CoreData
import CoreDataTestSupport
import Testing

/// Scenarios that broke other fetched results controllers, from reports of their users: changes that do not come from
/// setters that the program calls.
@Suite("Sources of changes that break other controllers", .onEveryStore)
struct SourceScenarioTests {
  /// Saves a change in another context, and returns the notification.
  private func saved(
    beside context: NSManagedObjectContext, _ change: (NSManagedObjectContext) throws -> Void
  ) throws -> Notification {
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    let box = Unchecked<Notification?>(nil)
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: other, queue: nil
    ) { box.value = $0 }
    defer { NotificationCenter.default.removeObserver(token) }
    try other.performAndWait {
      try change(other)
      try other.save()
    }
    return try #require(box.value)
  }

  @Test("a refresh that reads new values or discards changes is reported")
  func refresh() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 3)]) { scene in
      let context = scene.context
      let ann = try scene["Ann"]
      _ = try saved(beside: context) {
        $0.object(with: ann.objectID).setValue(5, forKey: "age")
      }
      #expect(scene.report() == [])
      context.refresh(ann, mergeChanges: true)
      #expect(scene.report() == ["0.0>0.1"])
      ann.setValue(0, forKey: "age")
      #expect(scene.report() == ["0.1>0.0"])
      context.refresh(ann, mergeChanges: false)
      #expect(scene.report() == ["0.0>0.1"])
      #expect(scene.names == [["Bob", "Ann"]])
      _ = try saved(beside: context) {
        $0.object(with: ann.objectID).setValue("Anna", forKey: "name")
      }
      context.refreshAllObjects()
      #expect(scene.report().contains("~0.1=0.1"))
      #expect(scene.names == [["Bob", "Anna"]])
    }
  }

  @Test("a merge of another context's save is reported")
  func merge() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2), ("Dan", 6)]) { scene in
      let ids = scene.table.sections[0].rows.map(\.objectID)
      let notification = try saved(beside: scene.context) { other in
        other.object(with: ids[0]).setValue(5, forKey: "age")
        other.object(with: ids[2]).setValue("Dean", forKey: "name")
        other.delete(other.object(with: ids[1]))
        other.insert("Player", ["name": "Cem", "age": 3])
      }
      scene.context.mergeChanges(fromContextDidSave: notification)
      #expect(scene.report() == ["-0.1", "+0.0", "~0.0=0.1", "~0.2=0.2"])
      #expect(scene.names == [["Cem", "Ann", "Dean"]])
    }
  }

  @Test(
    "temporary IDs that become permanent in a save do not change the rows",
    arguments: [nil, "age"], [0, 2])
  func permanentIDs(_ section: String?, _ batchSize: Int) throws {
    let request = LiveScene.Request(section: section, batchSize: batchSize)
    try LiveScene.run([("Ann", 1)], request) { scene in
      let cem = scene.context.insert("Player", ["name": "Cem", "age": 1])
      let bob = scene.context.insert("Player", ["name": "Bob", "age": 2])
      _ = scene.report()
      try scene.context.save()
      #expect(scene.report() == [])
      #expect(!bob.objectID.isTemporaryID && !cem.objectID.isTemporaryID)
      #expect(
        scene.names == (section == nil ? [["Ann", "Cem", "Bob"]] : [["Ann", "Cem"], ["Bob"]]))
      for (object, path) in [
        (cem, IndexPath(row: 1, section: 0)),
        (bob, section == nil ? IndexPath(row: 2, section: 0) : IndexPath(row: 0, section: 1)),
      ] {
        #expect(scene.controller.indexPath(forObject: object) == path)
        #expect(scene.controller.object(at: path) === object)
      }
      cem.setValue("Cemal", forKey: "name")
      #expect(scene.report() == ["~0.1=0.1"])
      bob.setValue(0, forKey: "age")
      #expect(
        scene.report()
          == (section == nil ? ["0.2>0.0"] : ["-section 1 2", "+section 0 0", "1.0>0.0"]))
    }
  }

  @Test("a parent's results report a child's save, including objects with temporary IDs")
  func childSave() throws {
    let stack = try SampleStack()
    let context = stack.context
    let box = try context.performAndWait {
      for (name, age) in [("Ann", 1), ("Bob", 2), ("Cem", 3)] {
        context.insert("Player", ["name": name, "age": age])
      }
      try context.save()
      let scene = try LiveScene(context)
      return Unchecked((scene, scene.table.sections[0].rows.map(\.objectID)))
    }
    let (scene, ids) = box.value
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try child.performAndWait {
      child.insert("Player", ["name": "Zoe", "age": 0])
      child.object(with: ids[0]).setValue(9, forKey: "age")
      child.delete(child.object(with: ids[1]))
      try child.save()
    }
    try context.performAndWait {
      #expect(scene.report() == ["-0.1", "+0.0", "0.0>0.2"])
      #expect(scene.names == [["Zoe", "Cem", "Ann"]])
      try context.save()
      #expect(scene.report() == [])
      let zoe = try scene["Zoe"]
      #expect(!zoe.objectID.isTemporaryID)
      #expect(scene.controller.indexPath(forObject: zoe) == IndexPath(row: 0, section: 0))
    }
    // Later saves of the child change the same rows.
    try child.performAndWait {
      for player in try child.all("Player", "name == \"Zoe\"") { player.setValue(5, forKey: "age") }
      try child.save()
    }
    context.performAndWait {
      #expect(scene.report() == ["0.0>0.1"])
      #expect(scene.names == [["Cem", "Zoe", "Ann"]])
      #expect(scene.table.violations.isEmpty, "\(scene.table.violations)")
    }
  }

  @Test("undo and redo are reported like other changes")
  func undo() throws {
    try LiveScene.run(
      [("Ann", 1), ("Bob", 2), ("Cem", 3)], in: SampleStack.withUndo()
    ) { scene in
      try scene.context.forgetSteps()
      _ = scene.report()
      let before = scene.names
      scene.context.insert("Player", ["name": "Dan", "age": 0])
      try scene["Ann"].setValue(9, forKey: "age")
      scene.context.delete(try scene["Bob"])
      try scene["Cem"].setValue("Cid", forKey: "name")
      #expect(scene.report() == ["-0.1", "+0.0", "0.0>0.2", "~0.2=0.1"])
      let after = scene.names
      #expect(after == [["Dan", "Cid", "Ann"]])
      for _ in 0..<2 {
        scene.context.undo()
        #expect(scene.report() == ["-0.0", "+0.1", "0.2>0.0", "~0.1=0.2"])
        #expect(scene.names == before)
        scene.context.redo()
        #expect(scene.report() == ["-0.1", "+0.0", "0.0>0.2", "~0.2=0.1"])
        #expect(scene.names == after)
      }
    }
  }

  @Test("a rollback is reported like other changes")
  func rollback() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)]) { scene in
      let (ann, bob) = (try scene["Ann"], try scene["Bob"])
      ann.setValue(9, forKey: "age")
      scene.context.insert("Player", ["name": "Cem", "age": 0])
      scene.context.delete(bob)
      #expect(scene.report() == ["-0.1", "+0.0", "~0.0=0.1"])
      #expect(scene.names == [["Cem", "Ann"]])
      scene.context.rollback()
      #expect(scene.report() == ["-0.0", "+0.1", "~0.1=0.0"])
      #expect(scene.names == [["Ann", "Bob"]])
    }
  }

  // MARK: Reset

  @Test(
    "a reset is reported as an empty result, without making objects",
    arguments: [0, 5], [0, 3])
  func reset(_ batchSize: Int, _ limit: Int) throws {
    let context = try SampleStack().context
    try context.performAndWait {
      for age in 0..<10 { context.insert("Player", ["age": age]) }
      try context.save()
      context.reset()
      let request = LiveScene.Request(section: "age", limit: limit, batchSize: batchSize)
      let controller = request.controller(in: context)
      let delegate = ResetCounter()
      controller.delegate = delegate
      try controller.performFetch()
      let keepsObjects = batchSize == 0 && limit == 0
      #expect(context.registeredObjects.isEmpty != keepsObjects)
      context.reset()
      #expect(delegate.ends == 1)
      #expect(delegate.sections == (limit == 0 ? 10 : limit))
      #expect(delegate.objectsInUse == 0)
      #expect(controller.fetchedObjects?.isEmpty == true && controller.sections?.isEmpty == true)
      // There are no rows left to report.
      context.reset()
      #expect(delegate.ends == 1)
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == (limit == 0 ? 10 : limit))
    }
  }

  @Test("a reset is reported with the former objects")
  func resetOfObjects() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)]) { scene in
      scene.context.insert("Player", ["name": "Cem", "age": 3])
      #expect(scene.report() == ["+0.2"])
      scene.context.reset()
      #expect(scene.report() == ["-0.2", "-0.1", "-0.0"])
      #expect(scene.names == [[]])
      #expect(scene.controller.fetchedObjects?.isEmpty == true)
      try scene.controller.performFetch()
      scene.table.load(scene.controller)
      #expect(scene.names == [["Ann", "Bob"]])
    }
  }
}

/// Counts reports. Does not implement the method for rows.
private final class ResetCounter: NSFetchedResultsControllerDelegate {
  var ends = 0
  var sections = 0
  var objectsInUse: Int?

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { if type == .delete { sections += 1 } }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    ends += 1
    objectsInUse = controller.managedObjectContext.registeredObjects.count
  }
}
