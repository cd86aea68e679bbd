import Testing

@testable import CoreData
@testable import SQLiteEngine

/// A store from an untrusted source runs no code and uses bounded memory.
///
/// Source: "Defense Against The Dark Arts" (sqlite.org/security.html).
@Suite("Stores from untrusted sources")
struct UntrustedStoreTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      stack.context.insert("Player", ["name": "Ann"])
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  private func refusal() throws -> NSError? {
    let error = #expect(throws: NSError.self) { try SampleStack(url: url) }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.localizedDescription.contains(url.path) == true)
    return error
  }

  @Test("An endless trigger fails the save instead of blocking it")
  func endlessTrigger() throws {
    try PlainDatabase(url).execute(
      "CREATE TRIGGER strange AFTER UPDATE ON ZPLAYER BEGIN UPDATE ZTEAM SET ZNAME ="
        + " (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        + " SELECT COUNT(*) FROM c); END")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      let player = try #require(try stack.context.all("Player").first)
      player["name"] = "Bob"
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.localizedDescription.contains("not authorized") == true)
    }
  }

  @Test(
    "A slow trigger fails the save, whatever its name",
    arguments: ["strange", "Z_DA_ZPLAYER_Player_name_SOURCE_UPDATE"])
  func lastingTrigger(_ name: String) throws {
    let database = try PlainDatabase(url)
    try database.execute(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000)"
        + " INSERT INTO ZTEAM (Z_ENT, Z_OPT) SELECT 1, 1 FROM c")
    let tables = (0..<8).map { "ZTEAM t\($0)" }.joined(separator: ", ")
    try database.execute(
      "CREATE TRIGGER \(name) AFTER UPDATE ON ZPLAYER WHEN NEW.ZNAME = 'Bob' BEGIN"
        + " UPDATE ZPLAYER SET ZNUMBER = (SELECT COUNT(*) FROM \(tables)); END")
    let (_, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: url, options: [NSPersistentStoreTimeoutOption: 0.1 as NSNumber])
    try context.performAndWait {
      let player = try #require(try context.all("Player").first)
      for _ in 0..<2 {
        player["name"] = "Bob"
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreTimeoutError)
        #expect(error?.localizedDescription.contains(url.path) == true)
        // Later saves succeed.
        player["name"] = "Carl"
        try context.save()
      }
      let error = #expect(throws: NSError.self) {
        try context.batchUpdate("Player", nil, ["name": "Bob"])
      }
      #expect(error?.code == NSPersistentStoreTimeoutError)
    }
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

  @Test("Triggers of the model have no time limit")
  func ownTriggers() throws {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    let count = NSDerivedAttributeDescription()
    count.name = "playerCount"
    count.attributeType = .integer64AttributeType
    count.derivationExpression = NSExpression(format: "players.@count")
    team.properties += [count] + ["x", "y"].map { SampleStack.attribute($0, .doubleAttributeType) }
    team.indexes = [
      NSFetchIndexDescription(
        name: "place",
        elements: ["x", "y"].map {
          NSFetchIndexElementDescription(
            property: team.propertiesByName[$0] ?? NSPropertyDescription(), collationType: .rTree)
        })
    ]
    let other = folder.file("own.sqlite")
    func isBounded() throws -> Bool {
      let stack = try SampleStack(url: other, model: model)
      let store = try #require(stack.coordinator.persistentStores.first)
      let engine = try #require(store.engine as? SQLiteStore)
      defer { try? stack.coordinator.remove(store) }
      return try engine.pool.write { $0.clock != nil }
    }
    #expect(try !isBounded())
    #expect(try !isBounded())
    let database = try PlainDatabase(other)
    #expect(try database.values("SELECT 1 FROM sqlite_schema WHERE type = 'trigger'").count > 3)
    try database.execute("CREATE TRIGGER a AFTER UPDATE ON ZTEAM BEGIN SELECT 1; END")
    #expect(try isBounded())
  }

  @Test(
    "Only an R-tree of the model makes triggers trusted",
    arguments: [false, true])
  func trust(_ isOfModel: Bool) throws {
    let model = SampleStack.makeModel()
    if isOfModel {
      let team = try #require(model.entitiesByName["Team"])
      team.properties += ["x", "y"].map { SampleStack.attribute($0, .doubleAttributeType) }
      team.indexes = [
        NSFetchIndexDescription(
          name: "place",
          elements: ["x", "y"].map {
            NSFetchIndexElementDescription(
              property: team.propertiesByName[$0] ?? NSPropertyDescription(), collationType: .rTree)
          })
      ]
    }
    let other = folder.file("tree.sqlite")
    func writer() throws -> Bool {
      let stack = try SampleStack(url: other, model: model)
      let store = try #require(stack.coordinator.persistentStores.first)
      let engine = try #require(store.engine as? SQLiteStore)
      let trusts = try engine.pool.write { connection in
        let flag = try connection.integer("PRAGMA trusted_schema")
        #expect((flag == 1) == connection.allowsIndexTriggers)
        return connection.allowsIndexTriggers
      }
      try stack.coordinator.remove(store)
      return trusts
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

  @Test("A view in place of a table is rejected")
  func view() throws {
    try PlainDatabase(url).execute(
      "ALTER TABLE ZPLAYER RENAME TO hidden; CREATE VIEW ZPLAYER AS SELECT * FROM hidden")
    #expect(try refusal()?.localizedDescription.contains("table ZPLAYER") == true)
  }

  @Test("Computed columns and tables with a CHECK are rejected")
  func computed() throws {
    let bytes = try Data(contentsOf: url)
    try PlainDatabase(url).execute(
      "ALTER TABLE ZPLAYER ADD COLUMN ZMORE AS (hex(zeroblob(400000000)))")
    #expect(
      try refusal()?.localizedDescription.contains("ZPLAYER.ZMORE is a generated column") == true)
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
    try bytes.write(to: url)
    try PlainDatabase(url).execute(
      "ALTER TABLE ZTEAM ADD COLUMN ZMORE CHECK (length(hex(zeroblob(400000000))) > 1)")
    #expect(try refusal()?.localizedDescription.contains("table ZTEAM has a CHECK") == true)
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

  @Test("Oversized metadata and models are not read into memory")
  func sizes() throws {
    try PlainDatabase(url).execute("UPDATE Z_METADATA SET Z_PLIST = zeroblob(70000000)")
    #expect(try refusal()?.localizedDescription.contains("has 70000000 bytes") == true)
    try PlainDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = zeroblob(70000000)")
    let error = #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url)
    }
    #expect(error?.code == NSFileReadCorruptFileError)
  }

  @Test("A value computed by the schema has a size limit")
  func valueSizes() throws {
    try PlainDatabase(url).execute(
      "CREATE TRIGGER strange AFTER UPDATE ON ZPLAYER BEGIN"
        + " UPDATE ZTEAM SET ZNAME = hex(zeroblob(400000000)); END")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      stack.context.insert("Team")
      try stack.context.save()
      let player = try #require(try stack.context.all("Player").first)
      player["name"] = "Bob"
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.localizedDescription.contains("too big") == true)
    }
  }

  @Test("Foreign triggers have a limit on what they write during one save")
  func writtenBytes() throws {
    // The trigger writes 100 MB for each row in a moment.
    try PlainDatabase(url).execute(
      "CREATE TRIGGER strange AFTER UPDATE ON ZPLAYER BEGIN"
        + " INSERT INTO ZTEAM (Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, hex(zeroblob(50000000))); END")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      for _ in 0..<40 { stack.context.insert("Player") }
      try stack.context.save()
      for player in try stack.context.all("Player") { player["name"] = "Bob" }
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSPersistentStoreTimeoutError)
      #expect(error?.localizedDescription.contains("wrote too much") == true)
      stack.context.rollback()
      // Nothing that the trigger wrote is stored, and the program's own values do not count toward the limit.
      let team = stack.context.insert("Team")
      team["name"] = String(repeating: "x", count: 1_000_000)
      try stack.context.save()
      #expect(
        try stack.context.all("Team").allSatisfy {
          ($0.value(forKey: "name") as? String)?.count ?? 0 <= 1_000_000
        })
    }
    let sizes = ["", "-wal"].map { suffix in
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
      return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    #expect(sizes.reduce(0, +) < 1 << 30)
  }

  @Test(
    "Foreign indexes and default values have a limit on what they write during one save",
    arguments: [
      // The default of a new column cannot be computed, so the table's text is changed.
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
        + " rtrim(sql, ' )') || ', ZMORE DEFAULT (hex(zeroblob(50000000))) )' WHERE name = 'ZPLAYER'",
      "CREATE INDEX strange ON ZPLAYER (CASE ZNAME WHEN 'Bob' THEN hex(zeroblob(50000000)) END)",
    ])
  func writtenBytes(_ sql: String) throws {
    try PlainDatabase(url).execute(sql)
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings
    #expect(found.map(\.kind) == [.foreignCode])
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      for _ in 0..<40 { stack.context.insert("Player", ["name": "Bob"]) }
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSPersistentStoreTimeoutError)
      #expect(error?.localizedDescription.contains("wrote too much") == true)
      stack.context.rollback()
      stack.context.insert("Team", ["name": "Reds"])
      try stack.context.save()
    }
  }

  @Test func `Small default values and indexes of columns are not limited`() throws {
    try PlainDatabase(url).execute(
      "ALTER TABLE ZPLAYER ADD COLUMN ZMORE INTEGER DEFAULT -1;"
        + " ALTER TABLE ZPLAYER ADD COLUMN ZWHERE VARCHAR DEFAULT 'none';"
        + " CREATE INDEX other ON ZPLAYER (ZWHERE COLLATE BINARY ASC, ZNAME)")
    let connection = try SQLiteConnection(path: url.path, mode: .readWrite, busyTimeout: 0.1)
    defer { connection.close() }
    #expect(try SchemaCode.all(on: connection).isEmpty)
  }

  @Test func `Indexes of the model have no time limit, and others have one`() throws {
    let model = SampleStack.makeModel()
    let element = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
    let index = NSFetchIndexDescription(name: "byName", elements: [element])
    index.partialIndexPredicate = NSPredicate(format: "name != nil")
    model.entitiesByName["Team"]?.indexes = [index]
    let other = folder.file("indexes.sqlite")
    func isBounded() throws -> Bool {
      let stack = try SampleStack(url: other, model: model)
      let store = try #require(stack.coordinator.persistentStores.first)
      let engine = try #require(store.engine as? SQLiteStore)
      defer { try? stack.coordinator.remove(store) }
      return try engine.pool.write { $0.clock != nil }
    }
    #expect(try !isBounded())
    #expect(try !isBounded())
    let plain = try PlainDatabase(other)
    #expect(
      try plain.values("SELECT 1 FROM sqlite_schema WHERE sql LIKE 'CREATE INDEX%WHERE%'").count
        == 1)
    try plain.execute("CREATE INDEX strange ON ZTEAM (ZNAME) WHERE ZNAME LIKE 'a%'")
    #expect(try isBounded())
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
    #expect(try refusal()?.code == NSFileReadCorruptFileError)
  }

  @Test(
    "A key counter at the upper end of the number range fails the save, and one at the lower end is ignored",
    arguments: [
      "9223372036854775807", "9223372036854775806", "-9223372036854775808",
    ])
  func keys(_ counter: String) throws {
    try PlainDatabase(url).execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter)")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      for _ in 0..<3 { stack.context.insert("Player") }
      // A counter that is lower than the existing keys is ignored.
      if counter.hasPrefix("-") { return try stack.context.save() }
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSFileReadCorruptFileError)
      #expect(error?.localizedDescription.contains("no keys left for Player") == true)
    }
  }

  @Test(
    "History counters at the end of the number range fail the save",
    arguments: [16_001, 16_002, 16_003], [Int64.max, Int64.max - 1])
  func historyNumbers(_ entity: Int, _ counter: Int64) throws {
    let url = folder.file("history.sqlite")
    try HistoryStack(url).close()
    try PlainDatabase(url).execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter) WHERE Z_ENT = \(entity)")
    let stack = try HistoryStack(url)
    stack.context.insert("Player")
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSFileReadCorruptFileError)
  }

  @Test("A batch deletion nullifies the reference of a row with a wrong entity number")
  func wrongEntity() throws {
    let store = try MigratedStore(history: true)
    let text =
      "Owner: name string; subs ->> Sub.owner\nBase: a string\nSub < Base: b string; owner -> Owner.subs"
    try store.with(text) { context in
      let owner = context.insert("Owner", ["name": "Ann"])
      context.insert("Sub", ["a": "x", "owner": owner])
    }
    try PlainDatabase(store.url).execute(
      "UPDATE ZBASE SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Base')")
    try store.with(text) { context in
      try context.execute(
        NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Owner")))
      let count = try context.all("Base").count
      #expect(count == 1)
    }
    #expect(
      try PlainDatabase(store.url).values("SELECT ZOWNER IS NULL FROM ZBASE")[0][0].integer == 1)
  }

  @Test("Order numbers at either end of the number range are renumbered")
  func places() throws {
    #expect(OrderNumbers.assign([.max, nil]) == [2048, 3072])
    #expect(OrderNumbers.assign([nil, .min]) == [2048, 3072])
    #expect(OrderNumbers.assign([.min, nil, .max]) == [2048, 3072, 4096])
  }

  @Test("An archive with a class that is not allowed is returned as bytes")
  func archive() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("value", .transformableAttributeType))
    let other = folder.file("archive.sqlite")
    let stack = try SampleStack(url: other, model: model)
    try stack.context.performAndWait {
      stack.context.insert("Team", ["name": "Reds", "value": ["a", "b"] as NSArray])
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    let plain = try PlainDatabase(other)
    var data = try #require(try plain.values("SELECT ZVALUE FROM ZTEAM")[0][0].blob)
    // The names have the same length, so that the archive remains valid.
    while let place = data.range(of: Data("NSArray".utf8)) {
      data.replaceSubrange(place, with: Data("Process".utf8))
    }
    let text = data.map { String(format: "%02x", $0) }.joined()
    try plain.execute("UPDATE ZTEAM SET ZVALUE = x'\(text)'")
    let again = try SampleStack(url: other, model: model)
    try again.context.performAndWait {
      let team = try #require(try again.context.all("Team").first)
      // The bytes are returned unchanged, and no object was made from them.
      #expect(team.value(forKey: "value") as? Data == data)
      #expect(team["name"] == "Reds")
    }
  }
}
