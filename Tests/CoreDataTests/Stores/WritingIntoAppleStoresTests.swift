import CoreData
import FixtureSupport
import Testing

/// A save into an Apple store must change only the necessary rows, byte for byte: every other row
/// of every table, the schema, the metadata and the model cache stay unchanged. A store with
/// persistent history gets one transaction with one change.
@Suite struct WritingIntoAppleStoresTests {
  static let stores = [
    "RecipeData/Recipes.sqlite", "RKSeedDatabase.sqlite", "SampleModel2_V1.sqlite",
    "SampleModel_V1.sqlite", "SampleModel_V2.sqlite", "SampleModel3_V1.sqlite",
    "Bookmarks_V3.sqlite", "SyncMetadata_V3.sqlite", "CartStorage_v1.sqlite", "Moody.moody",
    "Moody 5.moody", "CLSPublicEventCache.sqlite", "Test-10.15.7/Photos.sqlite",
    "Test-13.0.0/Photos.sqlite", "Test-Media-Types-15.7.2/Photos.sqlite",
  ].compactMap(StoreFixture.named)

  private struct Opened {
    let url: URL
    let before: StoreDump
    let store: OpenStore
    let names: PlainNames
  }

  private func open(_ fixture: StoreFixture, _ folder: TemporaryFolder) throws -> Opened {
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).last).model
    let before = try StoreDump(url)
    let names = try PlainNames(model, PlainDatabase(url))
    var options = [NSIgnorePersistentStoreVersioningOption: NSNumber(value: true)]
    if before.hasTable("ACHANGE") {
      options[NSPersistentHistoryTrackingKey] = NSNumber(value: true)
    }
    let store = try OpenStore(url, model, options: options)
    return Opened(url: url, before: before, store: store, names: names)
  }

  /// Returns the changes of a store without those of its history. If the store has a history, checks that it has one
  /// more transaction.
  private func changes(
    _ opened: Opened, _ after: StoreDump, changed: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> [StoreDump.Change] {
    let all = opened.before.changes(to: after)
    let history = all.filter {
      $0.table.hasPrefix("A") || $0.table == "Z_PRIMARYKEY" && $0.row > 16_000
    }
    if opened.before.hasTable("ACHANGE") {
      let transactions = history.filter { $0.table == "ATRANSACTION" }
      let changes = history.filter { $0.table == "ACHANGE" }
      #expect(
        transactions.map(\.isInserted) == [true], "\(history)", sourceLocation: sourceLocation)
      #expect(
        changes.count == changed && changes.allSatisfy(\.isInserted), "\(history)",
        sourceLocation: sourceLocation)
      #expect(
        changes.allSatisfy {
          $0.cells["ZTRANSACTIONID"]?[1] == transactions.first.map { .integer($0.row) }
        }, "\(history)", sourceLocation: sourceLocation)
    } else {
      #expect(history.isEmpty, sourceLocation: sourceLocation)
    }
    let others = Set(history.map { "\($0.table)/\($0.row)" })
    return all.filter { !others.contains("\($0.table)/\($0.row)") }
  }

  /// Returns the entities that have rows and whose table has no triggers, sorted by name.
  private func candidates(_ opened: Opened) throws -> [NSEntityDescription] {
    let model = opened.store.coordinator.managedObjectModel
    return try model.entities.filter { entity in
      guard !entity.isAbstract, opened.names.numbers[entity.name ?? ""] != nil,
        !opened.before.hasTriggers(on: opened.names.table(entity))
      else { return false }
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      return try opened.store.context.count(for: request) > 0
    }.sorted { $0.name ?? "" < $1.name ?? "" }
  }

  private func value(_ attribute: NSAttributeDescription) -> Any? {
    switch attribute.attributeType {
    case .stringAttributeType: UUID().uuidString
    case .booleanAttributeType: true
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: 7
    case .doubleAttributeType, .floatAttributeType: 2.5
    case .decimalAttributeType: NSDecimalNumber(string: "12.25")
    case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 700_000_000.5)
    case .UUIDAttributeType: UUID()
    case .URIAttributeType: URL(string: "https://example.org/1")
    case .binaryDataAttributeType: Data([1, 2, 3])
    case .transformableAttributeType: ["a", "b"] as NSArray
    default: nil
    }
  }

  private func isMandatory(_ property: NSPropertyDescription) -> Bool {
    !property.isOptional && !property.isTransient
  }

  @Test(
    "An inserted object is one new row and one higher key",
    .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: stores)
  func insertion(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let opened = try open(fixture, folder)
    let context = opened.store.context
    let (entity, key) = try context.performAndWait { () throws -> (NSEntityDescription, Int64) in
      // Entities with mandatory relationships are excluded, because the other sides would change
      // too.
      let entity = try #require(
        try candidates(opened).first {
          !$0.relationshipsByName.values.contains(where: isMandatory)
        })
      let object = NSEntityDescription.insertNewObject(
        forEntityName: entity.name ?? "", into: context)
      for attribute in entity.attributesByName.values where isMandatory(attribute) {
        object.setValue(value(attribute), forKey: attribute.name)
      }
      try context.save()
      return (entity, try #require(object.objectID.primaryKey))
    }
    try opened.store.close()
    let after = try StoreDump(opened.url)
    #expect(after.schema == opened.before.schema)
    let changes = changes(opened, after)
    let table = opened.names.table(entity)
    let root = opened.names.number(opened.names.root(entity))
    #expect(changes.count == 2, "\(changes)")
    let row = changes.first { $0.table == table }
    #expect(row?.row == key && row?.isInserted == true)
    #expect(row?.cells["Z_ENT"]?[1] == .integer(Int64(opened.names.number(entity))))
    #expect(row?.cells["Z_OPT"]?[1] == .integer(1))
    let number = changes.first { $0.table == "Z_PRIMARYKEY" }
    #expect(number?.row == Int64(root))
    #expect(number?.cells.keys.sorted() == ["Z_MAX"])
    #expect(number?.cells["Z_MAX"]?[1] == .integer(key))
  }

  @Test(
    "A changed attribute is one changed column and the row's version",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: stores)
  func update(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let opened = try open(fixture, folder)
    let context = opened.store.context
    let types: [NSAttributeType] = [
      .stringAttributeType, .integer16AttributeType, .integer32AttributeType,
      .integer64AttributeType, .dateAttributeType,
    ]
    var changed: (entity: NSEntityDescription, name: String, key: Int64)?
    try context.performAndWait {
      for entity in try candidates(opened) where changed == nil {
        guard
          let attribute = entity.attributesByName.values.sorted(by: { $0.name < $1.name })
            .first(where: { !$0.isTransient && types.contains($0.attributeType) })
        else { continue }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        guard let object = try context.fetch(request).last else { continue }
        object.setValue(value(attribute), forKey: attribute.name)
        try context.save()
        changed = (entity, attribute.name, object.objectID.primaryKey ?? 0)
      }
    }
    try opened.store.close()
    let (entity, name, key) = try #require(changed)
    let after = try StoreDump(opened.url)
    #expect(after.schema == opened.before.schema)
    let changes = changes(opened, after)
    #expect(changes.count == 1, "\(changes)")
    let change = try #require(changes.first)
    #expect(change.table == opened.names.table(entity) && change.row == key)
    #expect(
      change.cells.keys.sorted() == ["Z_OPT", try opened.names.column(name, entity)].sorted())
    let versions = change.cells["Z_OPT"]?.compactMap(\.integer) ?? []
    #expect(versions.count == 2 && versions[1] == versions[0] + 1)
  }

  @Test(
    "A deletion removes the row, its pairs in join tables and the references to it",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: stores)
  func deletion(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let opened = try open(fixture, folder)
    let context = opened.store.context
    let deleted = try context.performAndWait { () throws -> (NSEntityDescription, Int64)? in
      for entity in try candidates(opened)
      where entity.relationshipsByName.values.allSatisfy({
        $0.deleteRule == .nullifyDeleteRule && $0.inverseRelationship?.isOptional != false
      }) {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        guard let object = try context.fetch(request).first else { continue }
        let key = object.objectID.primaryKey ?? 0
        context.delete(object)
        try context.save()
        return (entity, key)
      }
      return nil
    }
    try opened.store.close()
    guard let (entity, key) = deleted else {
      // In these stores, a deletion of any entity affects further rows.
      #expect(["Bookmarks_V3.sqlite", "CartStorage_v1.sqlite"].contains(fixture.name))
      return
    }
    let after = try StoreDump(opened.url)
    #expect(after.schema == opened.before.schema)
    let table = opened.names.table(entity)
    var isGone = false
    for change in opened.before.changes(to: after)
    where !change.table.hasPrefix("A") && !(change.table == "Z_PRIMARYKEY" && change.row > 16_000) {
      if change.table == table, change.row == key, change.isRemoved {
        isGone = true
      } else if change.isRemoved, change.table.hasPrefix("Z_") {
        #expect(change.cells.values.contains { $0[0] == .integer(key) }, "\(change)")
      } else {
        #expect(!change.isInserted && !change.isRemoved, "\(change)")
        for (column, values) in change.cells where column != "Z_OPT" {
          let isKey = values == [.integer(key), .null]
          let goesWithKey = column.contains("_") && values[1] == .null
          #expect(isKey || goesWithKey, "\(change)")
        }
      }
    }
    #expect(isGone)
  }

  @Test(
    "Apple's triggers of a derived attribute run when this library writes",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func triggers() throws {
    let folder = try TemporaryFolder()
    let fixture = try #require(StoreFixture.named("SampleModel2_V1.sqlite"))
    // The program that made the store has a custom transformer.
    ValueTransformer.setValueTransformer(
      NSSecureUnarchiveFromDataTransformer(), forName: .init("ContentTransformer"))
    let opened = try open(fixture, folder)
    let context = opened.store.context
    let (book, page) = try context.performAndWait { () throws -> (Int64, Int64) in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.fetchLimit = 1
      let book = try #require(try context.fetch(request).first)
      let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
      for attribute in page.entity.attributesByName.values where isMandatory(attribute) {
        page.setValue(value(attribute), forKey: attribute.name)
      }
      page.setValue(book, forKey: "book")
      try context.save()
      return (book.objectID.primaryKey ?? 0, page.objectID.primaryKey ?? 0)
    }
    try opened.store.close()
    // The save changes the rows of the page and of the book it belongs to.
    let changes = changes(opened, try StoreDump(opened.url), changed: 2)
    #expect(
      changes.map { "\($0.table)/\($0.row)" } == [
        "ZBOOK/\(book)", "ZPAGE/\(page)", "Z_PRIMARYKEY/4",
      ])
    let counts = changes.first?.cells["ZPAGESCOUNT"]?.compactMap(\.integer) ?? []
    #expect(counts.count == 2 && counts[1] == counts[0] + 1)
  }
}
