import CoreData
import Testing

/// Sets an attribute when it is fetched. When it is inserted, reads a default value and sets another attribute.
final class Riser: NSManagedObject {
  private(set) var ageAtInsertion: Int?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    ageAtInsertion = value(forKey: "age") as? Int
    setPrimitiveValue("new", forKey: "name")
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    setValue(99, forKey: "number")
  }
}

/// Joins the team in its context's user info, both when it is inserted and when it is fetched.
final class Joiner: NSManagedObject {
  private var team: NSManagedObject? { managedObjectContext?.userInfo["team"] as? NSManagedObject }

  override func awakeFromInsert() {
    super.awakeFromInsert()
    setValue(team, forKey: "team")
    if let tag = managedObjectContext?.userInfo["tag"] as? NSManagedObject {
      mutableSetValue(forKey: "tags").add(tag)
    }
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    if let team { setValue(team, forKey: "team") }
  }
}

/// The callbacks of objects when their context changes many of them. Sources: Apple's pages for
/// NSManagedObject's methods and for `reset`, `refreshAllObjects` and `mergeChanges`; the bits of
/// `NSSnapshotEventType` in NSManagedObject.h; tests of FreeCoreData and CoreDataPlus.
@Suite("Callbacks of managed objects", .onEveryStore)
struct LifeCycleSequenceTests {
  /// Calls the body with four objects that record their callbacks: an unchanged one, a changed one, a fault, and a new
  /// one.
  private func withObjects(
    _ body: (NSManagedObjectContext, _ clean: Diarist, Diarist, Diarist, Diarist) throws -> Void
  ) throws {
    try SampleStack.withContext(model: Diarist.model()) { context in
      let saved = try ["a", "b", "c"].map {
        try #require(context.insert("Diarist", ["name": $0]) as? Diarist)
      }
      try context.save()
      context.refresh(saved[2], mergeChanges: false)
      saved[1].setValue("changed", forKey: "name")
      let new = try #require(context.insert("Diarist") as? Diarist)
      context.processPendingChanges()
      for object in saved + [new] { _ = object.news }
      try body(context, saved[0], saved[1], saved[2], new)
    }
  }

  @Test("A reset turns all objects with values into faults, and releases everything")
  func reset() throws {
    try withObjects { context, clean, changed, fault, new in
      let recorder = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      context.reset()
      for object in [clean, changed, new] {
        #expect(object.news == ["willTurnIntoFault", "didTurnIntoFault"])
      }
      #expect(fault.news == [])
      for object in [clean, changed, fault, new] {
        #expect(object.isFault && object.managedObjectContext == nil && !object.hasChanges)
      }
      #expect(context.registeredObjects.isEmpty && !context.hasChanges)
      #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty)
      let info = recorder.notifications.map { $0.userInfo ?? [:] }
      #expect(info.map { $0.keys.map { "\($0)" }.sorted() } == [["invalidatedAll"]])
      #expect((info.first?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID])?.count == 4)
      // The notification is posted even if there was nothing to release. Source:
      // CoreDataEvolution's tests, whose observers of background contexts clean up only on this
      // notification.
      context.reset()
      #expect(recorder.notifications.count == 2)
      #expect(
        recorder.notifications.last?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
          == [])
    }
  }

  @Test(
    "refreshAllObjects turns unchanged objects into faults, and rereads and awakens changed ones")
  func refreshAll() throws {
    try withObjects { context, clean, changed, fault, new in
      context.refreshAllObjects()
      #expect(clean.news == ["willTurnIntoFault", "didTurnIntoFault"] && clean.isFault)
      #expect(changed.news == ["awake 32"] && !changed.isFault)
      #expect(changed["name"] == "changed" && changed.isUpdated)
      #expect(fault.news == [] && fault.isFault)
      #expect(!new.news.contains("awakeFromInsert") && new.isInserted && new["name"] == "new")
      #expect(clean["name"] == "a" && clean.news == ["awakeFromFetch"])
      #expect(fault["name"] == "c" && fault.news == ["awakeFromFetch"])
    }
  }

  @Test("A refresh without merging turns a new object into a fault too, with one callback")
  func refreshOfInsertion() throws {
    try withObjects { context, _, changed, _, new in
      context.refresh(new, mergeChanges: false)
      #expect(new.news == ["willTurnIntoFault", "didTurnIntoFault"] && new.isFault)
      context.refresh(changed, mergeChanges: false)
      #expect(changed.news == ["willTurnIntoFault", "didTurnIntoFault"])
      #expect(!changed.hasChanges && changed["name"] == "b")
    }
  }

  @Test("A rollback awakens changed objects, and calls no methods of new ones")
  func rollback() throws {
    try withObjects { context, clean, changed, _, new in
      context.delete(clean)
      _ = clean.news
      context.rollback()
      #expect(clean.news == ["awake 16"] && changed.news == ["awake 16"])
      #expect(new.news == [] && new.managedObjectContext == nil)
      #expect(!clean.isDeleted && clean["name"] == "a" && changed["name"] == "b")
    }
  }

  @Test("A merge turns an unchanged object into a fault, and awakens a changed one")
  func merging() throws {
    let stack = try SampleStack(model: Diarist.model())
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let objects = try ["a", "b"].map {
        try #require(context.insert("Diarist", ["name": $0]) as? Diarist)
      }
      try context.save()
      objects[1].setValue("mine", forKey: "note")
      context.processPendingChanges()
      for object in objects { _ = object.news }
      let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
      for object in objects {
        try other.existingObject(with: object.objectID).setValue("there", forKey: "name")
      }
      try other.save()
      context.mergeChanges(fromContextDidSave: try #require(saved.notifications.first))
      #expect(
        objects[0].news.filter { $0 != "awakeFromFetch" }
          == ["willTurnIntoFault", "didTurnIntoFault"])
      #expect(objects[1].news == ["awake 32"])
      #expect(objects.map { $0["name"] } == ["there", "there"])
      #expect(objects[1]["note"] == "mine")
    }
  }

  @Test("Undoing and redoing an insertion does not call awakeFromInsert again")
  func undo() throws {
    try SampleStack.withContext(model: Diarist.model()) { context in
      context.undoManager = UndoManager()
      let object = try #require(context.insert("Diarist") as? Diarist)
      context.processPendingChanges()
      #expect(object.news == ["awakeFromInsert"])
      context.undo()
      context.redo()
      #expect(object.isInserted && object["name"] == "new")
      #expect(!object.news.contains("awakeFromInsert"))
      try context.save()
      _ = object.news
      context.undoManager?.removeAllActions()
      context.delete(object)
      context.processPendingChanges()
      #expect(object.news == ["prepareForDeletion"])
      context.undo()
      #expect(object.news == ["awake 4"] && !object.isDeleted)
    }
  }

  @Test("A save calls only the object in the saved context: first the child's, then the parent's")
  func children() throws {
    let stack = try SampleStack(model: Diarist.model())
    let (context, child) = (stack.context, ChildContextTests.child(of: stack.context))
    let own = try context.performAndWait {
      let object = try #require(context.insert("Diarist", ["name": "Ann"]) as? Diarist)
      context.processPendingChanges()
      _ = object.news
      return object
    }
    try child.performAndWait {
      let object = try #require(try child.all("Diarist").first as? Diarist)
      #expect(object["name"] == "Ann" && object.news == ["awakeFromFetch"])
      object.setValue("Bea", forKey: "name")
      try child.save()
      #expect(object.news == ["willSave", "validateForUpdate", "didSave"])
    }
    try context.performAndWait {
      // The parent's object is saved only when the parent saves.
      #expect(own["name"] == "Bea" && own.isInserted)
      #expect(!own.news.contains("willSave") && !own.news.contains("didSave"))
      try context.save()
      #expect(own.news == ["willSave", "validateForInsert", "didSave"])
    }
  }

  /// Source: Apple's pages "awakeFromInsert()" and "awakeFromFetch()".
  @Test(
    "Defaults are set before awakeFromInsert; what awakeFromFetch sets is not a change",
    .only(TestedStore.allCases, "the custom test store reads values after awakeFromFetch"))
  func awakening() throws {
    let model = SampleStack.makeModel()
    let player = model.entitiesByName["Player"]
    player?.managedObjectClassName = "CoreDataTests.Riser"
    player?.attributesByName["age"]?.defaultValue = 18
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let riser = try #require(context.insert("Player") as? Riser)
      #expect(riser.ageAtInsertion == 18 && riser["name"] == "new")
      try context.save()
      for _ in 0..<2 {
        context.refresh(riser, mergeChanges: false)
        #expect(riser["number"] == 99)
        #expect(!riser.hasChanges && !context.hasChanges && context.updatedObjects.isEmpty)
      }
      try context.save()
      let stored = try stack.reading { other in
        let request = NSFetchRequest<NSDictionary>(entityName: "Player")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["number"]
        return try other.fetch(request).first?["number"] as? Int
      }
      #expect(stored == nil || stored == 0)
    }
  }

  /// Source: Apple's page "awakeFromInsert()". Setters called there make ordinary changes.
  @Test(
    "Relationships set in awakeFromInsert change the inverse, and are undone with the object")
  func relationshipsOfInsertion() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = "CoreDataTests.Joiner"
    let context = try SampleStack(model: model).context
    try context.performAndWait {
      let (red, tall) = (
        context.insert("Team", ["name": "Red"]), context.insert("Tag", ["label": "tall"])
      )
      try context.save()
      context.undoManager = UndoManager()
      context.userInfo["team"] = red
      context.userInfo["tag"] = tall
      let log = NotificationLog([context], names: ["context"])
      let player = context.insert("Player")
      #expect(context.updatedObjects == [red, tall] && red.isUpdated)
      #expect(red.changedValues().keys.sorted() == ["players"])
      context.processPendingChanges()
      #expect(log.lines == ["context changed inserted 1 updated 2"])
      context.undo()
      #expect((red.value(forKey: "players") as? NSSet)?.count == 0 && !context.hasChanges)
      context.redo()
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [player])
      try context.save()
      context.userInfo.removeAllObjects()
      context.refreshAllObjects()
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [player])
      #expect(tall.value(forKey: "players") as? Set<NSManagedObject> == [player])
    }
  }

  /// Source: Apple's page "awakeFromFetch()". Change processing is disabled around it, and the
  /// inverse is not set.
  @Test(
    "A relationship set in awakeFromFetch is readable, is not a change, and leaves the inverse")
  func relationshipsOfFetch() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = "CoreDataTests.Joiner"
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let teams = ["Red", "Blue"].map { context.insert("Team", ["name": $0]) }
      let player = context.insert("Player", ["team": teams[0]])
      try context.save()
      #expect((teams[1].value(forKey: "players") as? NSSet)?.count == 0)
      context.userInfo["team"] = teams[1]
      context.refresh(player, mergeChanges: false)
      #expect(player.value(forKey: "team") as? NSManagedObject === teams[1])
      #expect(!context.hasChanges && !player.hasChanges && !teams[1].hasChanges)
      #expect((teams[1].value(forKey: "players") as? NSSet)?.count == 0)
      #expect((teams[0].value(forKey: "players") as? NSSet)?.count == 1)
      context.userInfo.removeAllObjects()
      try context.save()
      context.refreshAllObjects()
      #expect(player.value(forKey: "team") as? NSManagedObject === teams[0])
    }
  }

  /// Source: public reports (simperium-ios #174). When a child saves an insertion, `awakeFromInsert` is also called on
  /// the parent's object.
  @Test("awakeFromInsert is called once in each context between the insertion and the store")
  func insertionInChild() throws {
    let stack = try SampleStack(model: Diarist.model())
    let (context, child) = (stack.context, ChildContextTests.child(of: stack.context))
    try child.performAndWait {
      let object = try #require(child.insert("Diarist", ["name": "Ann"]) as? Diarist)
      #expect(object.news == ["awakeFromInsert"])
      try child.save()
      #expect(object.news == ["willSave", "validateForInsert", "didSave"])
    }
    try context.performAndWait {
      let object = try #require(context.insertedObjects.first as? Diarist)
      #expect(object.news == ["awakeFromInsert"] && object["name"] == "Ann")
      try context.save()
    }
  }
}
