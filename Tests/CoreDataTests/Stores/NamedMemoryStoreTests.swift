import CoreData
import FixtureSupport
import Testing

/// Source: a comment in the tests of CoreDataPlus. All coordinators of a process that open
/// "/dev/null/x" share one store in memory.
@Suite("Named SQLite stores in memory")
struct NamedMemoryStoreTests {
  private let model = SampleStack.makeModel()
  private let url = TestedStore.newNamedURL()

  private func open(
    _ url: URL? = nil, options: [AnyHashable: Any]? = nil
  ) throws -> (store: NSPersistentStore, context: NSManagedObjectContext) {
    try TestedStore.memorySQLite.open(model, at: url ?? self.url, options: options)
  }

  private func add(_ name: String, _ context: NSManagedObjectContext) throws {
    try context.performAndWait {
      context.insert("Team", ["name": name])
      try context.save()
    }
  }

  private func teams(_ context: NSManagedObjectContext) throws -> [String] {
    try context.performAndWait {
      try context.all("Team", sort: ["name"]).compactMap { $0["name"] }
    }
  }

  private func code(_ body: () throws -> Void) -> Int? {
    do {
      try body()
      return nil
    } catch {
      return (error as NSError).code
    }
  }

  @Test("Two coordinators see each other's saves, and their objects have the same IDs")
  func sharing() throws {
    let (first, here) = try open()
    try add("Reds", here)
    let (second, there) = try open()
    #expect(first.identifier == second.identifier)
    try add("Blues", there)
    #expect(try teams(here) == ["Blues", "Reds"])
    #expect(try teams(there) == ["Blues", "Reds"])
    let uris = try here.performAndWait {
      try here.all("Team").map { $0.objectID.uriRepresentation() }
    }
    for uri in uris {
      let id = try #require(
        there.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
      #expect(try there.performAndWait { try there.existingObject(with: id).isDeleted } == false)
    }
  }

  @Test("The store exists until the last coordinator releases it")
  func lifetime() throws {
    try {
      let (first, here) = try open()
      try add("Reds", here)
      let (second, there) = try open()
      try here.persistentStoreCoordinator?.remove(first)
      #expect(try teams(here) == [], "the context still has a store")
      #expect(try teams(there) == ["Reds"])
      try there.persistentStoreCoordinator?.remove(second)
      #expect(
        try teams(try open().context) == [], "the store survived its removal by both coordinators")
    }()
    do {
      let context = try open().context
      try add("Blues", context)
      // After this block, the context's queue no longer retains the context.
      context.performAndWait {}
    }
    #expect(try teams(try open().context) == [], "the store survived its coordinator")
  }

  @Test("Each name is a store of its own, and each nameless store is a new one")
  func names() throws {
    let (_, one) = try open()
    let (_, two) = try open(TestedStore.newNamedURL())
    let nameless = URL(fileURLWithPath: "/dev/null")
    let (_, three) = try open(nameless)
    let (_, four) = try open(nameless)
    try add("Reds", one)
    try add("Blues", three)
    #expect(try teams(two) == [])
    #expect(try teams(three) == ["Blues"])
    #expect(try teams(four) == [])
    let stays = FileManager.default.fileExists(atPath: url.path)
    #expect(!stays)
  }

  @Test("A coordinator can open the store only once")
  func twice() throws {
    let (store, context) = try open()
    let coordinator = try #require(context.persistentStoreCoordinator)
    #expect(coordinator.persistentStore(for: url) === store)
    #expect(code { try coordinator.addPersistentStore(type: .sqlite, at: url) } == 134_080)
  }

  @Test("A container opens the store by its description, and only once")
  func container() throws {
    let containers = (1...2).map { _ in
      let container = NSPersistentContainer(name: "Teams", managedObjectModel: model)
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
      for _ in 1...2 { container.loadPersistentStores { #expect($1 == nil) } }
      return container
    }
    #expect(containers.map { $0.persistentStoreCoordinator.persistentStores.count } == [1, 1])
    try add("Reds", containers[0].newBackgroundContext())
    #expect(try teams(containers[1].newBackgroundContext()) == ["Reds"])
  }

  @Test("Metadata belongs to the store, and can be read without opening it")
  func metadata() throws {
    let missing = code { _ = try metadataOfURL() }
    #expect(missing == CocoaError.Code.fileReadNoSuchFile.rawValue)
    let (store, context) = try open()
    store.metadata["color"] = "red"
    try add("Reds", context)
    #expect(try metadataOfURL()["color"] as? String == "red")
    #expect(try open().store.metadata["color"] as? String == "red")
    var changed = try metadataOfURL()
    changed["color"] = "blue"
    try NSPersistentStoreCoordinator.setMetadata(changed, type: .sqlite, at: url)
    #expect(try metadataOfURL()["color"] as? String == "blue")
    let carried = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
    #expect(carried.entityVersionHashesByName == model.entityVersionHashesByName)
  }

  private func metadataOfURL() throws -> [String: Any] {
    try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
  }

  @Test("A model that does not match is rejected, and the store is unchanged")
  func otherModel() throws {
    let (_, context) = try open()
    try add("Reds", context)
    let other = SampleStack.makeModel()
    let team = try #require(other.entitiesByName["Team"])
    team.properties += [SampleStack.attribute("city", .stringAttributeType)]
    #expect(
      code { _ = try TestedStore.memorySQLite.open(other, at: url) }
        == NSPersistentStoreIncompatibleVersionHashError)
    #expect(try teams(context) == ["Reds"])
  }

  @Test("A read-only store is neither written nor created")
  func readOnly() throws {
    let options = [NSReadOnlyPersistentStoreOption: true]
    #expect(
      code { _ = try open(options: options) } == CocoaError.Code.fileReadNoSuchFile.rawValue)
    let (_, context) = try open()
    try add("Reds", context)
    let (store, reader) = try open(options: options)
    #expect(store.isReadOnly)
    #expect(try teams(reader) == ["Reds"])
    #expect(throws: NSError.self) { try add("Blues", reader) }
    #expect(try teams(context) == ["Reds"])
  }

  @Test("A destroyed store is empty when opened again, and its old contexts report no damaged file")
  func destroying() throws {
    let empty = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try empty.destroyPersistentStore(at: url, type: .sqlite)
    let (_, context) = try open()
    try add("Reds", context)
    try empty.destroyPersistentStore(at: url, type: .sqlite)
    let error = code { _ = try teams(context) }
    #expect(error != nil && error != CocoaError.Code.fileReadCorruptFile.rawValue)
    #expect(code { _ = try metadataOfURL() } != nil)
    let (_, new) = try open()
    #expect(try teams(new) == [])
    try add("Blues", new)
    #expect(try teams(new) == ["Blues"])
    let coordinator = try #require(new.persistentStoreCoordinator)
    try coordinator.destroyPersistentStore(at: url, type: .sqlite)
    #expect(coordinator.persistentStores.isEmpty, "the open store was not removed")
  }

  @Test("Observers of a store's removal can still read a store that is going to be destroyed")
  func observingTheDestruction() throws {
    let (store, context) = try open()
    try add("Reds", context)
    let coordinator = try #require(context.persistentStoreCoordinator)
    var found: [[String]] = []
    let observer = NSObject()
    NotificationCenter.default.addObserver(
      observer, calling: { _, _ in found.append((try? teams(context)) ?? []) },
      name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    try coordinator.destroyPersistentStore(at: url, type: .sqlite)
    NotificationCenter.default.removeObserver(observer)
    #expect(found == [["Reds"]])
    #expect(coordinator.persistentStores.isEmpty)
  }

  @Test("A batch insertion whose handler destroys the store ends without reading the closed store")
  func destroyingWhileInserting() throws {
    let (_, context) = try open()
    let empty = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    var count = 0
    let request = NSBatchInsertRequest(
      entityName: "Team",
      dictionaryHandler: { (row: NSMutableDictionary) in
        count += 1
        if count == 2 {
          #expect(throws: Never.self) {
            try empty.destroyPersistentStore(at: url, type: .sqlite)
          }
        }
        row["name"] = "Team \(count)"
        return count > 100
      })
    context.performAndWait {
      // The request may throw or succeed, because its rows no longer exist.
      _ = try? context.execute(request)
    }
    #expect(count == 101)
    #expect(try teams(try open().context) == [])
  }

  @Test("A file can replace the store, even before it is opened, and the store can replace a file")
  func replacing() throws {
    let folder = try TemporaryFolder()
    let file = TestedStore.sqlite.url(in: folder)
    let (_, onDisk) = try TestedStore.sqlite.open(model, at: file)
    try add("Reds", onDisk)
    let empty = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try empty.replacePersistentStore(at: url, withPersistentStoreFrom: file, type: .sqlite)
    let (_, context) = try open()
    #expect(try teams(context) == ["Reds"])
    try add("Blues", context)
    #expect(try teams(onDisk) == ["Reds"])
    try empty.replacePersistentStore(at: file, withPersistentStoreFrom: url, type: .sqlite)
    #expect(try teams(onDisk) == ["Blues", "Reds"])

    let other = TestedStore.newNamedURL()
    try empty.replacePersistentStore(at: other, withPersistentStoreFrom: url, type: .sqlite)
    let (_, copy) = try open(other)
    try add("Greens", copy)
    #expect(try teams(context) == ["Blues", "Reds"])
    // Every context that has the store open sees the new contents.
    try empty.replacePersistentStore(at: url, withPersistentStoreFrom: other, type: .sqlite)
    #expect(try teams(context) == ["Blues", "Greens", "Reds"])
    #expect(
      code {
        try empty.replacePersistentStore(at: url, withPersistentStoreFrom: url, type: .sqlite)
      } != nil)
  }

  @Test("External values of a store file are copied into memory, too")
  func externalFiles() throws {
    let folder = try TemporaryFolder()
    let file = TestedStore.sqlite.url(in: folder)
    let model = SampleStore.model()
    let (onDisk, context) = try TestedStore.sqlite.open(model, at: file)
    try context.performAndWait {
      for text in ["external", "inline"] {
        context.insert("Player", ["name": text, "portrait": Data(text.utf8)])
      }
      try context.save()
    }
    try context.persistentStoreCoordinator?.remove(onDisk)
    // Moves the value to a file, as Apple's Core Data does with large values.
    let name = UUID().uuidString
    let files = folder.file(".store_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Data("large".utf8).write(to: files.appendingPathComponent(name))
    let column = [2] + Array(name.utf8) + [0]
    let hex = column.map { String(format: "%02x", $0) }.joined()
    try PlainDatabase(file).execute(
      "UPDATE ZPLAYER SET ZPORTRAIT = x'\(hex)' WHERE ZNAME = 'external'")
    let empty = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try empty.replacePersistentStore(at: url, withPersistentStoreFrom: file, type: .sqlite)
    try FileManager.default.removeItem(at: files)
    let (_, inMemory) = try TestedStore.memorySQLite.open(model, at: url)
    let portraits: [Data?] = try inMemory.performAndWait {
      try inMemory.all("Player", sort: ["name"]).map { $0["portrait"] }
    }
    #expect(portraits == [Data("large".utf8), Data("inline".utf8)])
  }

  @Test func `Copying external values into memory has the timeout of the store`() throws {
    let folder = try TemporaryFolder()
    let file = TestedStore.sqlite.url(in: folder)
    let (onDisk, context) = try TestedStore.sqlite.open(SampleStore.model(), at: file)
    try context.performAndWait {
      context.insert("Player", ["name": "Ann", "portrait": Data("small".utf8)])
      try context.save()
    }
    try context.persistentStoreCoordinator?.remove(onDisk)
    let name = UUID().uuidString
    let files = folder.file(".store_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Data("large".utf8).write(to: files.appendingPathComponent(name))
    let hex = ([2] + Array(name.utf8) + [0]).map { String(format: "%02x", $0) }.joined()
    // Comparing each part of the long text with the other one takes longer than one second, the shortest limit.
    let slow = "instr(hex(zeroblob(220000)), hex(zeroblob(110000)) || ''1'') = 0"
    let index = "CREATE INDEX slow ON ZPLAYER (ZNAME) WHERE ZPORTRAIT IS NOT NULL"
    try PlainDatabase(file).execute(
      "UPDATE ZPLAYER SET ZPORTRAIT = x'\(hex)'; \(index); PRAGMA writable_schema = ON;"
        + " UPDATE sqlite_schema SET sql = '\(index) AND \(slow)' WHERE name = 'slow'")
    let empty = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try empty.replacePersistentStore(at: url, withPersistentStoreFrom: file, type: .sqlite)
    let (_, inMemory) = try TestedStore.memorySQLite.open(SampleStore.model(), at: url)
    let portraits: [Data?] = try inMemory.performAndWait {
      try inMemory.all("Player").map { $0["portrait"] }
    }
    #expect(portraits == [Data("large".utf8)])
  }

  @Test("A store can be moved into memory and back with its objects")
  func moving() throws {
    let folder = try TemporaryFolder()
    let file = TestedStore.sqlite.url(in: folder)
    let (onDisk, context) = try TestedStore.sqlite.open(model, at: file)
    try add("Reds", context)
    let coordinator = try #require(context.persistentStoreCoordinator)
    let inMemory = try coordinator.migratePersistentStore(onDisk, to: url, type: .sqlite)
    #expect(coordinator.persistentStores == [inMemory])
    let (_, other) = try open()
    #expect(try teams(other) == ["Reds"])
    try add("Blues", other)
    #expect(
      code {
        try coordinator.migratePersistentStore(inMemory, to: url, type: .sqlite)
      } != nil)
    let back = TestedStore.sqlite.url(in: folder, "back")
    try coordinator.migratePersistentStore(inMemory, to: back, type: .sqlite)
    #expect(try teams(try TestedStore.sqlite.open(model, at: back).context) == ["Blues", "Reds"])
    #expect(try teams(other) == ["Blues", "Reds"])
  }

  @Test("setURL accepts only the URL of an existing store")
  func otherPlace() throws {
    let (store, context) = try open()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let other = TestedStore.newNamedURL()
    #expect(!coordinator.setURL(other, for: store))
    let (_, there) = try open(other)
    try add("Blues", there)
    #expect(coordinator.setURL(other, for: store))
    #expect(try teams(context) == ["Blues"])
  }

  @Test("Threads of two coordinators save and read concurrently without losing data")
  func threads() throws {
    let contexts = try (0..<4).map { _ in try open().context }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<50 {
        let context = contexts[thread]
        context.performAndWait {
          context.insert("Team", ["name": "\(thread)-\(number)"])
          #expect(throws: Never.self) {
            try context.save()
            let count = try context.all("Team").count
            #expect(count > number)
          }
        }
      }
    }
    #expect(try teams(contexts[0]).count == 200)
  }

  @Test("A conflict with another coordinator's save contains the stored row, and can be resolved")
  func conflict() throws {
    let writers = try TwoWriters(.memory)
    let player = writers.here.insert("Player", ["name": "Ann"])
    try writers.here.save()
    try writers.twin(player)["name"] = "there"
    try writers.there.save()
    player["name"] = "here"
    let error = #expect(throws: NSError.self) { try writers.here.save() }
    let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
    #expect(conflict.objectSnapshot == nil)
    #expect(conflict.persistedSnapshot?["name"] as? String == "there")
    writers.here.mergePolicy = NSMergePolicy.overwrite
    try writers.here.save()
    #expect(writers.stored(player)?["name"] == "here")
  }
}
