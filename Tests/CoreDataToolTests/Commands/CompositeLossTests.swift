import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// `coredata migrate` requires confirmation before it removes or cuts values of elements of composite attributes, and
/// digits of decimals.
struct CompositeLossTests {
  private static let kinds = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, was former: String? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
    attribute.renamingIdentifier = former
    return attribute
  }

  private static func composite(
    _ name: String, _ elements: [NSAttributeDescription]
  ) -> NSCompositeAttributeDescription {
    let composite = NSCompositeAttributeDescription()
    (composite.name, composite.elements, composite.isOptional) = (name, elements, true)
    return composite
  }

  private static func itemModel(_ properties: [NSPropertyDescription]) -> NSManagedObjectModel {
    let item = NSEntityDescription()
    (item.name, item.properties) = ("Item", properties)
    let model = NSManagedObjectModel()
    model.entities = [item]
    return model
  }

  /// A model of items with a number and a place, which has these elements beside its city and its inner code.
  private static func model(
    _ elements: [NSAttributeDescription], code: NSAttributeType = .integer64AttributeType
  ) -> NSManagedObjectModel {
    let inner = composite("inner", [attribute("code", code)])
    return itemModel([
      attribute("number", .integer16AttributeType),
      composite("place", [attribute("city", .stringAttributeType), inner] + elements),
    ])
  }

  private func write(_ model: NSManagedObjectModel) throws -> String {
    let file = temporary.path("\(UUID().uuidString).mom")
    try model.write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Creates a store of a kind whose items have these values, and migrates it.
  private func migrate(
    _ kind: String, _ rows: [[String: Any]], from old: NSManagedObjectModel,
    to new: NSManagedObjectModel
  ) throws -> ToolRun {
    let path = temporary.path("\(UUID().uuidString).store")
    let (from, to) = (try write(old), try write(new))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old)
    let store = try coordinator.addPersistentStore(
      ofType: kind, configurationName: nil, at: URL(fileURLWithPath: path))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for values in rows {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValuesForKeys(values)
      }
      try context.save()
    }
    try coordinator.remove(store)
    return ToolRun.coredata("migrate", path, "--from", from, "--to", to, "--quiet")
  }

  private static var places: [[String: Any]] {
    [
      ["place": ["city": "Oslo", "zip": 70_000, "inner": ["code": 70_000]] as [String: Any]],
      ["place": ["zip": 150, "inner": ["code": 7]] as [String: Any]],
      ["place": ["city": "Rome"]], ["number": 1],
    ]
  }

  @Test(arguments: kinds)
  func `Values of a removed element are removed only after confirmation`(_ kind: String) throws {
    let old = Self.model([Self.attribute("zip", .integer64AttributeType)])
    let run = try migrate(kind, Self.places, from: old, to: Self.model([]))
    #expect(run.code == 64, "\(run)")
    #expect(run.errors.contains("this would remove 2 values of Item.place.zip;"), "\(run)")
    let unused = try migrate(kind, [["place": ["city": "Rome"]]], from: old, to: Self.model([]))
    #expect(unused.code == 0, "\(unused)")
  }

  @Test(arguments: kinds)
  func `A renamed element needs a renaming identifier, and the command says so`(
    _ kind: String
  ) throws {
    let old = Self.model([Self.attribute("zip", .integer64AttributeType)])
    let run = try migrate(
      kind, Self.places, from: old,
      to: Self.model([Self.attribute("postcode", .integer64AttributeType)]))
    #expect(run.code == 64, "\(run)")
    #expect(run.errors.contains("this would remove 2 values of Item.place.zip;"), "\(run)")
    #expect(
      run.errors.contains(
        "place.zip is removed and place.postcode of the same type is added. If this is a rename, set"
          + " the renaming identifier of the new element to zip to keep the values."), "\(run)")
    let renamed = try migrate(
      kind, Self.places, from: old,
      to: Self.model([Self.attribute("postcode", .integer64AttributeType, was: "zip")]))
    #expect(renamed.code == 0, "\(renamed)")
  }

  @Test(arguments: kinds)
  func `Numbers of an element that do not fit the new type are counted`(_ kind: String) throws {
    let old = Self.model([Self.attribute("zip", .integer64AttributeType)])
    let run = try migrate(
      kind, Self.places, from: old,
      to: Self.model(
        [Self.attribute("zip", .integer16AttributeType)], code: .booleanAttributeType))
    #expect(run.code == 64, "\(run)")
    #expect(
      run.errors.contains(
        "this would cut 2 values of Item.place.inner.code, 1 value of Item.place.zip;"), "\(run)")
  }

  @Test(arguments: kinds)
  func `Rows without a value of a removed composite attribute are not counted`(
    _ kind: String
  ) throws {
    let old = Self.model([Self.attribute("zip", .integer64AttributeType)])
    let run = try migrate(
      kind, Self.places, from: old,
      to: Self.itemModel([Self.attribute("number", .integer16AttributeType)]))
    #expect(run.code == 64, "\(run)")
    #expect(run.errors.contains("this would remove 3 values of Item.place;"), "\(run)")
  }

  /// A SQLite store has rounded the number already.
  @Test(arguments: kinds)
  func `Digits of a decimal that a double does not have are cut only after confirmation`(
    _ kind: String
  ) throws {
    func model(_ type: NSAttributeType) -> NSManagedObjectModel {
      Self.itemModel([Self.attribute("price", type)])
    }
    let prices = ["0.1", "12345678901234567890.12345", "-7"]
    let run = try migrate(
      kind, prices.map { ["price": NSDecimalNumber(string: $0)] },
      from: model(.decimalAttributeType), to: model(.doubleAttributeType))
    #expect(run.code == (kind == NSSQLiteStoreType ? 0 : 64), "\(run)")
    if kind != NSSQLiteStoreType {
      #expect(run.errors.contains("this would cut 1 value of Item.price;"), "\(run)")
    }
  }
}
