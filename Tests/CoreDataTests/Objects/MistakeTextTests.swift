import CoreData
import Testing

/// Sources: texts of exceptions and errors in public reports; CoreDataErrors.h.
@Suite("Mistakes are told in Apple's words")
struct MistakeTextTests {
  @Test("values of a wrong type, by kind of property")
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

  @Test("a value of a wrong type stops a program that cannot be told by a throw")
  func setting() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try SampleStack.withContext { $0.insert("Team").setValue(5, forKey: "name") }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Unacceptable type of value for attribute: property = \"Team.name\""))
  }

  @Test("a key of a predicate that the entity lacks, and one that leads to many")
  func keys() throws {
    try SampleStack.withContext { context in
      let unknown = #expect(throws: NSError.self) { try context.all("Player", "nome == 'x'") }
      #expect(
        unknown?.localizedDescription.contains("keypath nome not found in entity Player") == true)
      let many = #expect(throws: NSError.self) { try context.all("Player", "tags.label == 'x'") }
      #expect(many?.localizedDescription.contains("to-many key not allowed here") == true)
    }
  }

  @Test("a save without a store, and one of an object whose store is gone")
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

  @Test("a saved object is not assigned to another store")
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
        // Where it is already is no other store.
        context.assign(team, to: stack.coordinator.persistentStores[0])
        context.assign(team, to: second)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("Can't reassign an object to a different store once it has been saved"))
  }

  @Test("a store of another model: the metadata is in the error; one of another type is told so")
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
      // A class's name and the like aside, a file of another model is read where it can be.
      guard kind != .sqlite else { return }
      let (ignoring, _) = try kind.open(
        changed, at: url, options: [NSIgnorePersistentStoreVersioningOption: true])
      #expect(ignoring.identifier == store.identifier)
    }
  }

  /// Source: CoreDataErrors.h: 134010 is for a store that is not of the type that was said.
  @Test("a store of another type than was said is a mismatch of types")
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

  @Test("a model that a coordinator uses cannot be changed, and a copy of it can")
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
