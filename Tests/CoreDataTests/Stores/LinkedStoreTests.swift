import CoreData
import Testing

/// Stores given by a symbolic link. SQLite resolves the link, so the log is next to the file itself.
@Suite struct LinkedStoreTests {
  private let folder: TemporaryFolder
  /// A store whose last changes are only in its log: its UUID is "A", and it has a column that the model does not have,
  /// a history, a club, and no copy of its model.
  private let url: URL
  private let link: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let links = folder.file("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: false)
    link = links.appendingPathComponent("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let other = folder.file("other.sqlite")
    try OpenStore(other, SampleStore.model()).close()
    let writer = try OpenStore(
      other, SampleStore.model(), options: [NSPersistentHistoryTrackingKey: true])
    try writer.context.performAndWait {
      writer.context.insert("Club", ["name": "Harbour"])
      try writer.context.save()
    }
    try PlainDatabase(other).execute(
      "UPDATE Z_METADATA SET Z_UUID = 'A'; DELETE FROM Z_MODELCACHE;"
        + " ALTER TABLE ZCLUB ADD COLUMN ZMOTTO VARCHAR")
    // While the writer is open, the log is not moved into the file.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: other.path + suffix, toPath: url.path + suffix)
    }
    try writer.close()
  }

  @Test func `A store is described through a link with what is only in its log`() throws {
    let before = try folder.state()
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: link)
    #expect(metadata[NSStoreUUIDKey] as? String == "A")
    #expect(try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: link) == nil)
    let club = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: link)
      .entitiesByName["Club"]
    let names = try #require(club).attributesByName.keys.map { $0.uppercased() }
    #expect(names.contains("MOTTO"))
    #expect(try NSPersistentStoreCoordinator.hasHistory(storeAt: link))
    #expect(try folder.state() == before)
  }

  @Test func `A store is copied through a link with what is only in its log`() throws {
    let copy = folder.file("copy.sqlite")
    try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
      .replacePersistentStore(at: copy, withPersistentStoreFrom: link, ofType: NSSQLiteStoreType)
    #expect(try PlainDatabase(copy).values("SELECT ZNAME FROM ZCLUB") == [[.text("Harbour")]])
  }

  @Test func `The metadata of a store is replaced through a link`() throws {
    try NSPersistentStoreCoordinator.setMetadata(
      ["mine": 1], forPersistentStoreOfType: NSSQLiteStoreType, at: link)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    #expect(metadata["mine"] as? Int == 1)
    #expect(try PlainDatabase(url).values("SELECT ZNAME FROM ZCLUB") == [[.text("Harbour")]])
  }

  @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
  func `The metadata of a store that is written as a whole is replaced through a link, which stays`(
    _ type: String
  ) throws {
    let (file, place) = (folder.file("whole"), folder.file("links").appendingPathComponent("whole"))
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: file)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    // The link leads to no file yet.
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: place)
    try NSPersistentStoreCoordinator.setMetadata(
      ["mine": 1], forPersistentStoreOfType: type, at: place)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: type, at: file)
    #expect(metadata["mine"] as? Int == 1)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path) == file.path)
  }

  @Test(arguments: TestedStore.fileKinds, [true, false])
  func `A store that was opened through a link is removed when its file is replaced or destroyed`(
    _ kind: TestedStore, isOpenedByLink: Bool
  ) throws {
    let file = kind.url(in: folder, "file")
    let place = folder.file("links").appendingPathComponent("place")
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: file)
    let source = kind.url(in: folder, "source")
    for url in [file, source] {
      let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
      try context.persistentStoreCoordinator?.remove(store)
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    let (opened, used) = isOpenedByLink ? (place, file) : (file, place)
    func open() throws {
      let store = try coordinator.addPersistentStore(
        ofType: kind.type, configurationName: nil, at: opened)
      #expect(coordinator.persistentStore(for: opened) === store)
      #expect(coordinator.persistentStore(for: used) === store)
      #expect(coordinator.persistentStore(for: source) == nil)
    }
    try open()
    try coordinator.replacePersistentStore(
      at: used, withPersistentStoreFrom: source, ofType: kind.type)
    #expect(coordinator.persistentStores.isEmpty)
    try open()
    try coordinator.destroyPersistentStore(at: used, ofType: kind.type)
    #expect(coordinator.persistentStores.isEmpty)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path) == file.path)
    // Only an emptied SQLite file stays.
    #expect(FileManager.default.fileExists(atPath: file.path) == (kind == .sqlite))
  }

  @Test(.timeLimit(.minutes(60)), arguments: ["-wal", "-shm", "-journal"])
  func `A pipe next to a linked store blocks nothing`(_ suffix: String) throws {
    try? FileManager.default.removeItem(atPath: url.path + suffix)
    let isMade = mkfifo(url.path + suffix, 0o600) == 0
    try #require(isMade)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
    let actions: [() throws -> Void] = [
      {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: NSSQLiteStoreType, at: link)
      },
      { _ = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: link) },
      { _ = try NSPersistentStoreCoordinator.hasHistory(storeAt: link) },
      {
        try NSPersistentStoreCoordinator.setMetadata(
          [:], forPersistentStoreOfType: NSSQLiteStoreType, at: link)
      },
      {
        try coordinator.replacePersistentStore(
          at: link, withPersistentStoreFrom: folder.file("other.sqlite"), ofType: NSSQLiteStoreType)
      },
      { try coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType) },
    ]
    for (number, action) in actions.enumerated() {
      let error = failure { try action() }
      #expect(error?.localizedDescription.contains("is a named pipe") == true, "\(number)")
    }
  }

  @Test func `A store that is created through a link has its value files next to the file itself`()
    throws
  {
    let new = folder.file("new.sqlite")
    let dangling = folder.file("links").appendingPathComponent("dangling.sqlite")
    try FileManager.default.createSymbolicLink(at: dangling, withDestinationURL: new)
    let portrait = Data(repeating: 7, count: 300_000)
    let made = try OpenStore(dangling, SampleStore.model())
    try made.context.performAndWait {
      made.context.insert("Player", ["name": "Ann", "portrait": portrait])
      try made.context.save()
    }
    try made.close()
    let store = try OpenStore(new, SampleStore.model())
    let found = try store.context.performAndWait {
      try store.context.all("Player").map { $0.value(forKey: "portrait") as? Data }
    }
    #expect(found == [portrait])
    try store.close()
  }

  @Test func `A store that has lost its UUID has the same objects through a link`() throws {
    try PlainDatabase(url).execute("DELETE FROM Z_METADATA")
    let identifiers = try [url, link].map { place -> String in
      let store = try OpenStore(
        place, SampleStore.model(), options: [NSReadOnlyPersistentStoreOption: true])
      defer { try? store.close() }
      return try #require(store.coordinator.persistentStores.first?.identifier)
    }
    #expect(identifiers[0] == identifiers[1])
  }
}
