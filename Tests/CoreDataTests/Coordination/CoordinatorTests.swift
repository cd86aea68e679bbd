import CoreData
import Testing

@Suite struct CoordinatorTests {
  private func coordinator() -> NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
  }

  @Test("The next save writes an open store's metadata; a closed store's is written immediately")
  func metadata() throws {
    try onEveryStore { kind, folder in
      let url = kind.url(in: folder)
      let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
      let coordinator = try #require(context.persistentStoreCoordinator)
      let uuid = try #require(coordinator.metadata(for: store)[NSStoreUUIDKey] as? String)
      #expect(coordinator.metadata(for: store)[NSStoreTypeKey] as? String == kind.type)
      #expect(store.identifier == uuid)
      coordinator.setMetadata(["mine": 7], for: store)
      #expect(store.metadata["mine"] as? Int == 7)
      #expect(store.metadata[NSStoreUUIDKey] as? String == uuid, "the store's own keys stay")
      guard kind.isFile else { return }
      func read() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
          type: .init(rawValue: kind.type), at: url)
      }
      // Source: NSPersistentStoreCoordinator.h. Metadata set on the coordinator is written with the
      // next save; the class method writes it immediately.
      #expect(try read()["mine"] == nil)
      try context.performAndWait {
        try context.save()
      }
      #expect(try read()["mine"] as? Int == 7)
      try coordinator.remove(store)
      try NSPersistentStoreCoordinator.setMetadata(
        ["yours": "x"], forPersistentStoreOfType: kind.type, at: url)
      #expect(try read()["yours"] as? String == "x")
      #expect(try read()["mine"] == nil)
      #expect(try read()[NSStoreUUIDKey] as? String == uuid)
      let again = try kind.open(SampleStack.makeModel(), at: url)
      #expect(again.store.metadata["yours"] as? String == "x")
    }
  }

  @Test("Store types have the names of the older constants, and an unknown type is rejected")
  func storeTypes() throws {
    #expect(NSPersistentStore.StoreType.sqlite.rawValue == "SQLite")
    #expect(NSPersistentStore.StoreType.xml.rawValue == "XML")
    #expect(NSPersistentStore.StoreType.binary.rawValue == "Binary")
    #expect(NSPersistentStore.StoreType.inMemory.rawValue == "InMemory")
    let store = try coordinator().addPersistentStore(
      type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    #expect(store.type == NSInMemoryStoreType)
    #expect(
      NSPersistentStoreCoordinator.registeredStoreTypes.keys.sorted()
        .filter { !$0.hasPrefix("Test") } == ["Binary", "InMemory", "SQLite", "XML"])
    let error = #expect(throws: NSError.self) {
      try coordinator().addPersistentStore(ofType: "Punchcards", configurationName: nil, at: nil)
    }
    #expect(error?.code == NSPersistentStoreInvalidTypeError)
  }

  @Test("A file of another kind is refused, and stays unchanged")
  func wrongKinds() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let url = kind.url(in: folder)
      let (_, context) = try kind.open(SampleStack.makeModel(), at: url)
      try context.performAndWait {
        context.insert("Team", ["name": "Reds"])
        try context.save()
      }
      let bytes = try Data(contentsOf: url)
      for other in TestedStore.allCases where other.isFile && other != kind {
        #expect(throws: NSError.self, "\(kind) as \(other)") {
          try other.open(SampleStack.makeModel(), at: url)
        }
        #expect(throws: NSError.self) {
          try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: other.type, at: url)
        }
      }
      #expect(try Data(contentsOf: url) == bytes)
    }
  }

  @Test("A new object goes to the first writable store that has its entity")
  func insertionStore() throws {
    let folder = try TemporaryFolder()
    let model = SampleStack.makeModel()
    model.setEntities(
      model.entities.filter { $0.name == "Tag" }, forConfigurationName: "tags")
    model.setEntities(
      model.entities.filter { $0.name == "Tag" || $0.name == "Locker" },
      forConfigurationName: "more")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let readOnly = folder.file("read-only.xml")
    try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
      ofType: NSXMLStoreType, configurationName: nil, at: readOnly)
    let first = try coordinator.addPersistentStore(
      ofType: NSXMLStoreType, configurationName: nil, at: readOnly,
      options: [NSReadOnlyPersistentStoreOption: true])
    #expect(first.isReadOnly)
    let tags = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "tags", at: nil)
    let more = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "more", at: folder.file("more.sqlite"))
    #expect(tags.configurationName == "tags")
    #expect(first.configurationName == "PF_DEFAULT_CONFIGURATION_NAME")
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let tag = context.insert("Tag", ["label": "x"])
      let locker = context.insert("Locker", ["number": 1])
      try context.save()
      // Source: Apple's page for `assign(_:to:)`. New objects go to the first writable store whose
      // configuration has the entity.
      #expect(tag.objectID.persistentStore === tags)
      #expect(locker.objectID.persistentStore === more)
      context.insert("Team", ["name": "Reds"])
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.localizedDescription.contains("Team") == true)
      context.rollback()
      // A request queries all stores in order; `affectedStores` restricts it.
      let other = context.insert("Tag", ["label": "y"])
      try context.save()
      #expect(other.objectID.persistentStore === tags)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      #expect(try context.count(for: request) == 2)
      request.affectedStores = [more]
      #expect(try context.count(for: request) == 0)
    }
  }

  @Test("A store cannot be added twice, and neither can a copy beside it")
  func sameStoreTwice() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let (store, context) = try kind.open(SampleStack.makeModel(), at: kind.url(in: folder))
      let coordinator = try #require(context.persistentStoreCoordinator)
      let copy = kind.url(in: folder, "copy")
      try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        .replacePersistentStore(
          at: copy, withPersistentStoreFrom: kind.url(in: folder), ofType: kind.type)
      for url in [kind.url(in: folder), copy] {
        let error = #expect(throws: NSError.self) {
          try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
      }
      #expect(coordinator.persistentStores == [store])
      try context.performAndWait {
        context.insert("Team", ["name": "Reds"])
        try context.save()
      }
    }
  }

  @Test("Only URIs of open stores' objects yield IDs")
  func uris() throws {
    try onEveryStore { kind, folder in
      let (store, context) = try kind.open(SampleStack.makeModel(), at: kind.url(in: folder))
      let coordinator = try #require(context.persistentStoreCoordinator)
      try context.performAndWait {
        let team = context.insert("Team", ["name": "Reds"])
        let temporary = team.objectID.uriRepresentation()
        // Source: tests of FreeCoreData. The URI is `x-coredata:///<Entity>/t…` before the save, with an
        // empty host.
        #expect(temporary.absoluteString.hasPrefix("x-coredata:///Team/t"))
        try context.save()
        let uri = team.objectID.uriRepresentation()
        #expect(uri.absoluteString == "x-coredata://\(store.identifier!)/Team/p1")
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == team.objectID)
        for text in [
          temporary.absoluteString, "x-coredata://\(UUID().uuidString)/Team/p1",
          "x-coredata://\(store.identifier!)/Nothing/p1",
          "x-coredata://\(store.identifier!)/Team/p",
          "x-coredata://\(store.identifier!)/Team/t1", "https://example.org/Team/p1",
        ] {
          let url = try #require(URL(string: text))
          #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil, "\(text)")
        }
        // The coordinator does not look up the row.
        let absent = try #require(URL(string: "x-coredata://\(store.identifier!)/Team/p999"))
        #expect(coordinator.managedObjectID(forURIRepresentation: absent) != nil)
      }
    }
  }

  @Test("execute runs fetches and saves, and throws for other requests")
  func executing() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      stack.context.insert("Team", ["name": "Reds"])
      let empty = try stack.coordinator.execute(NSSaveChangesRequest(), with: stack.context)
      #expect((empty as? [Any])?.isEmpty == true)
      #expect(!stack.context.hasChanges)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      let found = try stack.coordinator.execute(request, with: stack.context) as? [NSManagedObject]
      #expect(found?.first?["name"] == "Reds")
      let error = #expect(throws: NSError.self) {
        try stack.coordinator.execute(NSPersistentStoreRequest(), with: stack.context)
      }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
  }

  @Test("perform runs in order on the coordinator's queue; performAndWait can be nested")
  func performing() async throws {
    let coordinator = coordinator()
    #expect(Self.orderOfFive(coordinator) == [1, 2, 3, 4, 5])
    let seven = await coordinator.perform { 7 }
    #expect(seven == 7)
    await #expect(throws: CocoaError.self) {
      try await coordinator.perform { throw CocoaError(.userCancelled) }
    }
  }

  private static func orderOfFive(_ coordinator: NSPersistentStoreCoordinator) -> [Int] {
    let box = Box()
    for number in 1...5 { coordinator.perform { box.add(number) } }
    return coordinator.performAndWait { coordinator.performAndWait { box.values } }
  }

  private final class Box: @unchecked Sendable {
    private(set) var values: [Int] = []
    func add(_ value: Int) { values.append(value) }
  }

  // Programs for Apple's platforms make such containers as placeholders, and tests as mocks; there, the error is logged,
  // too.
  @Test(
    "A container without a model of its name has no entities, and can open stores",
    arguments: ["", "No model has this name"])
  func withoutModel(_ name: String) throws {
    let container = NSPersistentContainer(name: name)
    #expect(container.managedObjectModel.entities.isEmpty)
    #expect(container.name == name)
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    #expect(failure == nil)
    let context = container.viewContext
    context.performAndWait {
      _ = #expect(throws: NSError.self) { try context.all("Pet") }
    }
  }

  @Test("A container without a model of its name does not migrate a store, and so removes nothing")
  func withoutModelOfStore() throws {
    try onEveryStore([.sqlite, .xml, .binary]) { kind, folder in
      let url = kind.url(in: folder)
      let opened = try kind.open(SampleStack.makeModel(), at: url)
      try opened.context.performAndWait {
        opened.context.insert("Team", ["name": "Reds"])
        try opened.context.save()
      }
      let container = NSPersistentContainer(name: "No model has this name")
      let description = NSPersistentStoreDescription(url: url)
      description.type = kind.type
      container.persistentStoreDescriptions = [description]
      var failure: (any Error)?
      container.loadPersistentStores { failure = $1 }
      #expect((failure as? NSError)?.code == NSPersistentStoreIncompatibleVersionHashError)
      let again = try kind.open(SampleStack.makeModel(), at: url).context
      #expect(try again.performAndWait { try again.all("Team").map { $0["name"] } } == ["Reds"])
    }
  }

  @Test(
    "A container opens each store once, retries failed ones, and calls the handler in order")
  func loading() throws {
    let folder = try TemporaryFolder()
    let container = NSPersistentContainer(name: "X", managedObjectModel: SampleStack.makeModel())
    let late = folder.file("later")
    // The second store's folder cannot be created where this file is.
    try Data().write(to: late)
    let descriptions = [
      NSPersistentStoreDescription(url: folder.file("a.sqlite")),
      NSPersistentStoreDescription(url: late.appendingPathComponent("b.xml")),
      NSPersistentStoreDescription(),
    ]
    descriptions[1].type = NSXMLStoreType
    descriptions[2].type = NSInMemoryStoreType
    container.persistentStoreDescriptions = descriptions
    let calls = Calls()
    container.loadPersistentStores { calls.add($0.type, $1 == nil) }
    #expect(calls.lines == ["SQLite true", "XML false", "InMemory true"])
    try FileManager.default.removeItem(at: late)
    container.loadPersistentStores { calls.add($0.type, $1 == nil) }
    #expect(calls.lines.dropFirst(3) == ["XML true"])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 3)
    // Source: Apple's page for NSPersistentStoreDescription. By default, migration and inferred
    // mappings are on, and the other options are off.
    #expect(descriptions[0].shouldMigrateStoreAutomatically)
    #expect(descriptions[0].shouldInferMappingModelAutomatically)
    #expect(!descriptions[0].shouldAddStoreAsynchronously)
    #expect(!descriptions[0].isReadOnly)
    #expect(container.newBackgroundContext().automaticallyMergesChangesFromParent == false)
  }

  @Test func `A container opens a store in memory again after its removal`() throws {
    let container = NSPersistentContainer(name: "X", managedObjectModel: SampleStack.makeModel())
    let coordinator = container.persistentStoreCoordinator
    container.persistentStoreDescriptions = (0..<3).map { _ in NSPersistentStoreDescription() }
    container.persistentStoreDescriptions[2].type = NSInMemoryStoreType
    let calls = Calls()
    container.loadPersistentStores { calls.add($0.type, $1 == nil) }
    for store in coordinator.persistentStores {
      try coordinator.remove(store)
      for _ in 1...2 { container.loadPersistentStores { calls.add($0.type, $1 == nil) } }
    }
    let lines = ["SQLite true", "SQLite true", "InMemory true"]
    #expect(calls.lines == lines + lines)
    #expect(coordinator.persistentStores.count == 3)
  }

  private final class Calls: @unchecked Sendable {
    private(set) var lines: [String] = []
    func add(_ type: String, _ isDone: Bool) { lines.append("\(type) \(isDone)") }
  }
}
