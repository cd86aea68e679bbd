import CoreData
import Testing

@Suite("Contexts", .onEveryStore)
struct ContextTests {
  @Test("fetches and counts include unsaved insertions, changes and deletions")
  func pendingChanges() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for age in [1, 3, 5, 7, 9] { context.insert("Player", ["age": age]) }
      try context.save()
      let people = try context.all("Player", sort: ["age"])
      people[1].setValue(8, forKey: "age")
      context.delete(people[4])
      context.insert("Player", ["age": 6])
      func ages(_ limit: Int = 0, _ offset: Int = 0) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = NSPredicate(format: "age > 1")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        request.fetchLimit = limit
        request.fetchOffset = offset
        #expect(try context.count(for: request) == (try context.fetch(request).count))
        return try context.fetch(request).compactMap { $0.value(forKey: "age") as? Int }
      }
      #expect(try ages() == [5, 6, 7, 8])
      #expect(try ages(2) == [5, 6])
      #expect(try ages(2, 1) == [6, 7])
      #expect(try ages(9, 3) == [8])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.includesPendingChanges = false
      #expect(try context.count(for: request) == 5)
    }
  }

  @Test("a predicate through a relationship sees an unsaved change to the destination")
  func pendingChangeBehindRelationship() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      context.insert("Player", ["name": "Ann", "team": red])
      try context.save()
      red.setValue("Blue", forKey: "name")
      #expect(try context.all("Player", "team.name == \"Blue\"").count == 1)
      #expect(try context.all("Player", "team.name == \"Red\"").isEmpty)
      #expect(try context.all("Team", "ANY players.name == \"Ann\"").count == 1)
    }
  }

  @Test("rollback restores the stored values and removes new objects")
  func rollback() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      try context.save()
      ann.setValue("Bea", forKey: "name")
      ann.setValue(nil, forKey: "team")
      let new = context.insert("Player", ["team": red])
      context.delete(red)
      context.rollback()
      #expect(!context.hasChanges)
      #expect(ann.value(forKey: "name") as? String == "Ann")
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [ann])
      #expect(new.managedObjectContext == nil)
      #expect(!ann.isUpdated && !red.isDeleted)
      try context.save()
    }
  }

  @Test(
    "a save makes temporary IDs permanent, and an object is found by its URI",
    .only(TestedStore.allCases, "a custom store makes its own object IDs"))
  func identifiers() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      let temporary = ann.objectID
      #expect(temporary.isTemporaryID)
      #expect(temporary == ann.objectID)
      try context.save()
      #expect(!ann.objectID.isTemporaryID)
      let uri = ann.objectID.uriRepresentation()
      #expect(uri.scheme == "x-coredata" && uri.lastPathComponent == "p1")
      let id = try #require(stack.coordinator.managedObjectID(forURIRepresentation: uri))
      #expect(id == ann.objectID)
      #expect(context.object(with: id) === ann)
      let missing = URL(string: uri.absoluteString.replacingOccurrences(of: "/p1", with: "/p99"))
      let gone = try #require(
        missing.flatMap { stack.coordinator.managedObjectID(forURIRepresentation: $0) })
      let error = #expect(throws: NSError.self) { try context.existingObject(with: gone) }
      #expect(error?.code == NSManagedObjectReferentialIntegrityError)
      let bob = context.insert("Player", ["name": "Bob"])
      try context.obtainPermanentIDs(for: [bob])
      #expect(!bob.objectID.isTemporaryID && bob.isInserted)
      let before = bob.objectID
      try context.save()
      #expect(bob.objectID == before)
    }
  }

  @Test("two saves of one row conflict, and the merge policy decides which values are stored")
  func conflicts() throws {
    func saves(_ policy: NSMergePolicy) throws -> (name: String?, age: Int?, error: NSError?) {
      let stack = try SampleStack()
      let first = stack.context
      let second = stack.newContext()
      try first.performAndWait {
        first.insert("Player", ["name": "Ann", "age": 1])
        try first.save()
      }
      let theirs = try first.performAndWait { try first.all("Player")[0] }
      let mine = try second.performAndWait { try second.all("Player")[0] }
      _ = second.performAndWait { mine.value(forKey: "name") }
      try first.performAndWait {
        theirs.setValue("Bea", forKey: "name")
        theirs.setValue(2, forKey: "age")
        try first.save()
      }
      return try second.performAndWait {
        second.mergePolicy = policy
        mine.setValue("Cem", forKey: "name")
        var failure: NSError?
        do { try second.save() } catch { failure = error as NSError }
        let reader = stack.newContext()
        return try reader.performAndWait {
          let stored = try reader.all("Player")[0]
          return (
            stored.value(forKey: "name") as? String, stored.value(forKey: "age") as? Int, failure
          )
        }
      }
    }
    let error = try saves(.error)
    #expect(error.name == "Bea" && error.age == 2)
    #expect(error.error?.code == NSManagedObjectMergeError)
    #expect(
      (error.error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.count
        == 1)
    #expect(try saves(.mergeByPropertyObjectTrump) == (name: "Cem", age: 2, error: nil))
    #expect(try saves(.mergeByPropertyStoreTrump) == (name: "Bea", age: 2, error: nil))
    #expect(try saves(.overwrite) == (name: "Cem", age: 1, error: nil))
    #expect(try saves(.rollback) == (name: "Bea", age: 2, error: nil))
  }

  @Test("a context that merges automatically receives the changes another context saves")
  func merging() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let other = stack.newContext()
    try context.performAndWait {
      context.insert("Player", ["name": "Ann"])
      try context.save()
    }
    // `held` is used only on the queue of its context.
    nonisolated(unsafe) let held = try other.performAndWait { try other.all("Player")[0] }
    other.performAndWait {
      #expect(held.value(forKey: "name") as? String == "Ann")
      other.automaticallyMergesChangesFromParent = true
    }
    try context.performAndWait {
      try context.all("Player")[0].setValue("Bea", forKey: "name")
      try context.save()
    }
    // The save enqueued the merge on the other context's queue before this block.
    await other.perform(schedule: .enqueued) {
      #expect(held.value(forKey: "name") as? String == "Bea")
      #expect(!other.hasChanges)
    }
  }

  @Test("reading a property fires a fault, even after a refresh")
  func faulting() throws {
    let stack = try SampleStack()
    let context = stack.context
    let other = stack.newContext()
    try context.performAndWait {
      context.insert("Player", ["name": "Ann"])
      try context.save()
      context.reset()
      let ann = try context.all("Player")[0]
      #expect(ann.isFault)
      #expect(ann.value(forKey: "name") as? String == "Ann")
      #expect(!ann.isFault)
      try other.performAndWait {
        try other.all("Player")[0].setValue("Bea", forKey: "name")
        try other.save()
      }
      #expect(try context.all("Player")[0].value(forKey: "name") as? String == "Ann")
      context.refresh(ann, mergeChanges: false)
      #expect(ann.isFault)
      #expect(ann.value(forKey: "name") as? String == "Bea")
    }
  }

  @Test("validation reports every broken rule")
  func validation() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.performAndWait {
      context.insert("Tag")
      let one = #expect(throws: NSError.self) { try context.save() }
      #expect(one?.code == NSValidationMissingMandatoryPropertyError)
      #expect(one?.userInfo[NSValidationKeyErrorKey] as? String == "label")
      context.insert("Tag")
      let two = #expect(throws: NSError.self) { try context.save() }
      #expect(two?.code == NSValidationMultipleErrorsError)
      #expect((two?.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
      #expect(context.insertedObjects.count == 2)
    }
  }

  @Test("perform runs blocks one after the other and returns their results")
  func perform() async throws {
    let stack = try SampleStack()
    let context = stack.context
    let count = try await context.perform {
      for number in 0..<10 { context.insert("Player", ["number": number]) }
      try context.save()
      return try context.all("Player").count
    }
    #expect(count == 10)
    let nested = context.performAndWait { context.performAndWait { 7 } }
    #expect(nested == 7)
    await #expect(throws: NSError.self) {
      try await context.perform { _ = try context.all("Nobody") }
    }
  }
}
