import Testing

@testable import CoreData
@testable import SQLiteEngine

/// A file whose contents are replaced remains the same file. Only the UUID in it shows that its
/// rows are other objects now.
@Suite("A store whose file receives another store while it is open")
struct ReplacedContentTests {
  /// How another coordinator, unaware of the open store, puts another store into the file.
  enum Way: CaseIterable {
    case replaced, recreated

    func put(_ name: String, into url: URL, _ options: [AnyHashable: Any]) throws {
      let model = SampleStack.makeModel()
      switch self {
      case .replaced:
        let other = try EngineStore(options)
        try other.save(name)
        try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
          at: url, withPersistentStoreFrom: other.url, ofType: NSSQLiteStoreType)
      case .recreated:
        try NSPersistentStoreCoordinator(managedObjectModel: model).destroyPersistentStore(
          at: url, ofType: NSSQLiteStoreType)
        let (store, context) = try TestedStore.sqlite.open(model, at: url, options: options)
        try context.performAndWait {
          context.insert("Player", ["name": name])
          try context.save()
        }
        try context.persistentStoreCoordinator?.remove(store)
      }
    }
  }

  /// What the coordinator that has the file open does after the replacement.
  enum Action: CaseIterable {
    case update, insertion, deletion, batchUpdate, batchDeletion, batchInsertion, metadata, fetch
    case count, snapshot

    func run(_ opened: EngineStore, _ player: NSManagedObject) throws {
      let context = opened.context
      switch self {
      case .update:
        player.setValue("changed", forKey: "name")
        try context.save()
      case .insertion:
        context.insert("Player", ["name": "new"])
        try context.save()
      case .deletion:
        context.delete(player)
        try context.save()
      case .batchUpdate: try context.batchUpdate("Player", nil, ["name": "changed"])
      case .batchDeletion: try context.batchDelete("Player")
      case .batchInsertion: try context.batchInsert("Player", [["name": "new"]])
      case .metadata:
        let coordinator = try #require(context.persistentStoreCoordinator)
        coordinator.setMetadata(["mine": "changed"], for: coordinator.persistentStores[0])
        try context.save()
        try opened.store.saveMetadata()
      case .fetch: _ = try context.all("Player")
      case .count: _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player"))
      case .snapshot: _ = try opened.store.snapshot()
      }
    }
  }

  private func requireReplaced(_ action: String, _ body: () throws -> Void) {
    let error = #expect(throws: NSError.self, "\(action)") { try body() }
    #expect(error?.code == NSPersistentStoreOpenError, "\(action): \(String(describing: error))")
    #expect(error?.localizedDescription.contains("was replaced by another") == true, "\(action)")
  }

  @Test(
    "A coordinator that had the file open neither writes nor reads the other store",
    arguments: Way.allCases, ["WAL", "DELETE"])
  func replaced(_ way: Way, _ journal: String) throws {
    let options: [AnyHashable: Any] =
      journal == "WAL" ? [:] : [NSSQLitePragmasOption: ["journal_mode": journal]]
    for action in Action.allCases where action != .snapshot || journal == "WAL" {
      let opened = try EngineStore(options)
      try opened.save("Ann")
      let player = try #require(
        try opened.context.performAndWait { try opened.context.all("Player").first })
      try way.put("Other", into: opened.url, options)
      opened.context.performAndWait {
        requireReplaced("\(action)") { try action.run(opened, player) }
        opened.context.rollback()
        requireReplaced("\(action), then a fetch") { _ = try opened.context.all("Player") }
      }
      let plain = try PlainDatabase(opened.url)
      #expect(try plain.values("SELECT ZNAME FROM ZPLAYER") == [[.text("Other")]], "\(action)")
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: opened.url)
      #expect(metadata["mine"] == nil, "\(action)")
    }
  }

  @Test("Neither existing nor new reading connections read the other store")
  func readers() throws {
    let opened = try EngineStore()
    try opened.save("Ann")
    func count(_ connection: SQLiteConnection) throws -> Int64? {
      try connection.integer("SELECT COUNT(*) FROM ZPLAYER")
    }
    let pool = opened.store.pool
    try pool.read { first in
      #expect(try count(first) == 1)
      try Way.replaced.put("Other", into: opened.url, [:])
      requireReplaced("the existing reader") { _ = try count(first) }
      requireReplaced("a new reader") { try pool.read { _ = try count($0) } }
    }
    requireReplaced("a reader that was returned to the pool") {
      try pool.read { _ = try count($0) }
    }
  }

  @Test("A coordinator that changes the UUID of its own store continues to use it")
  func ownUUID() throws {
    let opened = try EngineStore()
    try opened.save("Ann")
    let coordinator = try #require(opened.context.persistentStoreCoordinator)
    let store = coordinator.persistentStores[0]
    var metadata = coordinator.metadata(for: store)
    for _ in 0..<2 {
      metadata[NSStoreUUIDKey] = UUID().uuidString
      coordinator.setMetadata(metadata, for: store)
      #expect(try opened.names() == ["Ann"])
      try opened.context.performAndWait { try opened.context.save() }
      try opened.store.saveMetadata()
      opened.context.performAndWait { opened.context.reset() }
      #expect(try opened.names() == ["Ann"])
    }
    try opened.save("Bob")
    #expect(try opened.names() == ["Ann", "Bob"])
  }

  @Test("A coordinator neither writes nor reads the store that replaced its named in-memory store")
  func named() throws {
    let url = TestedStore.newNamedURL()
    let model = SampleStack.makeModel()
    let (_, context) = try TestedStore.memorySQLite.open(model, at: url)
    let other = try EngineStore()
    try other.save("Other")
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann"])
      try context.save()
      try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
        at: url, withPersistentStoreFrom: other.url, ofType: NSSQLiteStoreType)
      player.setValue("changed", forKey: "name")
      requireReplaced("save") { try context.save() }
      requireReplaced("fetch") { _ = try context.all("Player") }
    }
    let (_, after) = try TestedStore.memorySQLite.open(model, at: url)
    let names = try after.performAndWait { try after.column("Player", "name") }
    #expect(names == ["Other"])
  }
}
