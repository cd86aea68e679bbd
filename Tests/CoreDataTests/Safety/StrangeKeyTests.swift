import Testing

@testable import CoreData

/// Core Data assigns keys from 1 (`Z_PRIMARYKEY`), but a file may have smaller ones. In this library, 0 and negative
/// keys denote objects that were never saved.
@Suite("Rows with impossible keys")
struct StrangeKeyTests {
  private let folder: TemporaryFolder
  private let url: URL
  private static let keys = ["0", "-7", "-9223372036854775808"]

  /// Saves a team of two players, with a tag of the first player.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let opened = try open()
    try opened.performAndWait {
      let team = opened.insert("Team", ["name": "Reds"])
      let ann = opened.insert("Player", ["name": "Ann", "team": team])
      opened.insert("Player", ["name": "Bob", "team": team])
      ann["tags"] = NSSet(object: opened.insert("Tag", ["label": "a"]))
      try opened.save()
    }
    try close(opened)
  }

  private func open(
    _ model: NSManagedObjectModel = SampleStack.makeModel(), at url: URL? = nil
  ) throws -> NSManagedObjectContext {
    try TestedStore.sqlite.open(
      model, at: url ?? self.url, options: [NSPersistentHistoryTrackingKey: true as NSNumber]
    ).context
  }

  private func close(_ context: NSManagedObjectContext) throws {
    let coordinator = try #require(context.persistentStoreCoordinator)
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  private func expectDamage<Result>(
    _ key: String, in table: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
  ) {
    let error = #expect(throws: NSError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.domain == NSCocoaErrorDomain, sourceLocation: sourceLocation)
    #expect(error?.code == NSFileReadCorruptFileError, sourceLocation: sourceLocation)
    let text = error?.localizedDescription ?? ""
    #expect(
      text.contains("table \(table) has a row with the key \(key) (Z_PK)"), "\(text)",
      sourceLocation: sourceLocation)
  }

  @Test("Every way of reading such a row throws", arguments: keys)
  func rows(_ key: String) throws {
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_PK = \(key) WHERE ZNAME = 'Ann'")
    let context = try open()
    try context.performAndWait {
      expectDamage(key, in: "ZPLAYER") { try context.all("Player") }
      expectDamage(key, in: "ZPLAYER") { try context.all("Player", sort: ["name"]) }
      for type in [NSFetchRequestResultType.managedObjectIDResultType, .managedObjectResultType] {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
        request.resultType = type
        request.includesPropertyValues = false
        expectDamage(key, in: "ZPLAYER") { try context.fetch(request) }
        request.fetchBatchSize = 1
        expectDamage(key, in: "ZPLAYER") { try context.fetch(request) }
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      expectDamage(key, in: "ZPLAYER") { try controller.performFetch() }
      let teams = NSFetchRequest<NSManagedObject>(entityName: "Team")
      teams.relationshipKeyPathsForPrefetching = ["players"]
      expectDamage(key, in: "ZPLAYER") { try context.fetch(teams) }
      expectDamage(key, in: "ZPLAYER") { try context.batchUpdate("Player", nil, ["age": 9]) }
      expectDamage(key, in: "ZPLAYER") { try context.batchDelete("Player") }
      // The batch requests had no effect, and other rows can be used.
      #expect(
        try context.all("Player", "name == 'Bob'").contains { $0.value(forKey: "age") as? Int == 9 }
          == false)
      // Reading members cannot throw. The relationship is empty, and the log has the error.
      let team = try #require(try context.all("Team").first)
      #expect((team.value(forKey: "players") as? NSSet)?.count ?? 0 == 0)
    }
  }

  @Test("Objects of such rows do not exist, and are not confused with new ones", arguments: keys)
  func identities(_ key: String) throws {
    try PlainDatabase(url).execute("UPDATE ZTEAM SET Z_PK = \(key)")
    let context = try open()
    try context.performAndWait {
      for _ in 0..<3 {
        expectDamage(key, in: "ZTEAM") { try context.all("Team").map(\.objectID) }
      }
      for _ in 0..<3 { context.insert("Team", ["name": "new"]) }
      try context.save()
      let new = try context.all("Team", "name == 'new'")
      #expect(Set(new.map(\.objectID)).count == 3)
      #expect(new.allSatisfy { !$0.objectID.isTemporaryID })
      for object in context.registeredObjects { _ = object.objectID.uriRepresentation() }
      context.reset()
    }
  }

  @Test("A reference to such a key is nil", arguments: keys)
  func references(_ key: String) throws {
    // The row with this key exists, and the references must be nil nevertheless.
    try PlainDatabase(url).execute(
      "UPDATE ZPLAYER SET ZTEAM = \(key); INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT) SELECT \(key),"
        + " Z_ENT, 1 FROM ZTEAM")
    let context = try open()
    try context.performAndWait {
      let players = try context.all("Player", sort: ["name"])
      #expect(players.map { $0.value(forKey: "team") == nil } == [true, true])
      #expect(players.map { $0.objectIDs(forRelationshipNamed: "team").count } == [0, 0])
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name", "team"]
      #expect(try context.fetch(request).compactMap { $0["team"] }.isEmpty)
      players[0]["name"] = "Eve"
      try context.save()
      context.reset()
    }
  }

  @Test("A row of a join table with such a key adds no member", arguments: keys)
  func pairs(_ key: String) throws {
    let plain = try PlainDatabase(url)
    let table = try #require(
      try plain.values(
        "SELECT name FROM sqlite_schema WHERE name GLOB 'Z_[0-9]*' AND type = 'table'"
      )
      .first?[0].text)
    let columns = try plain.values("SELECT name FROM pragma_table_info('\(table)')")
      .compactMap { $0[0].text }
    for column in columns { try plain.execute("UPDATE \(table) SET \(column) = \(key)") }
    let context = try open()
    try context.performAndWait {
      for player in try context.all("Player") {
        #expect((player.value(forKey: "tags") as? NSSet)?.count == 0)
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.relationshipKeyPathsForPrefetching = ["tags"]
      #expect(try context.fetch(request).count == 2)
      try plain.execute("UPDATE ZTAG SET Z_PK = \(key)")
      context.reset()
      for player in try context.all("Player") {
        #expect((player.value(forKey: "tags") as? NSSet)?.count == 0)
      }
    }
  }

  @Test("The history omits changes of objects with such a key", arguments: keys)
  func history(_ key: String) throws {
    try PlainDatabase(url).execute("UPDATE ACHANGE SET ZENTITYPK = \(key) WHERE ZENTITYPK = 1")
    let context = try open()
    try context.performAndWait {
      let result = try context.execute(
        NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
      let transactions =
        (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
      #expect(transactions.flatMap { $0.changes ?? [] }.map(\.short) == ["+Player p2"])
      for transaction in transactions { _ = transaction.objectIDNotification() }
    }
  }

  @Test("A save and a batch request throw if such a row has a conflicting unique value")
  func constraints() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.uniquenessConstraints = [["name"]]
    let other = folder.file("unique.sqlite")
    let first = try open(model, at: other)
    try first.performAndWait {
      first.insert("Team", ["name": "Reds"])
      try first.save()
    }
    try close(first)
    try PlainDatabase(other).execute("UPDATE ZTEAM SET Z_PK = 0")
    let context = try open(model, at: other)
    context.performAndWait {
      for policy in [NSMergePolicy.error, .mergeByPropertyObjectTrump, .overwrite] {
        context.mergePolicy = policy
        let team = context.insert("Team", ["name": "Reds"])
        expectDamage("0", in: "ZTEAM") { try context.save() }
        context.delete(team)
      }
      expectDamage("0", in: "ZTEAM") {
        try context.batchInsert("Team", [["name": "Reds"]])
      }
    }
  }

  @Test("Verification reports such rows, and references to missing rows", arguments: keys)
  func verification(_ key: String) throws {
    try PlainDatabase(url).execute("UPDATE ZTEAM SET Z_PK = \(key); UPDATE ZPLAYER SET ZTEAM = 0")
    let result = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    let keys = result.findings.filter { $0.kind == .rowKey }
    #expect(
      keys.map(\.description) == [
        "Team: 1 row has a key below 1, so it cannot be read (key \(key))"
      ])
    #expect(keys.allSatisfy { !$0.isRepairable && $0.kind.isProblem })
    let expected = key == "0" ? [] : ["team"]
    #expect(
      result.findings.filter { $0.kind == .danglingReference }.compactMap(\.property) == expected)
  }
}
