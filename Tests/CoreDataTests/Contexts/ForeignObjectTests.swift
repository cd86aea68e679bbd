import CoreData
import CoreDataTestSupport
import Testing

/// `ErrorTextTests` has the calls that stop the program.
@Suite("Objects of other contexts, models and coordinators", .onEveryStore)
struct ForeignObjectTests {
  /// The copy lists its entities in another order, so their tables have other numbers than in the context's model.
  @Test("An object created with a copy of the model can be inserted and saved")
  func drafts() throws {
    let stack = try SampleStack()
    let copy = try #require(stack.model.copy() as? NSManagedObjectModel)
    let entity = try #require(copy.entitiesByName["Player"])
    for context in [ChildContextTests.child(of: stack.context), stack.context] {
      try context.performAndWait {
        let draft = NSManagedObject(entity: entity, insertInto: nil)
        draft.setValue("Ann", forKey: "name")
        context.insert(draft)
        try context.save()
      }
    }
    withExtendedLifetime(copy) {}
    try stack.reading { (reader) throws in
      #expect(try reader.all("Player").map { $0["name"] as String? } == ["Ann", "Ann"])
    }
  }

  @Test("Objects without a context are neither deleted nor refreshed, compared or assigned")
  func withoutContext() throws {
    let stack = try SampleStack()
    let entity = try #require(stack.model.entitiesByName["Player"])
    stack.context.performAndWait {
      let draft = NSManagedObject(entity: entity, insertInto: nil)
      draft.setValue("Ann", forKey: "name")
      stack.context.delete(draft)
      stack.context.refresh(draft, mergeChanges: false)
      stack.context.detectConflicts(for: draft)
      stack.context.assign(draft, to: stack.coordinator.persistentStores[0])
      #expect(!stack.context.hasChanges && draft.managedObjectContext == nil)
      #expect(draft["name"] == "Ann")
    }
  }

  @Test("Permanent IDs are obtained only for objects of contexts with the same root")
  func permanentIDs() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    other.name = "import"
    try onQueues(of: context, other) { () throws in
      let player = other.insert("Player")
      let id = player.objectID
      let error = #expect(throws: NSError.self) {
        try context.obtainPermanentIDs(for: [player])
      }
      #expect(error?.localizedDescription.contains("belongs to the context \"import\"") == true)
      #expect(player.objectID == id && id.isTemporaryID)
      #expect(try other.existingObject(with: id) === player)
    }
  }

  @Test("Permanent IDs are obtained for objects of a parent and of a child")
  func permanentIDsOfRelatives() throws {
    let stack = try SampleStack()
    let (context, child) = (stack.context, ChildContextTests.child(of: stack.context))
    try onQueues(of: context, child) {
      let (above, below) = (context.insert("Player"), child.insert("Player"))
      try context.obtainPermanentIDs(for: [below])
      try child.obtainPermanentIDs(for: [above])
      #expect(!above.objectID.isTemporaryID && !below.objectID.isTemporaryID)
    }
  }

  @Test("A save request throws if a locked object belongs to another context")
  func lockedObjects() throws {
    let stack = try SampleStack()
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let player = other.insert("Player")
      try other.save()
      let request = NSSaveChangesRequest(
        inserted: nil, updated: nil, deleted: nil, locked: [player])
      let error = #expect(throws: NSError.self) {
        try stack.coordinator.execute(request, with: context)
      }
      #expect(error?.localizedDescription.contains("objects in other contexts") == true)
    }
  }

  @Test("A new object is not saved to a store of a coordinator that its context no longer has")
  func otherCoordinator() throws {
    let stack = try SampleStack()
    let other = try SampleStack(model: stack.model)
    let context = stack.context
    context.performAndWait {
      context.assign(context.insert("Team"), to: stack.coordinator.persistentStores[0])
      context.persistentStoreCoordinator = other.coordinator
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.localizedDescription.contains("persistent store is not reachable") == true)
    }
    #expect(try stack.reading { try $0.all("Team").isEmpty })
  }
}
