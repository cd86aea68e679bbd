import CoreData
import FixtureSupport
import Testing

@testable import ObjectModel

@Suite struct CreatingStoresTests {
  /// Checks everything about one new store, because creating a store takes most of the test's time.
  @Test(
    "A new store has the schema, entity numbers and metadata of Apple's store for the same model, and contains the model",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: StoreFixture.all)
  func newStore(_ fixture: StoreFixture) throws {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let (apple, facts) = (try SchemaText(PlainDatabase(url)), try Facts(url))
    for (origin, model) in try fixture.models(url) where origin != .inferred {
      let new = folder.file("new-\(origin.rawValue).sqlite")
      try OpenStore(new, model).close()
      let ours = try SchemaText(PlainDatabase(new))
      expectSchema(ours, apple, facts, origin)
      try expectFacts(Facts(new), facts, origin, fixture)

      // A store can be created from the model that is in the new one. Tests try this for every third store.
      let cached = try #require(try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: new))
      #expect(cached.entityVersionHashesByName == model.entityVersionHashesByName)
      #expect(cached.versionIdentifiers == model.versionIdentifiers)
      let number = StoreFixture.all.firstIndex { $0.path == fixture.path } ?? 0
      guard WholeRun.isChosen || number.isMultiple(of: 3) else { continue }
      let second = folder.file("second-\(origin.rawValue).sqlite")
      try OpenStore(second, cached).close()
      #expect(try SchemaText(PlainDatabase(second)).statements == ours.statements)
    }
  }

  private func expectSchema(
    _ ours: SchemaText, _ apple: SchemaText, _ facts: Facts, _ origin: StoreFixture.ModelOrigin
  ) {
    let version = facts.plist["NSPersistenceFrameworkVersion"] as? Int ?? 0
    if version < 1000 || apple.isMigrated {
      // Systems before 2020 had other indexes, and constraints inside the tables. A migration
      // leaves new columns at the end, and old indexes.
      #expect(ours.columnDifferences(from: apple) == [], "with the \(origin.rawValue) model")
    } else {
      #expect(ours.differences(from: apple) == [], "with the \(origin.rawValue) model")
    }
  }

  private func expectFacts(
    _ ours: Facts, _ apple: Facts, _ origin: StoreFixture.ModelOrigin, _ fixture: StoreFixture
  ) throws {
    // In this store, a migration left the old name of an entity.
    if fixture.name != "SampleModel_V2.sqlite" { #expect(ours.entities == apple.entities) }
    for key in [
      "NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion", "NSStoreType",
      "_NSAutoVacuumLevel",
    ] {
      #expect(ours.value(key) == apple.value(key), "\(key)")
    }
    // Apple's Core Data has written the first key since 2016, and the second since 2023.
    for key in ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"]
    where apple.plist[key] != nil {
      #expect(ours.value(key) == apple.value(key), "\(key)")
    }
    // Only the copy of the model in the store has the store's identifiers: a compiled model keeps its own. Stores of
    // iOS 3 omit the identifier "".
    if origin == .cache {
      #expect(
        ours.value("NSStoreModelVersionIdentifiers")
          == apple.value("NSStoreModelVersionIdentifiers"))
    }
    #expect(ours.plist["NSPersistenceFrameworkVersion"] is Int)
    #expect(UUID(uuidString: ours.uuid) != nil)
    #expect(ours.uuid != apple.uuid)
  }

  @Test("A new file is a WAL-mode SQLite file with incremental vacuum, like Apple's")
  func newFileHasApplesModes() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("New.sqlite")
    try OpenStore(url, SampleStore.model()).close()
    let database = try PlainDatabase(url)
    #expect(try database.values("PRAGMA journal_mode") == [[.text("wal")]])
    #expect(try database.values("PRAGMA auto_vacuum") == [[.integer(2)]])
    #expect(try database.values("PRAGMA page_size") == [[.integer(4096)]])
    #expect(try database.values("PRAGMA integrity_check") == [[.text("ok")]])
  }

  @Test("An R-tree index becomes a virtual table with triggers that maintain it")
  func rTreeIndex() throws {
    let place = NSEntityDescription()
    place.name = "Place"
    let latitude = SampleStore.attribute("latitude", .doubleAttributeType)
    let longitude = SampleStore.attribute("longitude", .doubleAttributeType)
    place.properties = [latitude, longitude]
    place.indexes = [
      NSFetchIndexDescription(
        name: "bounds",
        elements: [latitude, longitude].map {
          NSFetchIndexElementDescription(property: $0, collationType: .rTree)
        })
    ]
    let model = NSManagedObjectModel()
    model.entities = [place]
    let folder = try TemporaryFolder()
    let url = folder.file("Places.sqlite")
    let store = try OpenStore(url, model)
    try store.context.performAndWait {
      let object = NSEntityDescription.insertNewObject(forEntityName: "Place", into: store.context)
      object.setValue(1.5, forKey: "latitude")
      object.setValue(2.5, forKey: "longitude")
      try store.context.save()
    }
    try store.close()
    let database = try PlainDatabase(url)
    let triggers = try database.values(
      "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    // The statements are those of Apple's stores: Photos has such an index for the locations of its
    // assets.
    #expect(
      try database.values("SELECT sql FROM sqlite_master WHERE name = 'Z_RT_Place_bounds'")
        .map { $0[0].text } == [
          "CREATE VIRTUAL TABLE Z_RT_Place_bounds USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)"
        ])
    #expect(
      triggers.map { $0[0].text } == [
        "CREATE TRIGGER Z_RT_Place_bounds_DELETE AFTER DELETE ON ZPLACE FOR EACH ROW BEGIN DELETE FROM Z_RT_Place_bounds WHERE Z_PK = OLD.Z_PK ; END",
        "CREATE TRIGGER Z_RT_Place_bounds_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN INSERT OR REPLACE INTO Z_RT_Place_bounds (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES (NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE) ; END",
        "CREATE TRIGGER Z_RT_Place_bounds_UPDATE AFTER UPDATE ON ZPLACE FOR EACH ROW BEGIN DELETE FROM Z_RT_Place_bounds WHERE Z_PK = NEW.Z_PK ; INSERT INTO Z_RT_Place_bounds (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES (NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE) ; END",
      ])
    #expect(
      try database.values("SELECT * FROM Z_RT_Place_bounds")
        == [[.integer(1), .real(1.5), .real(1.5), .real(2.5), .real(2.5)]])
  }

  /// What a store's own tables state about its model.
  struct Facts {
    let uuid: String
    let plist: [String: Any]
    /// The number, name and parent of each entity, except those of persistent history.
    let entities: [[PlainValue]]

    init(_ url: URL) throws {
      let database = try PlainDatabase(url)
      let row = try database.values("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")[0]
      uuid = row[0].text ?? ""
      plist =
        try PropertyListSerialization.propertyList(from: row[1].blob ?? Data(), format: nil)
        as? [String: Any] ?? [:]
      entities = try database.values(
        "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
    }

    func value(_ key: String) -> NSObject? { plist[key] as? NSObject }
  }
}
