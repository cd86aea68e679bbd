import CoreData
import CoreDataTestSupport
import Testing

@Suite(.serialized) struct IncrementalStoreTests {
  private let table = RecordingTable(traps: false)

  private func open(
    _ url: URL = URL(string: "test:\(UUID().uuidString)")!
  ) throws -> (server: DictionaryStore.Server, context: NSManagedObjectContext) {
    DictionaryStore.register()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    try coordinator.addPersistentStore(
      type: .init(rawValue: DictionaryStore.storeType), at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let server = DictionaryStore.server(at: url)
    _ = server.drainCalls()
    return (server, context)
  }

  @Test("Inserting, reading, changing and deleting objects makes the expected calls to the store")
  func wholeLife() throws {
    let url = try #require(URL(string: "test:life"))
    var (server, context) = try open(url)
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      let player = context.insert("Player", ["name": "a", "age": 30])
      player.setValue(team, forKey: "team")
      try context.save()
      #expect(server.drainCalls() == ["ids": 1, "save": 1])
      #expect(server.requests.last == "save 2 0 0")
      #expect(!player.objectID.isTemporaryID)
      #expect(server.rows["Player"]?.values.first?["name"] as? String == "a")
      player["age"] = 31
      try context.save()
      #expect(server.requests.last == "save 0 1 0")
    }
    // A new coordinator reads everything from the store again.
    (server, context) = try open(url)
    try context.performAndWait {
      let players = try context.all("Player", "name == %@", ["a"])
      #expect(server.drainCalls() == ["fetch": 1])
      #expect(players.count == 1)
      #expect(players[0].isFault)
      #expect(players[0]["age"] == 31)
      #expect(server.drainCalls()["values"] == 1)
      #expect(players[0]["name"] == "a")
      #expect(server.drainCalls()["values"] == nil, "the values were read again")
      let team: NSManagedObject? = players[0]["team"]
      #expect(team?["name"] == "Reds")
      #expect(server.drainCalls()["values"] == 1)
      #expect((team?["players"] as Set<NSManagedObject>?) == Set(players))
      #expect(server.drainCalls()["members"] == 1)
      context.delete(players[0])
      try context.save()
      #expect(server.rows["Player"]?.isEmpty == true)
      #expect(server.rows["Team"]?.values.first?["=players"] as? [String] == [])
    }
  }

  @Test("The errors for too few permanent IDs and for the ID of another store differ")
  func wrongIDs() throws {
    let (otherServer, other) = try open()
    let foreign = try other.performAndWait {
      let team = other.insert("Team", ["name": "Reds"])
      try other.save()
      return team.objectID
    }
    #expect(otherServer.rows["Team"]?.count == 1)
    let (server, context) = try open()
    let refused: [(ids: [NSManagedObjectID], reason: String)] = [
      ([], "the wrong number of IDs: 0 for 1"), ([foreign], "the ID of another store: "),
    ]
    try context.performAndWait { () throws in
      context.insert("Team", ["name": "Blues"])
      for (ids, reason) in refused {
        server.wrongIDs = ids
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(
          error?.localizedDescription.contains("obtainPermanentIDs(for:) returned \(reason)")
            == true, "\(error as Any)")
      }
      server.wrongIDs = nil
      try context.save()
    }
  }

  @Test func `An object of another hierarchy is refused as a result and as a destination`() throws {
    let (server, context) = try open()
    try context.performAndWait { () throws in
      let team = context.insert("Team", ["name": "Reds"])
      let player = context.insert("Player", ["name": "a", "team": team])
      let captain = context.insert("Captain", ["name": "b"])
      try context.save()
      let (teamID, playerID, captainID) = (team.objectID, player.objectID, captain.objectID)
      context.reset()
      server.wrongObject = teamID
      let result = failure { _ = try context.all("Player") }?.localizedDescription ?? ""
      #expect(result.contains("returned an object of Team for a request for Player"))
      server.wrongObject = playerID
      let read = failure { _ = try context.existingObject(with: playerID) }
      let destination = read?.localizedDescription ?? ""
      // The first relationship by name.
      #expect(destination.contains("an object of Player for the relationship Player.locker"))
      // The ID of a superentity identifies the same object, so the requested entity is right.
      server.wrongObject = playerID
      #expect(try context.all("Captain").map(\.entity.name) == ["Captain"])
      server.wrongObject = captainID
      #expect(try context.all("Player").map(\.entity.name) == ["Captain"])
    }
  }

  @Test("A save without changes sends the store an empty request")
  func emptySave() throws {
    // Source: tests of FreeCoreData.
    let (server, context) = try open()
    try context.performAndWait { try context.save() }
    #expect(server.requests == ["save 0 0 0"])
  }

  @Test("Counts, IDs, dictionaries, limits and unsaved changes work as with any other store")
  func requests() throws {
    let (server, context) = try open()
    try context.performAndWait {
      for number in 1...5 { context.insert("Team", ["name": "t\(number)"]) }
      try context.save()
      _ = server.drainCalls()
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Team")
      #expect(try context.count(for: request) == 5)
      #expect(server.drainCalls() == ["fetch": 1])
      request.resultType = .managedObjectIDResultType
      let ids = try context.fetch(request).compactMap { $0 as? NSManagedObjectID }
      #expect(Set(ids).count == 5)
      request.resultType = .dictionaryResultType
      let names = try context.fetch(request).compactMap {
        ($0 as? NSDictionary)?["name"] as? String
      }
      #expect(names.sorted() == ["t1", "t2", "t3", "t4", "t5"])
      let limited = NSFetchRequest<NSManagedObject>(entityName: "Team")
      limited.fetchLimit = 2
      limited.fetchOffset = 1
      #expect(try context.fetch(limited).map { $0["name"] } == ["t2", "t3"])
      #expect(server.requests.last == "Team - 2")
      context.insert("Team", ["name": "t0"])
      try context.all("Team", "name == 't3'").first?.setValue("changed", forKey: "name")
      let found = try context.all("Team", "name != 't1'", sort: ["name"])
      #expect(found.map { $0["name"] } == ["changed", "t0", "t2", "t4", "t5"])
      let controller = NSFetchedResultsController(
        fetchRequest: {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
          request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
          return request
        }(), managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      try controller.performFetch()
      #expect(
        controller.fetchedObjects?.map { $0["name"] }
          == ["t5", "t4", "t2", "t1", "t0", "changed"])
    }
  }

  @Test(
    "A URI contains the escaped reference object, and any coordinator finds the object by the URI")
  func uris() throws {
    let url = try #require(URL(string: "test:uris"))
    let (_, context) = try open(url)
    let uri = try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      try context.save()
      return team.objectID.uriRepresentation()
    }
    // Source: tests of FreeCoreData. The last component is "p" and the description of the reference
    // object, percent-encoded.
    #expect(uri.absoluteString == "x-coredata://SERVER-uris/Team/pTeam%20%231")
    let (_, other) = try open(url)
    try other.performAndWait {
      let id = try #require(
        other.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
      #expect(try other.existingObject(with: id)["name"] == "Reds")
      #expect(other.object(with: id).objectID == id)
    }
  }

  @Test("Equal reference objects of any type have equal IDs; a number differs from its text")
  func references() throws {
    let (_, context) = try open()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let store = try #require(coordinator.persistentStores.first as? DictionaryStore)
    let entity = try #require(coordinator.managedObjectModel.entitiesByName["Team"])
    let uuid = UUID()
    for (one, same) in [
      (5 as Any, 5 as Any), ("a" as Any, "a" as Any), (uuid as Any, uuid as Any),
      (NSNumber(value: 7) as Any, 7 as Any),
    ] {
      let id = store.newObjectID(for: entity, referenceObject: one)
      #expect(id == store.newObjectID(for: entity, referenceObject: same))
      #expect("\(store.referenceObject(for: id))" == "\(one)")
      #expect(
        coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
    }
    #expect(
      store.newObjectID(for: entity, referenceObject: 5)
        != store.newObjectID(for: entity, referenceObject: "5"))
  }

  @Test("Errors of the store reach the caller, and the context keeps its changes")
  func failures() throws {
    let (server, context) = try open()
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      for call in ["ids", "save"] {
        server.failing = [call]
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.domain == "Server", "\(call)")
        #expect(context.hasChanges)
        #expect(team.isInserted)
      }
      server.failing = []
      try context.save()
      #expect(server.rows["Team"]?.count == 1)
      server.failing = ["fetch"]
      #expect(throws: NSError.self) { try context.all("Team") }
      #expect(throws: NSError.self) {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Team"))
      }
      server.failing = ["values"]
      context.refresh(team, mergeChanges: false)
      #expect(throws: NSError.self) { try context.existingObject(with: team.objectID) }
      server.failing = []
      #expect(try context.existingObject(with: team.objectID)["name"] == "Reds")
    }
    DictionaryStore.register()
    let url = try #require(URL(string: "test:broken"))
    DictionaryStore.server(at: url).failing = ["loadMetadata"]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        type: .init(rawValue: DictionaryStore.storeType), at: url)
    }
    #expect(coordinator.persistentStores.isEmpty)
  }

  @Test("The store is notified when its objects come into use and when they are released")
  func objectsInUse() throws {
    let (server, context) = try open()
    try context.performAndWait {
      let teams = (1...4).map { context.insert("Team", ["name": "t\($0)"]) }
      #expect(server.inUse == 0)
      try context.save()
      #expect(server.inUse == 4)
      context.delete(teams[0])
      try context.save()
      #expect(server.inUse == 3)
      context.reset()
      #expect(server.inUse == 0)
      withExtendedLifetime(try context.all("Team")) { _ in #expect(server.inUse == 3) }
      #expect(server.inUse == 0)
      // The store is notified once about objects that the program still holds.
      withExtendedLifetime(try context.all("Team")) { _ in context.reset() }
      #expect(server.inUse == 0)
    }
  }

  @Test("A child context reads and saves through its parent's incremental store")
  func childContexts() throws {
    let (server, context) = try open()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try child.performAndWait {
      child.insert("Team", ["name": "Reds"])
      try child.save()
    }
    #expect(server.rows.isEmpty)
    try context.performAndWait { try context.save() }
    #expect(server.rows["Team"]?.count == 1)
    let names = try child.performAndWait {
      try child.all("Team").compactMap { $0["name"] as String? }
    }
    #expect(names == ["Reds"])
  }

  @Test(
    "A merged deletion of objects that are not in use does not change the number in use")
  func unseenDeletions() throws {
    let (server, context) = try open()
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    let controller = try context.performAndWait {
      () -> NSFetchedResultsController<NSManagedObject> in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      controller.delegate = table
      try controller.performFetch()
      return controller
    }
    defer { withExtendedLifetime(controller) {} }
    let saves = Recorder(.NSManagedObjectContextDidSaveObjectIDs, of: other)
    try other.performAndWait {
      for number in 0..<5 { other.insert("Player", ["number": number]) }
      try other.save()
      for player in try other.all("Player") { other.delete(player) }
      try other.save()
    }
    let before = server.inUse
    try context.performAndWait {
      try #require(saves.notifications.count == 2)
      context.mergeChanges(fromContextDidSave: saves.notifications[1])
      #expect(!context.hasChanges)
    }
    #expect(server.inUse == before)
  }

  @Test("An empty node for a missing object does not hide its deletion")
  func emptyNodes() throws {
    let (server, context) = try open()
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    server.answersWithEmptyNodes = true
    let team = try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      try context.save()
      return team
    }
    nonisolated(unsafe) let held = team
    let saves = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      other.delete(try #require(try other.all("Team").first))
      try other.save()
    }
    context.performAndWait {
      for save in saves.notifications { context.mergeChanges(fromContextDidSave: save) }
      #expect(held.isDeleted && context.deletedObjects == [held])
    }
  }
}
