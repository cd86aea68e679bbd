import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Code in the schema that is not the model's does not run, or has limits, while the library works on the whole store.
///
/// Source: "Defense Against The Dark Arts" (sqlite.org/security.html).
@Suite("Foreign code in migrations, repairs, checks and writes of metadata")
struct ForeignCodeInMaintenanceTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = try UntrustedStore.make(in: folder)
  }

  /// Returns a store of 1,000 rows with an index whose expression the migration evaluates for the first time.
  private func storeWithIndex(
    _ expression: String, named name: String = "strange", kind: String = "INDEX"
  ) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.with(Self.oldModel) { context in
      for number in 0..<1_000 { context.insert("P", ["name": "P\(number)", "number": number]) }
    }
    let sql = "CREATE \(kind) \(name) ON ZP (ZNAME || "
    try PlainDatabase(store.url).execute(
      "\(sql)'x'); PRAGMA writable_schema = ON;"
        + " UPDATE sqlite_schema SET sql = '\(sql)\(expression))' WHERE name = '\(name)'")
    return store
  }

  private static let oldModel = "P: name string; number i64"
  /// The first model alters the table, and the second creates it again.
  private static let newModels = [
    "P: name string; number i64; more string", "P: name string; number i32",
  ]

  @Test(
    "A foreign index has a limit on what it writes during a migration, and the store remains as it was",
    arguments: zip(newModels, ["INDEX", "UNIQUE INDEX"]))
  func migration(_ model: String, _ kind: String) throws {
    let store = try storeWithIndex("hex(zeroblob(500000))", kind: kind)
    let error = #expect(throws: NSError.self) { try store.with(model) { _ in } }
    #expect(error?.code == NSPersistentStoreTimeoutError)
    #expect(error?.localizedDescription.contains("wrote too much") == true)
    let size = try FileManager.default.attributesOfItem(atPath: store.url.path)[.size] as? NSNumber
    #expect((size?.intValue ?? .max) < 1 << 20)
    let count = try store.with(Self.oldModel, migrates: false) { try $0.all("P").count }
    #expect(count == 1_000)
  }

  /// In Swift, a Z and a combining accent are one character.
  @Test(
    "A migration does not evaluate a foreign index with a name of Core Data",
    arguments: newModels, ["Z_strange", "Z\u{301}strange"])
  func migrationWithoutIndex(_ model: String, _ name: String) throws {
    let store = try storeWithIndex("hex(zeroblob(500000))", named: name)
    let count = try store.with(model) { try $0.all("P").count }
    #expect(count == 1_000)
    let names = try PlainDatabase(store.url).values(
      "SELECT name FROM sqlite_schema WHERE name LIKE '%strange'")
    #expect(names.isEmpty)
  }

  @Test("A migration keeps a small foreign index", arguments: newModels, ["INDEX", "UNIQUE INDEX"])
  func migrationWithIndex(_ model: String, _ kind: String) throws {
    let store = try storeWithIndex("\"ZNAME\"", kind: kind)
    let count = try store.with(model) { try $0.all("P").count }
    #expect(count == 1_000)
    let plain = try PlainDatabase(store.url)
    #expect(
      try plain.values("SELECT name FROM sqlite_schema WHERE type <> 'table' AND name = 'strange'")
        .count == 1)
    #expect(try plain.values("PRAGMA integrity_check").first?.first?.text == "ok")
    #expect(
      try plain.values("SELECT 1 FROM sqlite_schema WHERE name LIKE 'OpenCoreData%'").isEmpty)
  }

  /// Adds a trigger that marks all players and then runs for a very long time.
  private func addTrigger(on table: String, _ event: String = "UPDATE") throws {
    let database = try PlainDatabase(url)
    try database.execute(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000)"
        + " INSERT INTO ZTEAM (Z_ENT, Z_OPT) SELECT (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'), 1"
        + " FROM c")
    let tables = (0..<8).map { "ZTEAM t\($0)" }.joined(separator: ", ")
    try database.execute(
      "CREATE TRIGGER strange AFTER \(event) ON \(table) BEGIN UPDATE ZPLAYER SET ZNAME = 'strange';"
        + " UPDATE ZPLAYER SET ZNUMBER = (SELECT COUNT(*) FROM \(tables)); END")
  }

  private func names() throws -> [String?] {
    try PlainDatabase(url).values("SELECT ZNAME FROM ZPLAYER").map(\.first?.text)
  }

  @Test("A repair fires no foreign trigger")
  func repair() throws {
    try addTrigger(on: "Z_PRIMARYKEY")
    try PlainDatabase(url).execute("DROP TRIGGER strange; UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
    try addTrigger(on: "Z_PRIMARYKEY")
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
    #expect(
      found.isIntact && found.findings.contains { $0.kind == .keyCounter && $0.isRepaired },
      "\(found.findings)")
    #expect(try names() == ["Ann"])
  }

  @Test("A repair with triggers of the model limits the time of foreign triggers")
  func boundedRepair() throws {
    let model = SampleStack.makeModel()
    let upper = NSDerivedAttributeDescription()
    upper.name = "size"
    upper.attributeType = .integer64AttributeType
    upper.derivationExpression = NSExpression(format: "players.@count")
    model.entitiesByName["Team"]?.properties.append(upper)
    defer { withExtendedLifetime(model) {} }
    let other = folder.file("both.sqlite")
    let stack = try SampleStack(url: other, model: model)
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    let connection = try SQLiteConnection(path: other.path, mode: .readWrite, busyTimeout: 0.1)
    defer { connection.close() }
    let (schema, _) = try SQLiteStore.check(
      connection, other, model: ModelLayout.of(model), configuration: nil, StoreOptions())
    let plain = try PlainDatabase(other)
    try connection.execute(
      "INSERT INTO ZPLAYER (Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 'Ann');"
        + " INSERT INTO ZTEAM (Z_ENT, Z_OPT)"
        + " SELECT Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'")
    try plain.execute(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000)"
        + " INSERT INTO ZTAG (Z_ENT, Z_OPT) SELECT 1, 1 FROM c")
    let tables = (0..<8).map { "ZTAG t\($0)" }.joined(separator: ", ")
    try plain.execute(
      "CREATE TRIGGER strange AFTER UPDATE ON ZPLAYER BEGIN"
        + " UPDATE ZPLAYER SET ZNUMBER = (SELECT COUNT(*) FROM \(tables)); END")
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.restrainingForeignCode(besides: schema) {
          try connection.execute("UPDATE ZPLAYER SET ZNAME = 'Bob'")
        }
      }
    }
    #expect(error?.primaryCode == 9)  // SQLITE_INTERRUPT
    #expect(connection.clock == nil)
    // The model's own triggers run.
    try connection.execute("DROP TRIGGER strange")
    try connection.transaction {
      try connection.restrainingForeignCode(besides: schema) {
        try connection.execute("UPDATE ZPLAYER SET ZTEAM = 1")
      }
    }
    #expect(try connection.integer("SELECT ZSIZE FROM ZTEAM WHERE Z_PK = 1") == 1)
  }

  @Test("Writing metadata fires no triggers")
  func metadata() throws {
    for event in ["INSERT", "DELETE", "UPDATE"] {
      try PlainDatabase(url).execute("DROP TRIGGER IF EXISTS strange")
      try addTrigger(on: "Z_METADATA", event)
      var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: url)
      metadata["event"] = event
      try NSPersistentStoreCoordinator.setMetadata(
        metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: url)
      #expect(
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: NSSQLiteStoreType, at: url)["event"] as? String == event)
      // An open store writes its metadata without triggers, too.
      let stack = try SampleStack(url: url)
      let store = try #require(stack.coordinator.persistentStores.first)
      metadata["event"] = "open"
      stack.coordinator.setMetadata(metadata, for: store)
      try (store.engine as? SQLiteStore)?.saveMetadata()
      try stack.coordinator.remove(store)
    }
    #expect(try names() == ["Ann"])
  }

  @Test func `Checks that run slow code in the schema have a time limit`() throws {
    let plain = try PlainDatabase(url)
    try plain.execute(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000)"
        + " INSERT INTO ZTEAM (Z_ENT, Z_OPT) SELECT 1, 1 FROM c; PRAGMA writable_schema = ON;"
        + " UPDATE sqlite_schema SET sql = rtrim(sql, ' )')"
        + " || ', CHECK (length(hex(zeroblob(20000000 + Z_PK))) > 0) )' WHERE name = 'ZTEAM'")
    let connection = try SQLiteConnection(path: url.path, mode: .readWrite, busyTimeout: 0.1)
    defer { connection.close() }
    let error = #expect(throws: SQLiteError.self) {
      try connection.restrainingChecks {
        _ = try IntegrityCheck(connection: connection).problems()
      }
    }
    #expect(error?.primaryCode == 9)  // SQLITE_INTERRUPT
    #expect(connection.clock == nil)
  }
}
