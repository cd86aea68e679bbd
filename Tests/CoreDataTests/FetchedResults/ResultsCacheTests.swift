import CoreDataTestSupport
import FixtureSupport
import Foundation
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Source: Apple's reference for NSFetchedResultsController, "Using Persistent Caching": a cache is kept between
/// launches by name; the controller compares it with the store, and recreates it if it is out of date.
@Suite("Caches of fetched results")
struct ResultsCacheTests {
  /// A store in a file, with a unique cache name.
  private final class Stack {
    let folder: URL
    let name: String
    let model: NSManagedObjectModel

    init(_ model: NSManagedObjectModel, name: String? = nil) throws {
      self.model = model
      self.name = name ?? "cache \(UUID().uuidString)"
      folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
      NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
      try? FileManager.default.removeItem(at: folder)
    }

    /// Returns a context with a new coordinator, as another launch of the program would have.
    func context(
      _ options: [String: Any] = [:], model: NSManagedObjectModel? = nil
    ) throws -> NSManagedObjectContext {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model ?? self.model)
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("Store.sqlite"), options: options)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }

    func controller(
      _ context: NSManagedObjectContext, batchSize: Int = 20, section: String? = "position",
      _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) -> NSFetchedResultsController<NSManagedObject> {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [
        NSSortDescriptor(key: "position", ascending: true),
        NSSortDescriptor(key: "name", ascending: false),
      ]
      request.fetchBatchSize = batchSize
      change(request)
      return NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
        cacheName: name)
    }

    /// Moves the time of a change that was just made into the past. A cache is used only if no other change can have
    /// the same time.
    func ageFile() throws {
      let path = folder.appendingPathComponent("Store.sqlite").path
      let files = FileManager.default
      let changed = try #require(
        try files.attributesOfItem(atPath: path)[.modificationDate] as? Date)
      if changed.timeIntervalSinceNow < -1 { return }
      try files.setAttributes(
        [.modificationDate: changed.addingTimeInterval(-10)], ofItemAtPath: path)
    }

    /// Returns the names by section, and the number of statements that read them.
    func fetch(
      _ context: NSManagedObjectContext, section: String? = "position",
      _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> (rows: [String: [String]], queries: Int) {
      try ageFile()
      let store = context.persistentStoreCoordinator?.persistentStores.first
      return try context.performAndWait {
        let controller = controller(context, section: section, change)
        let before = store?.queryCount ?? 0
        try controller.performFetch()
        let queries = (store?.queryCount ?? 0) - before
        var rows: [String: [String]] = [:]
        for section in controller.sections ?? [] {
          rows[section.name] = (section.objects ?? []).compactMap {
            ($0 as? NSManagedObject)?.value(forKey: "name") as? String
          }
        }
        return (rows, queries)
      }
    }

    func insert(_ names: [String], position: String, into context: NSManagedObjectContext) throws {
      try context.performAndWait {
        for name in names {
          let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
          player.setValue(name, forKey: "name")
          player.setValue(position, forKey: "position")
        }
        try context.save()
      }
    }
  }

  /// Returns a model of players, and of coaches with the same properties.
  ///
  /// - Parameter version: The version hash modifier of players.
  private static func model(version: String? = nil) -> NSManagedObjectModel {
    func attribute(_ name: String) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = ["Player", "Coach"].map { name in
      let entity = NSEntityDescription()
      entity.name = name
      entity.properties = [attribute("name"), attribute("position")]
      if name == "Player" { entity.versionHashModifier = version }
      return entity
    }
    return model
  }

  private func stack(name: String? = nil) throws -> Stack {
    let stack = try Stack(Self.model(), name: name)
    let context = try stack.context()
    try stack.insert(["Ann", "Bob", "Cy\0ril"], position: "A", into: context)
    try stack.insert(["Dora", "É"], position: "B", into: context)
    try stack.insert(["Eve"], position: "", into: context)
    return stack
  }

  private let expected = ["A": ["Cy\0ril", "Bob", "Ann"], "B": ["É", "Dora"], "": ["Eve"]]

  @Test("another launch reads the rows without a query")
  func survives() throws {
    let stack = try stack()
    let first = try stack.fetch(try stack.context())
    #expect(first.rows == expected)
    #expect(first.queries == 1)
    let second = try stack.fetch(try stack.context())
    #expect(second.rows == expected)
    #expect(second.queries == 0)
  }

  @Test("after any save, the rows are read and cached again")
  func outdated() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    try stack.insert(["Fay"], position: "B", into: try stack.context())
    var wanted = expected
    wanted["B"] = ["É", "Fay", "Dora"]
    let changed = try stack.fetch(try stack.context())
    #expect(changed.rows == wanted)
    #expect(changed.queries == 1)
    #expect(try stack.fetch(try stack.context()).queries == 0)
    // Another program's SQL does not change the version of a row.
    let database = try SQLiteConnection(
      path: stack.folder.appendingPathComponent("Store.sqlite").path, mode: .readWrite,
      busyTimeout: 1000)
    try database.execute("UPDATE ZPLAYER SET ZNAME = 'Zoe' WHERE ZNAME = 'Fay'")
    database.close()
    wanted["B"] = ["É", "Zoe", "Dora"]
    #expect(try stack.fetch(try stack.context()).rows == wanted)
  }

  @Test("a store without a write-ahead log has caches as well")
  func rollbackJournal() throws {
    let stack = try stack()
    let options: [String: Any] = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
    _ = try stack.fetch(try stack.context(options))
    #expect(try stack.fetch(try stack.context(options)).rows == expected)
    #expect(try stack.fetch(try stack.context(options)).queries == 0)
    let context = try stack.context(options)
    try stack.insert(["Fay"], position: "B", into: context)
    #expect(try stack.fetch(try stack.context(options)).rows["B"] == ["É", "Fay", "Dora"])
  }

  @Test("a request with another predicate, constant, order or section key does not use the cache")
  func otherRequests() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    let one = try stack.fetch(try stack.context()) {
      $0.predicate = NSPredicate(format: "name == %@", "Bob")
    }
    #expect(one.rows == ["A": ["Bob"]])
    #expect(one.queries == 1)
    let other = try stack.fetch(try stack.context()) {
      $0.predicate = NSPredicate(format: "name == %@", "Ann")
    }
    #expect(other.rows == ["A": ["Ann"]])
    let ascending = try stack.fetch(try stack.context()) {
      $0.sortDescriptors = [
        NSSortDescriptor(key: "position", ascending: true),
        NSSortDescriptor(key: "name", ascending: true),
      ]
    }
    #expect(ascending.rows["A"] == ["Ann", "Bob", "Cy\0ril"])
    func byName(_ request: NSFetchRequest<NSManagedObject>) {
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    }
    let names = try stack.fetch(try stack.context(), section: "name", byName)
    #expect(names.queries == 1)
    #expect(names.rows.count == 6 && names.rows["Bob"] == ["Bob"])
    // The same statement, with another section key.
    let none = try stack.fetch(try stack.context(), section: nil, byName)
    #expect(none.rows == ["": ["Ann", "Bob", "Cy\0ril", "Dora", "Eve", "É"]])
    let again = try stack.fetch(try stack.context(), section: "name", byName)
    #expect(again.rows == names.rows)
  }

  @Test("a request for another entity does not use the cache")
  func otherEntity() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    let coaches = try stack.fetch(try stack.context()) {
      $0.entity = stack.model.entitiesByName["Coach"]
    }
    #expect(coaches.rows.isEmpty)
    #expect(coaches.queries == 1)
    #expect(try stack.fetch(try stack.context()).rows == expected)
  }

  @Test(
    "results that depend on the time or on chance have no cache",
    arguments: [
      ("born.timeIntervalSinceNow < 0", false), ("random() >= 0", false),
      ("random == \"CoreDataRandom()\"", true), ("name == \"random strftime('now')\"", true),
      ("strftime == nil", true),
    ])
  func fleeting(_ condition: String, hasCache: Bool) throws {
    let model = Self.model()
    let player = try #require(model.entitiesByName["Player"])
    player.properties += [
      SampleStack.attribute("random", .stringAttributeType),
      SampleStack.attribute("strftime", .stringAttributeType),
      SampleStack.attribute("born", .dateAttributeType),
    ]
    let stack = try Stack(model)
    try stack.insert(["Ann"], position: "A", into: try stack.context())
    for round in 0..<2 {
      let found = try stack.fetch(try stack.context()) {
        $0.predicate = NSPredicate(format: condition)
      }
      #expect(found.queries == (hasCache && round == 1 ? 0 : 1))
    }
  }

  @Test("another version of the entity does not use the cache")
  func otherVersion() throws {
    let stack = try stack()
    var context: NSManagedObjectContext? = try stack.context()
    _ = try stack.fetch(try #require(context))
    let store = try #require(context?.persistentStoreCoordinator?.persistentStores.first)
    let file = CacheFile.url(stack.name, store: try #require(store.identifier))
    // Opening the store with another model may write to the file and so invalidate the cache anyway. Hence this also
    // checks that the cache contains the version hash.
    let hash = try #require(stack.model.entitiesByName["Player"]?.versionHash)
    #expect(try Data(contentsOf: file).range(of: hash) != nil)
    context = nil
    let model = Self.model(version: "2")
    let options = [NSIgnorePersistentStoreVersioningOption: true]
    let fetched = try stack.fetch(try stack.context(options, model: model))
    #expect(fetched.rows == expected)
    #expect(fetched.queries == 1)
    let other = try #require(model.entitiesByName["Player"]?.versionHash)
    #expect(other != hash)
    #expect(try Data(contentsOf: file).range(of: other) != nil)
  }

  @Test("results that read all objects neither write nor use a cache")
  func allObjects() throws {
    let stack = try stack()
    let context = try stack.context()
    let identifier = try #require(
      context.persistentStoreCoordinator?.persistentStores.first?.identifier)
    let file = CacheFile.url(stack.name, store: identifier)
    func whole(_ request: NSFetchRequest<NSManagedObject>) { request.fetchBatchSize = 0 }
    for _ in 0..<2 {
      let found = try stack.fetch(try stack.context(), whole)
      #expect(found.rows == expected)
      #expect(found.queries == 1)
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
    // With a limit and without a batch size, results do not retain objects, and have a cache.
    for queries in [1, 0] {
      let found = try stack.fetch(try stack.context()) {
        $0.fetchBatchSize = 0
        $0.fetchLimit = 3
      }
      #expect(found.rows == ["": ["Eve"], "A": ["Cy\0ril", "Bob"]])
      #expect(found.queries == queries)
      #expect(FileManager.default.fileExists(atPath: file.path))
    }
    // An existing cache is not used either.
    let found = try stack.fetch(try stack.context(), whole)
    #expect(found.rows == expected)
    #expect(found.queries == 1)
  }

  @Test("two stores have separate caches under one name")
  func twoStores() throws {
    let one = try stack()
    let two = try stack(name: one.name)
    try two.insert(["Fay"], position: "C", into: try two.context())
    var wanted = expected
    wanted["C"] = ["Fay"]
    for queries in [1, 0] {
      let (first, second) = (try one.fetch(try one.context()), try two.fetch(try two.context()))
      #expect(first.rows == expected && first.queries == queries)
      #expect(second.rows == wanted && second.queries == queries)
    }
  }

  @Test("results from a cache are updated like other results")
  func followed() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    try stack.ageFile()
    let context = try stack.context()
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    try context.performAndWait {
      let controller = stack.controller(context)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      let before = store.queryCount
      try controller.performFetch()
      #expect(store.queryCount == before)
      table.load(controller)
      func player(_ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try #require(try context.fetch(request).first)
      }
      let (bob, dora) = (try player("Bob"), try player("Dora"))
      bob.setValue("Zoe", forKey: "name")
      context.delete(dora)
      try context.save()
      // The rows by section were: "" Eve, "A" Cyril Bob Ann, "B" É Dora.
      #expect(table.calls == ["will", "-2.1", "1.1>1.0", "did"])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
    // Another context saves changes to objects that this context has never registered.
    let view = try stack.context()
    let id = try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "name == 'Eve'")
      return try #require(try context.fetch(request).first).objectID
    }
    _ = try stack.fetch(try stack.context())
    try stack.ageFile()
    try view.performAndWait {
      let controller = stack.controller(view)
      let delegate = CallRecorder()
      controller.delegate = delegate
      let viewStore = try #require(view.persistentStoreCoordinator?.persistentStores.first)
      let before = viewStore.queryCount
      try controller.performFetch()
      #expect(viewStore.queryCount == before)
      let own = try #require(
        view.persistentStoreCoordinator?.managedObjectID(
          forURIRepresentation: id.uriRepresentation()))
      try context.performAndWait {
        let eve = try context.existingObject(with: id)
        // The row gets a new version.
        eve.setValue("Eva", forKey: "name")
        try context.save()
      }
      #expect(view.registeredObject(for: own) == nil)
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectsKey: [own]], into: [view])
      #expect(delegate.calls == ["will", "update 0.0", "did"])
      #expect(
        controller.object(at: IndexPath(row: 0, section: 0)).value(forKey: "name") as? String
          == "Eva")
    }
  }

  private final class CallRecorder: NSFetchedResultsControllerDelegate {
    var calls: [String] = []

    func controllerWillChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { calls.append("will") }

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      let path = indexPath ?? newIndexPath ?? []
      calls.append("\(type) \(path.map(String.init).joined(separator: "."))")
    }

    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { calls.append("did") }
  }

  @Test("unsaved changes are in the results, and not in the cache")
  func unsaved() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    let context = try stack.context()
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      for player in try context.fetch(request) {
        switch player.value(forKey: "name") as? String {
        case "Bob": context.delete(player)
        case "Dora": player.setValue("A", forKey: "position")
        default: break
        }
      }
      let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
      player.setValue("Gil", forKey: "name")
      player.setValue("B", forKey: "position")
    }
    let found = try stack.fetch(context)
    #expect(found.rows == ["A": ["Dora", "Cy\0ril", "Ann"], "B": ["É", "Gil"], "": ["Eve"]])
    #expect(found.queries == 0)
    #expect(try stack.fetch(try stack.context()).rows == expected)
  }

  @Test("a truncated or altered cache is ignored")
  func damaged() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    let context = try stack.context()
    let identifier = try #require(
      context.persistentStoreCoordinator?.persistentStores.first?.identifier)
    let file = CacheFile.url(stack.name, store: identifier)
    let whole = try Data(contentsOf: file)
    for place in stride(from: 0, to: whole.count, by: 7) {
      var bytes = whole
      bytes[place] ^= 0x41
      for (content, text) in [(bytes, "byte \(place)"), (whole.prefix(place), "cut at \(place)")] {
        try content.write(to: file)
        let found = try stack.fetch(try stack.context())
        #expect(found.rows == expected && found.queries == 1, "\(text)")
      }
    }
    // The undamaged cache is used.
    try whole.write(to: file)
    #expect(try stack.fetch(try stack.context()).queries == 0)
  }

  @Test("deleteCache deletes only the cache of that name")
  func deletion() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    NSFetchedResultsController<NSManagedObject>.deleteCache(withName: "another")
    #expect(try stack.fetch(try stack.context()).queries == 0)
    NSFetchedResultsController<NSManagedObject>.deleteCache(withName: stack.name)
    #expect(try stack.fetch(try stack.context()).queries == 1)
  }

  @Test("deleteCache without a name deletes all caches of the program, and no other program's")
  func allDeleted() async {
    // The test runs in a process with another name, so that it does not delete the caches of concurrent tests.
    await #expect(processExitsWith: .success) {
      let names = (1...2).map { _ in "another program \(UUID().uuidString)" }
      ProcessInfo.processInfo.processName = names[1]
      let foreign = try Self().stack()
      _ = try foreign.fetch(try foreign.context())
      ProcessInfo.processInfo.processName = names[0]
      let (one, two) = (try Self().stack(), try Self().stack())
      for queries in [1, 0] {
        for stack in [one, two] {
          let found = try stack.fetch(try stack.context()).queries
          if found != queries { exit(Int32(2 + found)) }
        }
      }
      NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
      for stack in [one, two] where try stack.fetch(try stack.context()).queries != 1 { exit(9) }
      ProcessInfo.processInfo.processName = names[1]
      if try foreign.fetch(try foreign.context()).queries != 0 { exit(11) }
      NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
      ProcessInfo.processInfo.processName = names[0]
      let folder = CacheFile.url(one.name, store: "").deletingLastPathComponent()
      NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
      if FileManager.default.fileExists(atPath: folder.deletingLastPathComponent().path) {
        exit(10)
      }
    }
  }

  @Test(
    "any text can be a name",
    arguments: ["", "../../etc", "a/b", "é", String(repeating: "x", count: 400)])
  func names(_ name: String) {
    let url = CacheFile.url(name, store: "store").standardizedFileURL
    #expect(url.lastPathComponent == "store.results")
    #expect(url.deletingLastPathComponent().lastPathComponent.utf8.count < 200)
    #expect(url.path.contains("CoreData/FetchedResults"))
    #expect(url != CacheFile.url(name + "x", store: "store").standardizedFileURL)
  }
}
