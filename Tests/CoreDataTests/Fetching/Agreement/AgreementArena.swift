import CoreData
import FixtureSupport
import Testing

/// A model on which predicates are tried, with random rows or with those of a store.
enum AgreementArena: Sendable, CustomTestStringConvertible {
  /// Every kind of attribute and relationship, in a model made in code.
  case everything
  /// The model of the example program.
  case contacts
  /// A model of the fixtures, by its path, with random rows.
  case model(String)
  /// A store that Apple's Core Data wrote, with its own rows.
  case store(String)

  static var all: [AgreementArena] {
    guard Fixtures.areAvailable else { return [.everything, .contacts] }
    return [.everything, .contacts]
      + [
        "SwiftGen/TestUtils/Fixtures/CoreData/Model.xcdatamodeld/Model 2.xcdatamodel",
        "Core-Data-Editor/iOS iOS iOS_Example.xcdatamodel",
        "CoreStore/CoreStoreModel.xcdatamodeld/Model.xcdatamodel",
      ].map { .model("models/\($0)") }
      + [
        "BrowserServicesKit/Resources/Bookmarks_V3.sqlite", "core-data/MigrationsTests/Moody.moody",
        "osxphotos/Test-10.15.7/CLSPublicEventCache.sqlite",
        "MagicalRecord/RecipeData/Recipes.sqlite", "osxphotos/Test-13.0.0/Photos.sqlite",
      ].map { .store("stores/\($0)") }
  }

  /// The share of the predicates that are tried on this arena, relative to other arenas. It is smaller for a store,
  /// because its rows are always the same.
  var weight: Int { if case .store = self { 1 } else { 5 } }

  var testDescription: String {
    switch self {
    case .everything: "everything"
    case .contacts: "contacts"
    case .model(let path): path.split(separator: "/").dropFirst().first.map(String.init) ?? path
    case .store(let path): path.split(separator: "/").last.map(String.init) ?? path
    }
  }

  /// The model for random rows, or nil for a store.
  func model() throws -> NSManagedObjectModel? {
    switch self {
    case .everything: try SampleStore.model().withoutRules()
    case .contacts: try NSManagedObjectModel(validating: Self.contactsModel).withoutRules()
    case .model(let path): try NSManagedObjectModel(validating: Fixtures.url(path)).withoutRules()
    case .store: nil
    }
  }

  private static let contactsModel = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Contacts/Contacts.xcdatamodeld/Contacts.xcdatamodel")
}

/// A read-only copy of a fixture store, with the rows of those entities that have few rows.
struct AgreementStore {
  static let mostRows = 60

  let world: AgreementWorld
  let rows: [Int: SampleRow]
  private let folder: TemporaryFolder

  init(_ path: String) throws {
    folder = try TemporaryFolder()
    let fixture = StoreFixture(path: path, sourceModel: nil)
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).last?.model)
    let store = try OpenStore(
      url, model,
      options: [
        NSReadOnlyPersistentStoreOption: NSNumber(value: true),
        NSIgnorePersistentStoreVersioningOption: NSNumber(value: true),
      ])
    let entities = try store.context.performAndWait {
      try model.entities.filter { entity in
        guard entity.superentity == nil else { return false }
        let count = try store.context.count(
          for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
        return count > 0 && count <= Self.mostRows
      }.flatMap(\.family).filter { !$0.isAbstract }.compactMap(\.name).sorted()
    }
    world = try AgreementWorld(store, model, entities: entities)
    rows = world.sampleRows()
  }
}

extension AgreementWorld {
  /// Returns the values of the objects, for use as constants in predicates.
  func sampleRows() -> [Int: SampleRow] {
    context.performAndWait {
      objects.mapValues { object in
        var row = SampleRow(entity: object.entity.name ?? "")
        for (name, attribute) in object.entity.settableAttributes {
          row.values[name] = SampleValue(object.value(forKey: name), attribute.attributeType)
        }
        return row
      }
    }
  }
}

extension SampleValue {
  /// Makes a sample value of an attribute's value.
  init(_ value: Any?, _ type: NSAttributeType) {
    switch (type, value) {
    case (.booleanAttributeType, let value as NSNumber): self = .boolean(value.boolValue)
    case (.doubleAttributeType, let value as NSNumber): self = .double(value.doubleValue)
    case (.floatAttributeType, let value as NSNumber): self = .float(value.floatValue)
    case (.decimalAttributeType, let value as NSDecimalNumber): self = .decimal(value.stringValue)
    case (_, let value as Int): self = .integer(Int64(value))
    case (_, let value as String): self = .text(value)
    case (_, let value as Date): self = .date(value.timeIntervalSinceReferenceDate)
    case (_, let value as Data): self = .data(Array(value))
    case (_, let value as UUID): self = .uuid(value.uuidString)
    case (_, let value as URL): self = .uri(value.absoluteString)
    default: self = .null
    }
  }
}
