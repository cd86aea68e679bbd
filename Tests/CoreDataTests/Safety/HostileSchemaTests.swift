import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Tables that are not as Core Data makes them are rejected, and no store connection can change the schema.
///
/// Source: "Defense Against The Dark Arts" (sqlite.org/security.html).
@Suite("Hostile schemas")
struct HostileSchemaTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = try UntrustedStore.make(in: folder)
  }

  @Test("A view in place of a table is rejected")
  func view() throws {
    try PlainDatabase(url).execute(
      "ALTER TABLE ZPLAYER RENAME TO hidden; CREATE VIEW ZPLAYER AS SELECT * FROM hidden")
    #expect(
      try UntrustedStore.refusal(at: url)?.localizedDescription.contains("table ZPLAYER") == true)
  }

  @Test("Computed columns and tables with a CHECK are rejected")
  func computed() throws {
    let bytes = try Data(contentsOf: url)
    try PlainDatabase(url).execute(
      "ALTER TABLE ZPLAYER ADD COLUMN ZMORE AS (hex(zeroblob(400000000)))")
    #expect(
      try UntrustedStore.refusal(at: url)?.localizedDescription.contains(
        "ZPLAYER.ZMORE is a generated column") == true)
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
    try bytes.write(to: url)
    try PlainDatabase(url).execute(
      "ALTER TABLE ZTEAM ADD COLUMN ZMORE CHECK (length(hex(zeroblob(400000000))) > 1)")
    #expect(
      try UntrustedStore.refusal(at: url)?.localizedDescription.contains("table ZTEAM has a CHECK")
        == true)
  }

  @Test(
    "A CHECK is distinguished from names that contain the word",
    arguments: [
      ("CREATE TABLE ZA (ZB INTEGER CHECK (ZB > 1))", true),
      ("CREATE TABLE ZA (ZB INTEGER, check(ZB > 1))", true),
      ("CREATE TABLE ZA (ZCHECK INTEGER, \"CHECK\" INTEGER, [check] TEXT)", false),
      ("CREATE TABLE ZCHECK (ZA INTEGER /* CHECK */, ZB TEXT DEFAULT 'check')", false),
      ("CREATE TABLE ZA (ZB INTEGER -- CHECK\n)", false),
    ])
  func words(_ sql: String, _ isCheck: Bool) {
    #expect(SchemaWords.bare(in: sql).contains("CHECK") == isCheck)
  }

  @Test(
    "A view, a virtual table, a CHECK or a computed column in place of a table of the history is rejected",
    arguments: [
      "CREATE VIEW ATRANSACTION AS SELECT 1 AS Z_PK, 2 AS ZTIMESTAMP",
      "CREATE VIRTUAL TABLE ACHANGE USING fts5(Z_PK, ZTRANSACTIONID)",
      "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZENTITY CHECK (ZENTITY > 0))",
      "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, ZNAME AS (Z_PK || 'x'))",
    ])
  func historyTables(_ sql: String) throws {
    try PlainDatabase(url).execute(sql)
    #expect(try UntrustedStore.refusal(at: url)?.code == NSFileReadCorruptFileError)
  }

  @Test func `Named stores in memory limit foreign triggers and reject a CHECK`() throws {
    let memory = URL(fileURLWithPath: "/dev/null/\(UUID().uuidString)")
    func replace() throws {
      try NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
        .replacePersistentStore(
          at: memory, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    }
    let plain = try PlainDatabase(url)
    try plain.execute("CREATE TRIGGER strange AFTER UPDATE ON ZPLAYER BEGIN SELECT 1; END")
    try replace()
    let stack = try SampleStack(url: memory)
    let store = try #require(stack.coordinator.persistentStores.first)
    let engine = try #require(store.engine as? SQLiteStore)
    #expect(try engine.pool.write { $0.clock != nil })
    try stack.coordinator.remove(store)
    try plain.execute("ALTER TABLE ZTEAM ADD COLUMN ZMORE CHECK (ZMORE IS NULL)")
    try replace()
    let error = #expect(throws: NSError.self) { try SampleStack(url: memory) }
    #expect(error?.localizedDescription.contains("table ZTEAM has a CHECK") == true)
  }

  @Test(
    "Only an R-tree of the model makes triggers trusted",
    arguments: [false, true])
  func trust(_ isOfModel: Bool) throws {
    let model = SampleStack.makeModel()
    if isOfModel { try UntrustedStore.addPlaces(to: model) }
    let other = folder.file("tree.sqlite")
    func writer() throws -> Bool {
      try UntrustedStore.withWriter(of: other, model) { connection in
        let flag = try connection.integer("PRAGMA trusted_schema")
        #expect((flag == 1) == connection.allowsIndexTriggers)
        return connection.allowsIndexTriggers
      }
    }
    #expect(try writer() == isOfModel)
    if !isOfModel {
      try PlainDatabase(other).execute(
        "CREATE VIRTUAL TABLE Z_RT_Team_place USING RTREE (Z_PK INTEGER PRIMARY KEY, a, b)")
    }
    #expect(try writer() == isOfModel)
  }

  /// Source: SQLITE_DBCONFIG_DEFENSIVE (sqlite.org/c3ref/c_dbconfig_defensive.html): it makes the
  /// pragma ineffective.
  @Test("No connection of a store can write the schema, even with PRAGMA writable_schema")
  func schema() throws {
    // Without a write-ahead log, all data is in the store's file.
    let opened = try EngineStore([NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    try opened.save("Ann")
    let before = try Data(contentsOf: opened.url)
    let allow = "PRAGMA writable_schema = ON"
    let change = "UPDATE sqlite_schema SET sql = 'CREATE TABLE ZTEAM (Z_PK)' WHERE name = 'ZTEAM'"
    func refusal(_ connection: SQLiteConnection) throws -> String? {
      try connection.execute(allow)
      do {
        try connection.execute(change)
        return nil
      } catch let error as SQLiteError {
        return error.message
      }
    }
    let written = try opened.store.pool.write(refusal)
    let read = try opened.store.pool.read(refusal)
    #expect(written?.contains("may not be modified") == true, "\(written ?? "nothing was thrown")")
    #expect(read?.contains("may not be modified") == true, "\(read ?? "nothing was thrown")")
    #expect(try Data(contentsOf: opened.url) == before)
    try opened.save("Bob")
    #expect(try opened.names() == ["Ann", "Bob"])
    // A connection that is not the store's can write the schema, so it is the defensive mode that protects it.
    let whole = try Data(contentsOf: opened.url)
    try PlainDatabase(opened.url).execute("\(allow); \(change)")
    #expect(try Data(contentsOf: opened.url) != whole)
  }
}
