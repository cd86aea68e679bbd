import CoreData
import FixtureSupport
import Testing

/// Reads and continues the histories that Apple's Core Data wrote.
@Suite("Persistent history of Apple's stores", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct HistoryFixtureTests {
  static let stores = [
    "SampleModel2_V1.sqlite", "Test-10.15.1/Photos.sqlite", "Test-10.15.7/Photos.sqlite",
    "Test-10.16.0/Photos.sqlite", "Test-12.0.0.dev-beta/Photos.sqlite",
    "Test-13.0.0/Photos.sqlite", "Test-14.0.0/Photos.sqlite",
    "Test-15.1.0_beta/Photos.sqlite", "Test-Cloud-13.1/Photos.sqlite",
    "Test-Media-Types-15.7.2/Photos.sqlite",
  ]

  private struct Opened {
    let url: URL
    let stack: HistoryStack
    let database: PlainDatabase
    let names: PlainNames
  }

  private func open(_ name: String, _ folder: TemporaryFolder, _ options: [AnyHashable: Any])
    throws -> Opened
  {
    let fixture = try #require(StoreFixture.named(name))
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).last).model
    let database = try PlainDatabase(url)
    let names = try PlainNames(model, database)
    let stack = try HistoryStack(url, model: model, options: options, in: folder)
    return Opened(url: url, stack: stack, database: database, names: names)
  }

  @Test("A transaction has the values of its row", arguments: stores)
  func transactions(_ name: String) throws {
    let opened = try open(
      name, try TemporaryFolder(), [NSReadOnlyPersistentStoreOption: true as NSNumber])
    let transactions = try opened.stack.transactions()
    let rows = try opened.database.rows(
      "SELECT t.Z_PK, t.ZTIMESTAMP, a.ZNAME author, b.ZNAME bundle, c.ZNAME context, p.ZNAME process"
        + " FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS"
        + " LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZBUNDLEIDTS"
        + " LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS"
        + " LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = t.ZPROCESSIDTS ORDER BY t.Z_PK")
    try #require(transactions.count == rows.count && !rows.isEmpty)
    for (transaction, row) in zip(transactions, rows) {
      #expect(transaction.transactionNumber == row["Z_PK"]?.integer)
      #expect(transaction.timestamp.timeIntervalSinceReferenceDate == row["ZTIMESTAMP"]?.real)
      #expect(transaction.author == row["author"]?.text)
      #expect(transaction.bundleID == row["bundle"]?.text ?? "")
      #expect(transaction.contextName == row["context"]?.text)
      #expect(transaction.processID == row["process"]?.text ?? "")
    }
    #expect(Set(transactions.map(\.processID)).isSubset(of: Self.processes))
    #expect(opened.stack.token == transactions.last?.token)
  }

  /// The programs that wrote these stores.
  private static let processes: Set<String> = [
    "xctest", "photolibraryd", "com.apple.Photos.Migration", "Photos",
  ]

  @Test(
    "A change has the values of its row, and the properties of its column mask", arguments: stores)
  func changes(_ name: String) throws {
    let opened = try open(
      name, try TemporaryFolder(), [NSReadOnlyPersistentStoreOption: true as NSNumber])
    let model = opened.stack.coordinator.managedObjectModel
    var entities: [Int64: NSEntityDescription] = [:]
    for entity in model.entities {
      if let number = opened.names.numbers[entity.name ?? ""] { entities[Int64(number)] = entity }
    }
    let changes = try opened.stack.transactions().flatMap { $0.changes ?? [] }
    let rows = try opened.database.rows(
      "SELECT * FROM ACHANGE ORDER BY ZTRANSACTIONID, Z_PK"
    ).filter { entities[$0["ZENTITY"]?.integer ?? 0] != nil }
    try #require(changes.count == rows.count && !rows.isEmpty)
    // One expectation for all changes, because there are many of them.
    let facts = changes.map { change -> [Int64?] in
      [
        change.changeID,
        opened.names.numbers[change.changedObjectID.entity.name ?? ""].map(Int64.init),
        change.changedObjectID.primaryKey, Int64(change.changeType.rawValue),
        change.transaction?.transactionNumber,
      ]
    }
    let columns = ["Z_PK", "ZENTITY", "ZENTITYPK", "ZCHANGETYPE", "ZTRANSACTIONID"]
    #expect(facts == rows.map { row in columns.map { row[$0]?.integer } })
    var named = 0
    var buried = 0
    // Computed once for each entity, because there are many changes.
    let orders = entities.mapValues(Self.order)
    let graves = entities.mapValues(Self.preserved)
    for (change, row) in zip(changes, rows) {
      let number = row["ZENTITY"]?.integer ?? 0
      let order = try #require(orders[number])
      if change.changeType == .update, let found = change.updatedProperties {
        #expect(found.map(\.name).sorted() == names(try #require(row["ZCOLUMNS"]?.blob), order))
        named += 1
      } else if change.changeType != .update {
        #expect(change.updatedProperties == nil)
      }
      let grave = graves[number] ?? []
      if change.changeType == .delete, !grave.isEmpty {
        let tombstone = try #require(change.tombstone)
        for (place, attribute) in grave.enumerated() {
          let value = row["ZTOMBSTONE\(place)"] ?? .null
          #expect((tombstone[attribute.name] == nil) == (value == .null))
          if let text = tombstone[attribute.name] as? String { #expect(value.text == text) }
          if let number = tombstone[attribute.name] as? NSNumber {
            #expect(value.integer == number.int64Value)
          }
          buried += 1
        }
      } else {
        #expect(change.tombstone == nil)
      }
    }
    // Column masks from before a migration have a different length and return no names. In the
    // fixtures, these are fewer than half.
    let updates = rows.count { $0["ZCHANGETYPE"] == .integer(1) }
    if updates > 0 { #expect(named * 2 > updates, "\(named) of \(updates)") }
    if name.hasSuffix("Test-13.0.0/Photos.sqlite") { #expect(buried > 0) }
  }

  private static func preserved(_ entity: NSEntityDescription) -> [NSAttributeDescription] {
    entity.attributesByName.values
      .filter { $0.preservesValueInHistoryOnDeletion && !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The property names in the order of the bits of a column mask, computed independently of the library.
  private static func order(_ entity: NSEntityDescription) -> [String] {
    let stored = entity.properties.filter {
      !$0.isTransient && !($0 is NSFetchedPropertyDescription)
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let relationships = stored.compactMap { $0 as? NSRelationshipDescription }
    let toOne = relationships.filter { !$0.isToMany }
    var order = toOne.map(\.name)
    order += toOne.filter { !($0.destinationEntity?.subentities ?? []).isEmpty }.map(\.name)
    order += toOne.filter { $0.inverseRelationship?.isOrdered == true }.map(\.name)
    order += stored.filter { $0 is NSAttributeDescription }.map(\.name)
    order += relationships.filter(\.isToMany).map(\.name)
    return order
  }

  /// The property names of a column mask.
  private func names(_ mask: Data, _ order: [String]) -> [String] {
    var names: Set<String> = []
    for (bit, name) in order.enumerated() where mask[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1 {
      names.insert(name)
    }
    return names.sorted()
  }

  /// The `ZT_` triggers of Photos count the visible faces of a person. They refer to columns, whereas triggers of
  /// derived attributes name attributes.
  @Test(
    "The history has the rows that triggers of Photos change",
    arguments: ["Test-10.15.7/Photos.sqlite", "Test-13.0.0/Photos.sqlite"], [false, true])
  func triggers(_ name: String, _ isBatch: Bool) throws {
    let opened = try open(name, try TemporaryFolder(), HistoryStack.tracking)
    let context = opened.stack.context
    let counts = "SELECT Z_PK, ZFACECOUNT FROM ZPERSON ORDER BY Z_PK"
    let before = try opened.database.values(counts)
    let token = opened.stack.token
    if isBatch {
      try context.batchUpdate("DetectedFace", "hidden == NO", ["hidden": true])
    } else {
      for face in try context.all("DetectedFace", "hidden == NO") { face["hidden"] = true }
      try context.save()
    }
    let after = try opened.database.values(counts)
    let expected = zip(before, after).compactMap { old, new in
      old[1] == new[1] ? nil : "~Person p\(new[0].integer ?? 0) faceCount"
    }
    try #require(!expected.isEmpty)
    let changes = try opened.stack.changes(.fetchHistory(after: token))
      .filter { $0.hasPrefix("~Person") }
    #expect(changes.sorted() == expected.sorted())
  }

  @Test(
    "A new store that keeps history has the same history tables as Apple's",
    arguments: WholeRun.sample(stores, every: 3))
  func schema(_ name: String) throws {
    let folder = try TemporaryFolder()
    let fixture = try #require(StoreFixture.named(name))
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).last).model
    let new = folder.file("new.sqlite")
    try HistoryStack(new, model: model).close()
    func statements(_ url: URL) throws -> [String: String] {
      var statements: [String: String] = [:]
      for row in try PlainDatabase(url).values(
        "SELECT name, sql FROM sqlite_master WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION',"
          + " 'ATRANSACTIONSTRING')")
      {
        // Columns that later versions of the model added follow " , ".
        statements[row[0].text ?? ""] = row[1].text?.replacing(" ,", with: ",")
          .replacing(" )", with: ")")
      }
      return statements
    }
    let apple = try statements(url)
    #expect(try statements(new) == apple)
    let entities = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT > 16000"
    #expect(try PlainDatabase(new).values(entities) == PlainDatabase(url).values(entities))
  }

  private static let historyTables = ["ACHANGE", "ATRANSACTION"]

  @Test("A save appends its transaction to Apple's history", arguments: stores)
  func continuing(_ name: String) throws {
    let folder = try TemporaryFolder()
    let opened = try open(name, folder, HistoryStack.tracking)
    #expect(!opened.stack.store.isReadOnly)
    let token = opened.stack.token
    let before = try StoreDump(opened.url, only: Self.historyTables)
    let context = opened.stack.context
    context.transactionAuthor = "OpenCoreData"
    // Any object with a 16-bit integer that can be changed.
    var changed: (NSManagedObject, String)?
    for entity in opened.stack.coordinator.managedObjectModel.entities
    where !entity.isAbstract && !before.hasTriggers(on: opened.names.table(entity)) {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      request.fetchLimit = 1
      guard let object = try context.fetch(request).first,
        let attribute = entity.attributesByName.values.sorted(by: { $0.name < $1.name }).first(
          where: { $0.attributeType == .integer16AttributeType && !$0.isTransient })
      else { continue }
      object.setValue(91, forKey: attribute.name)
      changed = (object, attribute.name)
      break
    }
    guard let (object, key) = changed else {
      #expect(name == "SampleModel2_V1.sqlite")
      return
    }
    try context.save()
    let transactions = try opened.stack.transactions(.fetchHistory(after: token))
    #expect(transactions.map(\.author) == ["OpenCoreData"])
    let change = try #require(transactions.first?.changes?.first)
    #expect(change.changedObjectID == object.objectID)
    #expect(change.updatedProperties?.map(\.name) == [key])
    try opened.stack.close()
    let after = try StoreDump(opened.url, only: Self.historyTables)
    #expect(after.schema == before.schema)
    for table in Self.historyTables {
      let rows = before.changes(to: after).filter { $0.table == table }
      #expect(rows.count == 1 && rows[0].isInserted)
      let highest = try opened.database.values(
        "SELECT MAX(Z_PK), (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(table.dropFirst())')"
          + " FROM \(table)")
      #expect(highest[0][0] == .integer(rows[0].row) && highest[0][1] == .integer(rows[0].row))
    }
    #expect(try opened.database.values("PRAGMA integrity_check") == [[.text("ok")]])
  }
}
