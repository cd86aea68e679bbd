import Testing

@testable import CoreData
@testable import SQLiteEngine

/// A file whose content is replaced stays the same file: only the UUID in it tells that its rows are
/// other objects now.
@Suite("A store's file that gets another store while it is open")
struct ReplacedContentTests {
  /// How another store comes into the file, by a coordinator that knows of nobody else.
  enum Way: CaseIterable {
    case replaced, madeAnew

    func put(_ name: String, into url: URL, _ options: [AnyHashable: Any]) throws {
      let model = SampleStack.makeModel()
      switch self {
      case .replaced:
        let other = try EngineStore(options)
        try other.save(name)
        try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
          at: url, withPersistentStoreFrom: other.url, ofType: NSSQLiteStoreType)
      case .madeAnew:
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

  /// What the coordinator does afterwards that had the file open.
  enum Deed: CaseIterable {
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

  private func requireReplaced(_ deed: String, _ body: () throws -> Void) {
    let error = #expect(throws: NSError.self, "\(deed)") { try body() }
    #expect(error?.code == NSPersistentStoreOpenError, "\(deed): \(String(describing: error))")
    #expect(error?.localizedDescription.contains("was replaced by another") == true, "\(deed)")
  }

  @Test(
    "is neither written nor read by who had it open", arguments: Way.allCases, ["WAL", "DELETE"])
  func replaced(_ way: Way, _ journal: String) throws {
    let options: [AnyHashable: Any] =
      journal == "WAL" ? [:] : [NSSQLitePragmasOption: ["journal_mode": journal]]
    for deed in Deed.allCases where deed != .snapshot || journal == "WAL" {
      let opened = try EngineStore(options)
      try opened.save("Ann")
      let player = try #require(
        try opened.context.performAndWait { try opened.context.all("Player").first })
      try way.put("Other", into: opened.url, options)
      opened.context.performAndWait {
        requireReplaced("\(deed)") { try deed.run(opened, player) }
        opened.context.rollback()
        requireReplaced("\(deed), then a fetch") { _ = try opened.context.all("Player") }
      }
      let plain = try PlainDatabase(opened.url)
      #expect(try plain.values("SELECT ZNAME FROM ZPLAYER") == [[.text("Other")]], "\(deed)")
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: opened.url)
      #expect(metadata["mine"] == nil, "\(deed)")
    }
  }

  @Test("is not read by several readers at once, nor by new ones")
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
      requireReplaced("the reader that was there") { _ = try count(first) }
      requireReplaced("a new reader") { try pool.read { _ = try count($0) } }
    }
    requireReplaced("a reader that was given back") { try pool.read { _ = try count($0) } }
  }

  @Test("is the same store where its UUID was changed by who has it open")
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

  @Test("in memory is neither written nor read, where it has a name")
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
