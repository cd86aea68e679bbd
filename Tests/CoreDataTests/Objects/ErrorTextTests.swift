import CoreData
import Testing

/// Sources: texts of exceptions and errors in public reports, and CoreDataErrors.h.
@Suite("Errors have Apple's texts")
struct ErrorTextTests {
  @Test("A value of a wrong type throws the text for its kind of property")
  func types() throws {
    try SampleStack.withContext { context in
      let (team, player) = (context.insert("Team"), context.insert("Player"))
      let wrong: [(NSManagedObject, String, Any, String)] = [
        (
          team, "name", 5,
          "Unacceptable type of value for attribute: property = \"Team.name\"; desired type = "
        ),
        (
          player, "team", player,
          "Unacceptable type of value for to-one relationship: property = \"Player.team\"; desired"
            + " type = Team; given type = Player; value = "
        ),
        (
          team, "players", NSSet(object: team),
          "Unacceptable type of value for to-many relationship: property = \"Team.players\"; desired"
            + " type = Player; given type = Team; value = "
        ),
        (
          team, "trophies", NSOrderedSet(object: player),
          "Unacceptable type of value for ordered to-many relationship: property ="
            + " \"Team.trophies\"; desired type = Trophy; given type = Player; value = "
        ),
      ]
      for (object, key, value, text) in wrong {
        let error = #expect(throws: NSError.self) {
          try object.setValidatedValue(value, forKey: key)
        }
        #expect(error?.localizedDescription.hasPrefix(text) == true, "\(error as Any)")
      }
      let attribute = #expect(throws: NSError.self) {
        try team.setValidatedValue(5, forKey: "name")
      }
      #expect(attribute?.localizedDescription.hasSuffix("given type = Int; value = 5.") == true)
    }
  }

  @Test("Setting a value of a wrong type stops the program")
  func setting() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try SampleStack.withContext { $0.insert("Team").setValue(5, forKey: "name") }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Unacceptable type of value for attribute: property = \"Team.name\""))
  }

  @Test("A predicate with an unknown key, or a to-many key where none is allowed, throws")
  func keys() throws {
    try SampleStack.withContext { context in
      let unknown = #expect(throws: NSError.self) { try context.all("Player", "nome == 'x'") }
      #expect(
        unknown?.localizedDescription.contains("keypath nome not found in entity Player") == true)
      let many = #expect(throws: NSError.self) { try context.all("Player", "tags.label == 'x'") }
      #expect(many?.localizedDescription.contains("to-many key not allowed here") == true)
    }
  }

  @Test("A save throws without a store, and if an object's store was removed")
  func stores() throws {
    let stack = try SampleStack(StoreScope(kind: .inMemory, folder: nil))
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      try context.save()
      team.setValue("Red", forKey: "name")
      try stack.coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      try stack.coordinator.remove(stack.coordinator.persistentStores[0])
      let gone = #expect(throws: NSError.self) { try context.save() }
      #expect(
        gone?.localizedDescription.hasPrefix(
          "Object's persistent store is not reachable from this NSManagedObjectContext's"
            + " coordinator") == true)
      try stack.coordinator.remove(stack.coordinator.persistentStores[0])
      let none = #expect(throws: NSError.self) { try context.save() }
      #expect(none?.localizedDescription.contains("has no persistent stores") == true)
      #expect(none?.localizedDescription.contains("It cannot perform a save operation.") == true)
    }
  }

  @Test("A saved object cannot be assigned to another store")
  func assigning() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let stack = try SampleStack()
      let second = try stack.coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      let context = stack.context
      try context.performAndWait {
        let team = context.insert("Team")
        try context.save()
        // Assigning the object to its own store is allowed.
        context.assign(team, to: stack.coordinator.persistentStores[0])
        context.assign(team, to: second)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("Can't reassign an object to a different store once it has been saved"))
  }

  // Source: RestKit's issue 2295 has the exceptions of `delete` and `refresh`.
  @Test("Using an object of another context stops the program with Apple's text")
  func foreignObjects() async throws {
    let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try useForeignObject { $0.delete($1) }
    }
    let refreshed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try useForeignObject { $0.refresh($1, mergeChanges: true) }
    }
    let compared = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try useForeignObject { $0.detectConflicts(for: $1) }
    }
    let assigned = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try useForeignObject { context, object in
        if let store = object.objectID.persistentStore { context.assign(object, to: store) }
      }
    }
    let inserted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try useForeignObject { $0.insert($1) }
    }
    for (result, action) in [
      (deleted, "delete"), (refreshed, "refresh"), (compared, "detect conflicts of"),
      (assigned, "assign a store to"), (inserted, "insert"),
    ] {
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        text.contains("An NSManagedObjectContext cannot \(action) objects in other contexts."))
      #expect(text.contains("belongs to the context \"import\""), "\(action)")
    }
  }

  @Test("An object cannot be assigned to a store of another coordinator")
  func assigningElsewhere() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (stack, other) = (try SampleStack(), try SampleStack())
      let context = stack.context
      context.performAndWait {
        context.assign(context.insert("Team"), to: other.coordinator.persistentStores[0])
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("this context's coordinator has not opened"))
  }

  @Test("An object of another version of its entity cannot be inserted")
  func otherVersion() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let stack = try SampleStack()
      let copy = try #require(stack.model.copy() as? NSManagedObjectModel)
      let team = try #require(copy.entitiesByName["Team"])
      team.properties.append(SampleStack.attribute("city", .stringAttributeType))
      withExtendedLifetime(copy) {
        stack.context.performAndWait {
          stack.context.insert(NSManagedObject(entity: team, insertInto: nil))
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the model of this context has no equal entity 'Team'"))
  }

  @Test("An object of a copy of the model with its entities in another order cannot be inserted")
  func otherOrder() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let stack = try SampleStack()
      let copy = try #require(stack.model.copy() as? NSManagedObjectModel)
      copy.entities = copy.entities.reversed()
      let team = try #require(copy.entitiesByName["Team"])
      withExtendedLifetime(copy) {
        stack.context.performAndWait {
          stack.context.insert(NSManagedObject(entity: team, insertInto: nil))
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("or its entities have another order"))
  }

  @Test("Opening a store of another model throws an error with the store's metadata")
  func opening() throws {
    try onEveryStore(TestedStore.fileKinds) { kind, folder in
      let url = kind.url(in: folder)
      let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
      try context.persistentStoreCoordinator?.remove(store)
      let changed = SampleStack.makeModel()
      changed.entitiesByName["Team"]?.properties.append(
        SampleStack.attribute("city", .stringAttributeType))
      let error = #expect(throws: NSError.self) { try kind.open(changed, at: url) }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
      let metadata = error?.userInfo["metadata"] as? [String: Any]
      #expect(metadata?[NSStoreUUIDKey] as? String == store.identifier)
      // Except for SQLite, a file of another model is read as far as possible if versioning is
      // ignored.
      guard kind != .sqlite else { return }
      let (ignoring, _) = try kind.open(
        changed, at: url, options: [NSIgnorePersistentStoreVersioningOption: true])
      #expect(ignoring.identifier == store.identifier)
    }
  }

  /// Source: CoreDataErrors.h. Code 134010 is for a store that is not of the given type.
  @Test("Opening a store with the wrong type throws a type mismatch")
  func typeMismatch() throws {
    try onEveryStore(TestedStore.fileKinds) { kind, folder in
      let url = kind.url(in: folder)
      let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
      try context.persistentStoreCoordinator?.remove(store)
      for other in TestedStore.fileKinds where other != kind {
        let error = #expect(throws: NSError.self) {
          try other.open(SampleStack.makeModel(), at: url)
        }
        #expect(
          error?.code == NSPersistentStoreTypeMismatchError, "\(kind) as \(other): \(error as Any)")
      }
    }
  }

  @Test("A model in use by a coordinator cannot be changed, but a copy of it can")
  func models() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let stack = try SampleStack()
      let copy = try #require(stack.model.copy() as? NSManagedObjectModel)
      copy.entitiesByName["Team"]?.name = "Club"
      precondition(copy.entitiesByName["Club"] != nil)
      FileHandle.standardError.write(Data("copied".utf8))
      stack.model.entitiesByName["Team"]?.name = "Club"
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("copied") && text.contains("Can't modify an immutable model"))
  }
}

/// Calls `use` with a context and a saved object of another context.
private func useForeignObject(_ use: (NSManagedObjectContext, NSManagedObject) -> Void) throws {
  let stack = try SampleStack()
  let other = stack.newContext()
  other.name = "import"
  try onQueues(of: stack.context, other) {
    let player = other.insert("Player")
    try other.save()
    use(stack.context, player)
  }
}
