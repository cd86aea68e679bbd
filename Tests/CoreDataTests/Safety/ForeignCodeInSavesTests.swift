import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Code in the schema that is not the model's can neither block a save nor make the store much larger, and the model's
/// own code has no limits.
///
/// Source: "Defense Against The Dark Arts" (sqlite.org/security.html).
@Suite("Foreign code in saves")
struct ForeignCodeInSavesTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = try UntrustedStore.make(in: folder)
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
      player["name"] = "Bob"
      let failed = #expect(throws: NSError.self) { try context.save() }
      #expect(failed?.code == NSPersistentStoreTimeoutError)
      #expect(failed?.localizedDescription.contains(url.path) == true)
      // Later saves succeed.
      player["name"] = "Carl"
      try context.save()
      // Each failure takes a second, the shortest limit.
      guard name == "strange" else { return }
      let error = #expect(throws: NSError.self) {
        try context.batchUpdate("Player", nil, ["name": "Bob"])
      }
      #expect(error?.code == NSPersistentStoreTimeoutError)
    }
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

  @Test func `A large value of the program extends the limits of its statement and transaction`()
    throws
  {
    let connection = try SQLiteConnection(
      path: ":memory:", mode: .readWriteCreate, busyTimeout: 0)
    defer { connection.close() }
    let clock = StatementClock(seconds: 0)
    func isOver(afterBinding bytes: Int) throws -> Bool {
      try clock.beginTransaction(on: connection)
      clock.allow(bytes: bytes)
      clock.begin()
      Thread.sleep(forTimeInterval: 1.2)
      return clock.isOver(on: connection)
    }
    #expect(try !isOver(afterBinding: 1_000_000_000))
    // The limits of the next statement and transaction are not longer.
    #expect(try isOver(afterBinding: 0))
  }

  @Test("Triggers of the model have no time limit")
  func ownTriggers() throws {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    let count = NSDerivedAttributeDescription()
    count.name = "playerCount"
    count.attributeType = .integer64AttributeType
    count.derivationExpression = NSExpression(format: "players.@count")
    team.properties.append(count)
    try UntrustedStore.addPlaces(to: model)
    let other = folder.file("own.sqlite")
    func isBounded() throws -> Bool {
      try UntrustedStore.withWriter(of: other, model) { $0.clock != nil }
    }
    #expect(try !isBounded())
    #expect(try !isBounded())
    let database = try PlainDatabase(other)
    #expect(try database.values("SELECT 1 FROM sqlite_schema WHERE type = 'trigger'").count > 3)
    try database.execute("CREATE TRIGGER a AFTER UPDATE ON ZTEAM BEGIN SELECT 1; END")
    #expect(try isBounded())
  }

  @Test func `Indexes of the model have no time limit, and others have one`() throws {
    let model = SampleStack.makeModel()
    let element = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
    let index = NSFetchIndexDescription(name: "byName", elements: [element])
    index.partialIndexPredicate = NSPredicate(format: "name != nil")
    model.entitiesByName["Team"]?.indexes = [index]
    let other = folder.file("indexes.sqlite")
    func isBounded() throws -> Bool {
      try UntrustedStore.withWriter(of: other, model) { $0.clock != nil }
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

  @Test func `Small default values and indexes of columns are not limited`() throws {
    try PlainDatabase(url).execute(
      "ALTER TABLE ZPLAYER ADD COLUMN ZMORE INTEGER DEFAULT -1;"
        + " ALTER TABLE ZPLAYER ADD COLUMN ZWHERE VARCHAR DEFAULT 'none';"
        + " CREATE INDEX other ON ZPLAYER (ZWHERE COLLATE BINARY ASC, ZNAME)")
    let connection = try SQLiteConnection(path: url.path, mode: .readWrite, busyTimeout: 0.1)
    defer { connection.close() }
    #expect(try SchemaCode.all(on: connection).isEmpty)
  }

  @Test func `Only entries of indexes of expressions can be larger than the values of the table`()
    throws
  {
    try PlainDatabase(url).execute(
      "CREATE INDEX a ON ZPLAYER (ZNAME) WHERE ZNAME <> 'x';"
        + " CREATE INDEX b ON ZPLAYER (lower(ZNAME)); CREATE INDEX c ON ZPLAYER (ZNAME, Z_PK)")
    let connection = try SQLiteConnection(path: url.path, mode: .readWrite, busyTimeout: 0.1)
    defer { connection.close() }
    let indexes = try SchemaCode.all(on: connection)
    #expect(indexes.map(\.name) == ["a", "b"])
    #expect(indexes.map(\.hasExpressions) == [false, true])
  }
}
