import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Source: "Defense Against The Dark Arts" (sqlite.org/security.html).
@Suite("Schemas from untrusted sources")
struct ForeignSchemaTests {
  private func store(
    changedBy statements: [String], model: NSManagedObjectModel = SampleStack.makeModel()
  ) throws -> (TemporaryFolder, URL) {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let stack = try SampleStack(url: url, model: model)
    try stack.context.performAndWait {
      stack.context.insert("Player", ["name": "Ann"])
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    let plain = try PlainDatabase(url)
    for statement in statements { _ = try plain.values(statement) }
    return (folder, url)
  }

  @Test(
    "A trigger can call only those library functions that Apple's triggers call",
    arguments: [[], ["CREATE VIRTUAL TABLE Z_RT_Player_place USING RTREE (Z_PK, a, b)"]])
  func functions(_ index: [String]) throws {
    let (folder, url) = try store(
      changedBy: index + [
        "CREATE TRIGGER strange AFTER UPDATE ON ZPLAYER BEGIN"
          + " UPDATE ZTEAM SET ZNAME = \(SQLFunctionNames.random)(); END"
      ])
    try withExtendedLifetime(folder) {
      let stack = try SampleStack(url: url)
      try stack.context.performAndWait {
        let player = try #require(try stack.context.all("Player").first)
        player["name"] = "Bob"
        let error = #expect(throws: NSError.self) { try stack.context.save() }
        #expect(error?.localizedDescription.contains("unsafe use") == true)
      }
    }
  }

  @Test(
    "Triggers of fetch indexes write their R-trees if the model has the attribute",
    arguments: [true, false])
  func indexTriggers(hasPlace: Bool) throws {
    func makeModel() -> NSManagedObjectModel {
      let model = SampleStack.makeModel()
      let place = SampleStack.attribute("place", .transformableAttributeType)
      place.isTransient = true
      if hasPlace { model.entitiesByName["Player"]?.properties.append(place) }
      return model
    }
    let (folder, url) = try store(
      changedBy: [
        "CREATE VIRTUAL TABLE Z_RT_Player_place USING RTREE (Z_PK, a, b)",
        "CREATE TRIGGER Z_RT_Player_place_INSERT AFTER INSERT ON ZPLAYER FOR EACH ROW BEGIN"
          + " INSERT OR REPLACE INTO Z_RT_Player_place VALUES (NEW.Z_PK, 1, 2) ; END",
      ], model: makeModel())
    try withExtendedLifetime(folder) {
      let stack = try SampleStack(url: url, model: makeModel())
      try stack.context.performAndWait {
        stack.context.insert("Player", ["name": "Bob"])
        if hasPlace {
          try stack.context.save()
        } else {
          let error = #expect(throws: NSError.self) { try stack.context.save() }
          #expect(error?.localizedDescription.contains("unsafe use") == true)
        }
      }
      let rows = try PlainDatabase(url).values("SELECT Z_PK FROM Z_RT_Player_place")
      #expect(rows.map { $0[0].integer } == (hasPlace ? [2] : []))
    }
  }

  @Test("A virtual table in place of an entity's table is rejected")
  func virtualTable() throws {
    let (folder, url) = try store(changedBy: [
      "DROP TABLE ZPLAYER", "CREATE VIRTUAL TABLE ZPLAYER USING fts5(Z_PK, Z_ENT, Z_OPT, ZNAME)",
    ])
    withExtendedLifetime(folder) {
      let error = #expect(throws: NSError.self) { try SampleStack(url: url) }
      #expect(error?.code == NSFileReadCorruptFileError)
      #expect(error?.localizedDescription.contains("ZPLAYER is a virtual") == true)
    }
  }

  @Test(
    "A virtual table is recognized by its module, whatever its name and statement look like",
    arguments: [
      ["CREATE VIRTUAL TABLE ZUSINGRTREE USING fts5(x)"],
      ["CREATE VIRTUAL TABLE ZA/*ZA USING rtree*/USING fts5(x)"],
      [
        "CREATE VIRTUAL TABLE ZA USING fts5(x)", "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = 'CREATE/**/ VIRTUAL TABLE ZA USING fts5(x)' WHERE name = 'ZA'",
      ],
    ])
  func disguisedTable(_ statements: [String]) throws {
    let (folder, url) = try store(changedBy: statements)
    withExtendedLifetime(folder) {
      let error = #expect(throws: NSError.self) { try SampleStack(url: url) }
      #expect(error?.code == NSFileReadCorruptFileError)
      #expect(error?.localizedDescription.contains("is a virtual table") == true)
    }
  }

  @Test("An R-tree whose name contains the word before a module is the store's own")
  func treeNamedUsing() throws {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let score = try #require(player.attributesByName["score"])
    player.indexes = [
      NSFetchIndexDescription(
        name: "housing",
        elements: [NSFetchIndexElementDescription(property: score, collationType: .rTree)])
    ]
    let (folder, url) = try store(changedBy: [], model: model)
    try withExtendedLifetime(folder) {
      let trees = try PlainDatabase(url).values(
        "SELECT name FROM sqlite_schema WHERE name = 'Z_RT_Player_housing'")
      #expect(trees.count == 1)
      let stack = try SampleStack(url: url, model: model)
      try stack.context.performAndWait {
        stack.context.insert("Player", ["name": "Bob", "score": 2.0])
        try stack.context.save()
      }
      for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
      let findings = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings
      #expect(findings.isEmpty, "\(findings)")
    }
  }

  @Test("Other programs' tables in the same file have no effect")
  func otherTables() throws {
    let (folder, url) = try store(changedBy: ["CREATE VIRTUAL TABLE notes USING fts5(text)"])
    withExtendedLifetime(folder) {
      #expect(throws: Never.self) { _ = try SampleStack(url: url) }
    }
  }

  /// SQLite quotes the new name of a table in its indexes (sqlite.org/lang_altertable.html).
  @Test func `A partial index is still the model's after a migration renames its table`() throws {
    func model(_ text: String) -> NSManagedObjectModel {
      let model = ModelText.model(text)
      let age = NSFetchIndexElementDescription(propertyName: "age", collationType: .binary)
      let index = NSFetchIndexDescription(name: "byAge", elements: [age])
      index.partialIndexPredicate = NSPredicate(format: "age > 2")
      model.entitiesByName["Kid"]?.indexes = [index]
      return model
    }
    let store = try MigratedStore()
    try store.with(model("Root: name string\nKid < Root: age i16")) { context in
      _ = context.insert("Kid", ["name": "Ann", "age": 3])
    }
    let renamed = "Base was Root: name string\nKid < Base: age i16"
    func isBounded() throws -> Bool {
      try store.with(model(renamed)) { context in
        let engine = try #require(
          context.persistentStoreCoordinator?.persistentStores.first?.engine as? SQLiteStore)
        return try engine.pool.write { $0.clock != nil }
      }
    }
    #expect(try !isBounded())
    let plain = try PlainDatabase(store.url)
    let sql = try plain.values("SELECT sql FROM sqlite_schema WHERE name = 'Z_Kid_byAge'")
    #expect(sql.first?.first?.text?.contains(" ON \"ZBASE\" (ZAGE ") == true, "\(sql)")
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: store.url).findings == [])
    try plain.execute(
      "DROP INDEX Z_Kid_byAge; CREATE INDEX Z_Kid_byAge ON \"ZBASE\" (ZAGE) WHERE abs(ZAGE) > 2")
    #expect(try isBounded())
  }

  @Test(
    "Statements are compared without the quotes of SQLite, and strings and other names are unchanged",
    arguments: [
      (
        "CREATE INDEX a ON \"ZA\" (\"ZB\") WHERE  \"ZB\" > 1",
        "CREATE INDEX a ON ZA (ZB) WHERE ZB > 1"
      ),
      ("\"ZÄ\" \"Z A\" \"Z\"\"A\" \"a\" \"WHERE\"", "\"ZÄ\" \"Z A\" \"Z\"\"A\" \"a\" \"WHERE\""),
      ("'\"ZA\"  ''\"ZB\"'", "'\"ZA\"  ''\"ZB\"'"),
      ("\"a\"ZB\"c\" x\"ZA\" \"ZA\"x", "\"a\"ZB\"c\" x\"ZA\" \"ZA\"x"),
      ("\"ZA", "\"ZA"), ("", ""),
    ])
  func spelling(_ sql: String, _ plain: String) {
    #expect(SchemaSpelling.plain(sql) == plain)
  }
}
