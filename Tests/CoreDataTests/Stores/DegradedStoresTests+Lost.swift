import CoreData
import FixtureSupport
import ObjectModel
import Testing

/// Stores with missing tables or columns, or with tables that Core Data would name or create differently.
extension DegradedStoresTests {
  /// Makes a store with a team, its three players (one of them a captain) and a club, and changes
  /// it with SQL.
  private func store(_ url: URL, _ model: NSManagedObjectModel, changedBy sql: String) throws {
    let made = try OpenStore(url, model)
    try made.context.performAndWait { try fill(made.context) }
    try made.close()
    try PlainDatabase(url).execute(sql)
  }

  @Test("Rows that refer to a missing table are read with nil for the reference")
  func lostDestinations() throws {
    let folder = try TemporaryFolder()
    let model = SampleStore.model()
    let noPlayers = folder.file("players.sqlite")
    try store(noPlayers, model, changedBy: "DROP TABLE ZPLAYER")
    let first = try OpenStore(noPlayers, model, options: Self.readOnly)
    try first.context.performAndWait {
      let team = try #require(try first.context.all("Team").first)
      #expect(team.value(forKey: "name") as? String == "Reds")
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
      #expect(try first.context.memberCounts(of: "players", for: [team]) == [0])
      let club = try #require(try first.context.all("Club").first)
      #expect((club.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
    }
    try first.close()
    let noKeys = folder.file("keys.sqlite")
    try store(noKeys, model, changedBy: "ALTER TABLE ZPLAYER RENAME COLUMN ZTEAM TO LOST")
    let third = try OpenStore(noKeys, model, options: Self.readOnly)
    try third.context.performAndWait {
      let team = try #require(try third.context.all("Team").first)
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
      #expect(try third.context.all("Player").count == 3)
    }
    try third.close()
    let noTeams = folder.file("teams.sqlite")
    try store(noTeams, model, changedBy: "DROP TABLE ZTEAM")
    let second = try OpenStore(noTeams, model, options: Self.readOnly)
    try second.context.performAndWait {
      let players = try second.context.all("Player", sort: ["name"])
      #expect(players.map { $0.value(forKey: "name") as? String } == ["Ann", "Bob", "Cid"])
      #expect(players.allSatisfy { $0.value(forKey: "team") == nil })
    }
    try second.close()
  }

  @Test(
    "A table without one of the standard columns is read, and its store cannot be written",
    arguments: ["Z_ENT", "Z_OPT", "Z_PK"], [true, false])
  func lostOwnColumn(_ column: String, isOwn: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let model = SampleStore.model()
    try store(
      url, model,
      changedBy: "ALTER TABLE ZCLUB RENAME COLUMN \(column) TO LOST"
        + (isOwn ? "" : "; DROP TABLE Z_MODELCACHE; DROP TABLE Z_PRIMARYKEY"))
    let readable = try NSPersistentStoreCoordinator.readableStore(at: url)
    #expect(readable.isOwn == isOwn)
    var options = Self.readOnly
    options[NSIgnorePersistentStoreVersioningOption] = true
    let opened = try OpenStore(url, readable.model, options: options)
    try opened.context.performAndWait {
      let clubs = try opened.context.all("Club")
      #expect(clubs.map { $0.value(forKey: "name") as? String } == ["Harbour"])
      #expect(clubs.map(\.objectID.primaryKey) == [1])
      #expect(
        try opened.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Club")) == 1)
    }
    try opened.close()
    #expect(throws: NSError.self) { try OpenStore(url, model) }
    #expect(try !NSPersistentStoreCoordinator.verifyPersistentStore(at: url).isIntact)
  }

  @Test("Rows without Z_ENT belong to the root entity, and fetching a subentity throws")
  func lostEntities() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let model = SampleStore.model()
    try store(url, model, changedBy: "ALTER TABLE ZPLAYER RENAME COLUMN Z_ENT TO LOST")
    let opened = try OpenStore(url, model, options: Self.readOnly)
    try opened.context.performAndWait {
      let players = try opened.context.all("Player", sort: ["name"])
      #expect(players.map { $0.value(forKey: "name") as? String } == ["Ann", "Bob", "Cid"])
      #expect(players.allSatisfy { $0.entity.name == "Player" })
      let team = try #require(try opened.context.all("Team").first)
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.count == 3)
      let error = #expect(throws: NSError.self) { try opened.context.all("Captain") }
      #expect(error?.localizedDescription.contains("ZPLAYER lacks the column Z_ENT") == true)
    }
    try opened.close()
  }

  @Test("Names of tables and columns in another case are recognized for reading and writing")
  func otherCase() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let model = SampleStore.model()
    let tables = ["ZPLAYER", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].map {
      "ALTER TABLE \($0) RENAME TO q; ALTER TABLE q RENAME TO \($0.lowercased())"
    }
    let columns = [("zplayer", "ZNAME"), ("zplayer", "Z_ENT"), ("z_primarykey", "Z_NAME")].map {
      "ALTER TABLE \($0) RENAME COLUMN \($1) TO q;"
        + " ALTER TABLE \($0) RENAME COLUMN q TO \($1.lowercased())"
    }
    try store(url, model, changedBy: (tables + columns).joined(separator: "; "))
    let readable = try NSPersistentStoreCoordinator.readableStore(at: url)
    #expect(readable.isOwn && readable.warnings.isEmpty)
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    func names(_ options: [AnyHashable: Any]?, adding name: String? = nil) throws -> [String?] {
      let opened = try OpenStore(url, model, options: options)
      let names = try opened.context.performAndWait { () throws -> [String?] in
        if let name { opened.context.insert("Player", ["name": name]) }
        try opened.context.save()
        return try opened.context.all("Player", sort: ["name"]).map {
          $0.value(forKey: "name") as? String
        }
      }
      try opened.close()
      return names
    }
    #expect(try names(Self.readOnly) == ["Ann", "Bob", "Cid"])
    #expect(try names(nil, adding: "Dan") == ["Ann", "Bob", "Cid", "Dan"])
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    try PlainDatabase(url).execute("DROP TABLE z_modelcache")
    let inferred = try NSPersistentStoreCoordinator.readableStore(at: url).model
    withExtendedLifetime(inferred) {
      #expect(inferred.entitiesByName["Captain"]?.superentity?.name == "Player")
    }
  }

  @Test(
    "Extra tables that run code make a store read-only",
    arguments: [
      "CREATE VIRTUAL TABLE zfts USING fts5(a)",
      "CREATE VIRTUAL TABLE zfts USING fts5(a); PRAGMA writable_schema = ON;"
        + " UPDATE sqlite_schema SET sql = REPLACE(sql, 'fts5', 'nowhere') WHERE name = 'zfts'",
      "CREATE TABLE zmore (a INTEGER CHECK (a > 0))", "CREATE TABLE ZMORE (a, b AS (a + 1))",
    ])
  func foreignTables(_ sql: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let model = SampleStore.model()
    try store(url, model, changedBy: sql)
    try expectReadable(url, model)
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).isIntact)
    #expect(throws: NSError.self) { try OpenStore(url, model) }
    try PlainDatabase(url).execute("ALTER TABLE ZTEAM ADD COLUMN ZMORE AS (ZNAME || 'x')")
    let error = #expect(throws: NSError.self) {
      try OpenStore(url, model, options: Self.readOnly)
    }
    #expect(error?.localizedDescription.contains("ZTEAM.ZMORE is a generated column") == true)
  }

  @Test(
    "Another program's virtual table changes nothing, even if its module is missing",
    arguments: ["fts5", "nowhere"])
  func otherPrograms(_ module: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let model = SampleStore.model()
    try store(
      url, model,
      changedBy: "CREATE VIRTUAL TABLE notes USING fts5(a); PRAGMA writable_schema = ON;"
        + " UPDATE sqlite_schema SET sql = REPLACE(sql, 'fts5', '\(module)') WHERE name = 'notes'")
    try expectReadable(url, model)
    let opened = try OpenStore(url, model)
    try opened.context.performAndWait {
      opened.context.insert("Club", ["name": "Bay"])
      try opened.context.save()
      #expect(try opened.context.all("Club").count == 2)
    }
    try opened.close()
  }

  @Test("Entities whose parents form a cycle are read without a model")
  func circularParents() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try store(
      url, SampleStore.model(),
      changedBy: "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT; DROP TABLE Z_MODELCACHE")
    try expectReadable(url, nil)
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    #expect(found.findings.contains { $0.kind == .parentEntity && !$0.isRepairable })
    try PlainDatabase(url).execute("ALTER TABLE Z_PRIMARYKEY DROP COLUMN Z_SUPER")
    try expectReadable(url, nil)
  }
}
