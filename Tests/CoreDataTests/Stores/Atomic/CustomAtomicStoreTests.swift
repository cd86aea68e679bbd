import CoreData
import Testing

@Suite struct CustomAtomicStoreTests {
  private func open(_ url: URL) throws -> NSManagedObjectContext {
    CommaStore.register()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    try coordinator.addPersistentStore(
      ofType: CommaStore.storeType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func lines(_ url: URL) throws -> [String] {
    try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("Each save writes the custom store's text file, which is read again with relationships")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("league.csv")
    let context = try open(url)
    let uri = try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      for (name, age) in [("a", 30), ("b", 20)] {
        context.insert("Player", ["name": name, "age": age]).setValue(team, forKey: "team")
      }
      try context.save()
      return team.objectID.uriRepresentation()
    }
    #expect(
      try lines(url) == [
        "Player,Player-a,age=30,name=a,team=Team-Reds",
        "Player,Player-b,age=20,name=b,team=Team-Reds", "Team,Team-Reds,name=Reds",
      ])
    #expect(uri.lastPathComponent == "pTeam-Reds")
    #expect(uri.absoluteString.hasSuffix("/Team/pTeam%2DReds"))

    let again = try open(url)
    let store = try #require(again.persistentStoreCoordinator?.persistentStores.first)
    #expect(store.type == "TestCommaStore")
    #expect(store.identifier == context.persistentStoreCoordinator?.persistentStores[0].identifier)
    try again.performAndWait {
      let players = try again.all("Player", "team.name == 'Reds' AND age > 25")
      #expect(players.map { $0["name"] } == ["a"])
      let same = try #require(
        again.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
      let reds = try again.existingObject(with: same)
      #expect((reds["players"] as Set<NSManagedObject>?)?.count == 2)
      players[0]["age"] = 31
      again.delete(try #require(try again.all("Player", "name == 'b'").first))
      try again.save()
    }
    #expect(
      try lines(url) == [
        "Player,Player-a,age=31,name=a,team=Team-Reds", "Team,Team-Reds,name=Reds",
      ])
  }

  @Test func `A node of another entity is refused as a destination`() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("league.csv")
    try Data("4B7A3C1E\nTag,t1,label=x\nLocker,l1,owner=t1\n".utf8).write(to: url)
    let error = #expect(throws: NSError.self) { try open(url) }
    #expect(
      error?.localizedDescription.contains(
        "has a node of Tag for the relationship Locker.owner, which requires nodes of Player")
        == true, "\(error as Any)")
  }

  @Test("A save that the custom store rejects leaves nodes, rows and the context unchanged")
  func failedSave() throws {
    let folder = try TemporaryFolder()
    let home = folder.file("home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let url = home.appendingPathComponent("league.csv")
    let context = try open(url)
    try context.performAndWait {
      let reds = context.insert("Team", ["name": "Reds"])
      let greens = context.insert("Team", ["name": "Greens"])
      try context.save()
      let store = try #require(
        context.persistentStoreCoordinator?.persistentStores.first as? CommaStore)
      try FileManager.default.moveItem(at: home, to: folder.file("away"))
      reds["name"] = "Blues"
      context.delete(greens)
      context.insert("Team", ["name": "Blacks"])
      #expect(throws: (any Error).self) { try context.save() }
      #expect(
        store.cacheNodes().compactMap { $0.value(forKey: "name") as? String }.sorted()
          == ["Greens", "Reds"])
      let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      other.persistentStoreCoordinator = context.persistentStoreCoordinator
      let names = try other.performAndWait {
        try other.all("Team", sort: ["name"]).compactMap { $0["name"] as String? }
      }
      #expect(names == ["Greens", "Reds"])
      try FileManager.default.moveItem(at: folder.file("away"), to: home)
      try context.save()
    }
    #expect(
      try lines(url) == ["Team,Team-Blacks,name=Blacks", "Team,Team-Reds,name=Blues"])
  }

  @Test("A file that the custom store rejects is not opened")
  func refusedFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("league.csv")
    try Data("UUID\nNothing,x\n".utf8).write(to: url)
    #expect(throws: CocoaError.self) { try open(url) }
  }

  @Test(
    "A custom store of another model is refused with the reason, even if migration is enabled",
    arguments: [OtherModelStore.storeType, OtherModelServer.storeType])
  func otherModel(type: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("league")
    NSPersistentStoreCoordinator.registerStoreClass(
      OtherModelStore.self, forStoreType: OtherModelStore.storeType)
    NSPersistentStoreCoordinator.registerStoreClass(
      OtherModelServer.self, forStoreType: OtherModelServer.storeType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    for isMigrated in [false, true] {
      let error = #expect(throws: NSError.self) {
        try coordinator.addPersistentStore(
          ofType: type, configurationName: nil, at: url,
          options: [
            NSMigratePersistentStoresAutomaticallyOption: isMigrated,
            NSInferMappingModelAutomaticallyOption: isMigrated,
          ])
      }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("entities changed: Team"), "\(text)")
      #expect(text.contains("not migrated automatically") == isMigrated, "\(text)")
      #expect(error?.userInfo[NSFilePathErrorKey] as? String == url.path)
    }
    #expect(coordinator.persistentStores.isEmpty)
  }

  @Test("Two contexts of a custom store detect conflicts by versions, as in other stores")
  func conflicts() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.file("league.csv"))
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    try onQueues(of: context, other) {
      let team = context.insert("Team", ["name": "Reds"])
      try context.save()
      let twin = try #require(try other.all("Team").first)
      twin["name"] = "Greens"
      team["name"] = "Blues"
      try context.save()
      let error = #expect(throws: NSError.self) { try other.save() }
      #expect(error?.code == NSManagedObjectMergeError)
    }
  }

  @Test("An object deleted by another context is in the file again once its row is restored")
  func restoredRow() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("league.csv")
    let context = try open(url)
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    try onQueues(of: context, other) {
      let team = context.insert("Team", ["name": "Reds"])
      try context.save()
      other.delete(try other.existingObject(with: team.objectID))
      try other.save()
      #expect(try lines(url) == [])
      team["name"] = "Blues"
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect(try lines(url) == ["Team,Team-Reds,name=Blues"])
    }
  }
}

extension CustomAtomicStoreTests {
  @Test func `Metadata set while a custom store writes its file is written afterwards`() throws {
    NSPersistentStoreCoordinator.registerStoreClass(
      StampedStore.self, forStoreType: StampedStore.storeType)
    let folder = try TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    let added = try coordinator.addPersistentStore(
      ofType: StampedStore.storeType, configurationName: nil, at: folder.file("stamped"))
    let store = try #require(added as? StampedStore)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for isChanged in [true, false] {
      store.metadata["stamp"] = "early"
      store.nextStamp = "late"
      store.written = []
      try context.performAndWait {
        if isChanged { context.insert("Team") }
        try context.save()
        try context.save()
      }
      #expect(store.written == ["early", "late"])
    }
  }
}

/// A custom store whose metadata changes after it has written its file, as another thread can change it.
private final class StampedStore: NSAtomicStore, @unchecked Sendable {
  static let storeType = "TestStampedStore"
  var nextStamp: String?
  var written: [String] = []

  override var type: String { Self.storeType }

  override func loadMetadata() throws {
    metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: Self.storeType]
  }

  override func load() throws {}

  override func save() throws {
    if let stamp = metadata["stamp"] as? String { written.append(stamp) }
    if let stamp = nextStamp {
      nextStamp = nil
      metadata["stamp"] = stamp
    }
  }
}

/// A custom store whose metadata has the version hashes of another model.
private final class OtherModelStore: NSAtomicStore, @unchecked Sendable {
  static let storeType = "TestOtherModelStore"

  override func loadMetadata() throws { metadata = otherModelMetadata(Self.storeType) }
}

private final class OtherModelServer: NSIncrementalStore, @unchecked Sendable {
  static let storeType = "TestOtherModelServer"

  override func loadMetadata() throws { metadata = otherModelMetadata(Self.storeType) }
}

private func otherModelMetadata(_ type: String) -> [String: Any] {
  [
    NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: type,
    NSStoreModelVersionHashesKey: ["Team": Data([1])],
  ]
}
