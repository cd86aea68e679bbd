import CoreData
import FixtureSupport
import Testing

/// Decimals of 38 digits, which XML and binary stores keep, in migrated stores.
@Suite("Decimals in migrated stores")
struct MigratedDecimalTests {
  private static let digits = [
    "12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678",
    "12345678901234567890123456789012345677",
  ]

  private static func model(_ version: Int) -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Price"
    entity.properties = [
      SampleStack.attribute("number", .integer64AttributeType),
      SampleStack.attribute("amount", .decimalAttributeType),
    ]
    if version == 2 {
      entity.properties.append(SampleStack.attribute("note", .stringAttributeType))
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  private func fill(_ kind: TestedStore, _ url: URL, _ version: Int = 1) throws {
    let (store, context) = try kind.open(Self.model(version), at: url)
    try context.performAndWait {
      for (number, digits) in Self.digits.enumerated() {
        context.insert("Price", ["number": number, "amount": NSDecimalNumber(string: digits)])
      }
      try context.save()
    }
    try store.persistentStoreCoordinator?.remove(store)
  }

  private func amounts(_ context: NSManagedObjectContext) throws -> [String] {
    try context.performAndWait {
      try context.all("Price", sort: ["number"]).map {
        ($0.value(forKey: "amount") as? NSDecimalNumber)?.stringValue ?? "-"
      }
    }
  }

  private func migrate(_ kind: TestedStore, from source: URL, to destination: URL) throws {
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: Self.model(1), destinationModel: Self.model(2))
    try NSMigrationManager(sourceModel: Self.model(1), destinationModel: Self.model(2))
      .migrateStore(
        from: source, sourceType: kind.type, options: nil, with: mapping,
        toDestinationURL: destination, destinationType: kind.type, destinationOptions: nil)
  }

  @Test(
    "A migration by a mapping model keeps all digits", arguments: [TestedStore.xml, .binary])
  func byMapping(_ kind: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (from, to) = (kind.url(in: folder, "from"), kind.url(in: folder, "to"))
    try fill(kind, from)
    try migrate(kind, from: from, to: to)
    let (_, context) = try kind.open(Self.model(2), at: to)
    #expect(try amounts(context) == Self.digits)
  }

  @Test(
    "A migration into a destination with existing objects keeps all digits",
    arguments: [TestedStore.xml, .binary])
  func added(_ kind: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (from, to) = (kind.url(in: folder, "from"), kind.url(in: folder, "to"))
    try fill(kind, from)
    try fill(kind, to, 2)
    try migrate(kind, from: from, to: to)
    let (_, context) = try kind.open(Self.model(2), at: to)
    #expect(try amounts(context).sorted() == (Self.digits + Self.digits).sorted())
  }

  @Test("A migration in place keeps all digits", arguments: [TestedStore.xml, .binary])
  func inPlace(_ kind: TestedStore) throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    try fill(kind, url)
    let references = [1, 2].map { version in
      let model = Self.model(version)
      return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
    let (_, context) = try kind.open(
      Self.model(2), at: url,
      options: [
        NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ])
    #expect(try amounts(context) == Self.digits)
  }
}
