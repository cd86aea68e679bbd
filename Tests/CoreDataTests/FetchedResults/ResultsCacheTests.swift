import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// Apple: NSFetchedResultsController's reference, "Using Persistent Caching": a cache is kept between
/// launches by name; the controller compares it with the store, and makes it anew where it is out of date.
@Suite("Caches of fetched results")
struct ResultsCacheTests {
  /// A store in a file, with a cache's name of its own.
  private final class Stack {
    let folder: URL
    let name = "cache \(UUID().uuidString)"
    let model: NSManagedObjectModel

    init(_ model: NSManagedObjectModel) throws {
      self.model = model
      folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
      NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
      try? FileManager.default.removeItem(at: folder)
    }

    /// As a program that was started anew.
    func context(_ options: [String: Any] = [:]) throws -> NSManagedObjectContext {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("Store.sqlite"), options: options)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }

    func controller(
      _ context: NSManagedObjectContext, batchSize: Int = 20,
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
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "position",
        cacheName: name)
    }

    /// The sections and the names in them, and how many statements read them.
    func fetch(
      _ context: NSManagedObjectContext,
      _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> (rows: [String: [String]], queries: Int) {
      // The file's time must be past: its state can then be told from one a moment later.
      Thread.sleep(forTimeInterval: 0.03)
      let store = context.persistentStoreCoordinator?.persistentStores.first
      return try context.performAndWait {
        let controller = controller(context, change)
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

  private func stack() throws -> Stack {
    let player = NSEntityDescription()
    player.name = "Player"
    func attribute(_ name: String) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      return attribute
    }
    player.properties = [attribute("name"), attribute("position")]
    let model = NSManagedObjectModel()
    model.entities = [player]
    let stack = try Stack(model)
    let context = try stack.context()
    try stack.insert(["Ann", "Bob", "Cy\0ril"], position: "A", into: context)
    try stack.insert(["Dora", "É"], position: "B", into: context)
    try stack.insert(["Eve"], position: "", into: context)
    return stack
  }

  private let expected = ["A": ["Cy\0ril", "Bob", "Ann"], "B": ["É", "Dora"], "": ["Eve"]]

  @Test("a second program finds the rows without a query")
  func survives() throws {
    let stack = try stack()
    let first = try stack.fetch(try stack.context())
    #expect(first.rows == expected)
    #expect(first.queries == 1)
    let second = try stack.fetch(try stack.context())
    #expect(second.rows == expected)
    #expect(second.queries == 0)
  }

  @Test("after a save by anybody the rows are read again, and kept again")
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
    // Another program's SQL, which no version of a row tells of.
    let database = try SQLiteConnection(
      path: stack.folder.appendingPathComponent("Store.sqlite").path, mode: .readWrite,
      busyTimeout: 1000)
    try database.execute("UPDATE ZPLAYER SET ZNAME = 'Zoe' WHERE ZNAME = 'Fay'")
    database.close()
    wanted["B"] = ["É", "Zoe", "Dora"]
    #expect(try stack.fetch(try stack.context()).rows == wanted)
  }

  @Test("a store without a write-ahead log has caches too")
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

  @Test("another predicate, order, section key or batch of parameters has no use for it")
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
  }

  @Test("unsaved changes show, and are not kept")
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

  @Test("a cache that is cut or changed anywhere is read as none")
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
      try bytes.write(to: file)
      #expect(try stack.fetch(try stack.context()).rows == expected, "byte \(place)")
      try whole.prefix(place).write(to: file)
      #expect(try stack.fetch(try stack.context()).rows == expected, "cut at \(place)")
    }
  }

  @Test("caches are deleted by name, and all of a program's for nil")
  func deletion() throws {
    let stack = try stack()
    _ = try stack.fetch(try stack.context())
    NSFetchedResultsController<NSManagedObject>.deleteCache(withName: "another")
    #expect(try stack.fetch(try stack.context()).queries == 0)
    NSFetchedResultsController<NSManagedObject>.deleteCache(withName: stack.name)
    #expect(try stack.fetch(try stack.context()).queries == 1)
  }

  @Test(
    "any text is a name",
    arguments: ["", "../../etc", "a/b", "é", String(repeating: "x", count: 400)])
  func names(_ name: String) {
    let url = CacheFile.url(name, store: "store").standardizedFileURL
    #expect(url.lastPathComponent == "store.results")
    #expect(url.deletingLastPathComponent().lastPathComponent.utf8.count < 200)
    #expect(url.path.contains("CoreData/FetchedResults"))
    #expect(url != CacheFile.url(name + "x", store: "store").standardizedFileURL)
  }
}
