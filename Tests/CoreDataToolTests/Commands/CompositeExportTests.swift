import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// Composite attributes in JSON and CSV: an export contains each element's value completely.
struct CompositeExportTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  /// The exported value of `place`. `empty` has no value.
  private static let exported =
    #"{"founded":"2024-05-01T10:00:00.5Z","inner":{"zip":5},"key":"AAECAw==","note":"say \"hi\"","#
    + #""number":"0A0B0C0D-0000-0000-0000-000000000001","on":true,"price":1.25,"#
    + #""site":"https://example.com/a","size":0.1}"#

  /// The same values as they are typed.
  private static let assignments = [
    "place.founded=2024-05-01T10:00:00.5Z", "place.inner.zip=5", "place.key=AAECAw==",
    "place.note=say \"hi\"", "place.number=0A0B0C0D-0000-0000-0000-000000000001", "place.on=true",
    "place.price=1.25", "place.site=https://example.com/a", "place.size=0.1",
  ]

  private static func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    func composite(
      _ name: String, _ elements: [NSAttributeDescription]
    ) -> NSCompositeAttributeDescription {
      let composite = NSCompositeAttributeDescription()
      (composite.name, composite.elements, composite.isOptional) = (name, elements, true)
      return composite
    }
    let lock = NSEntityDescription()
    lock.name = "Lock"
    lock.properties = [
      composite(
        "place",
        [
          attribute("on", .booleanAttributeType), attribute("founded", .dateAttributeType),
          attribute("key", .binaryDataAttributeType), attribute("note", .stringAttributeType),
          attribute("size", .floatAttributeType), attribute("price", .decimalAttributeType),
          attribute("number", .UUIDAttributeType), attribute("site", .URIAttributeType),
          attribute("empty", .stringAttributeType),
          composite("inner", [attribute("zip", .integer32AttributeType)]),
        ])
    ]
    let model = NSManagedObjectModel()
    model.entities = [lock]
    return model
  }

  /// Creates a store with one row, and returns its path and that of its model.
  private func fill(_ type: String) throws -> (store: String, model: String) {
    let model = Self.model()
    let (path, file) = (temporary.path("Locks.store"), temporary.path("Locks.mom"))
    try model.write(to: URL(fileURLWithPath: file))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: URL(fileURLWithPath: path))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let number = try #require(UUID(uuidString: "0A0B0C0D-0000-0000-0000-000000000001"))
    let site = try #require(URL(string: "https://example.com/a"))
    try context.performAndWait {
      let lock = NSEntityDescription.insertNewObject(forEntityName: "Lock", into: context)
      let place: [String: Any] = [
        "on": true, "founded": Date(timeIntervalSinceReferenceDate: 736_250_400.5),
        "key": Data([0, 1, 2, 3]), "note": "say \"hi\"", "size": Float(0.1),
        "price": NSDecimalNumber(string: "1.25"), "inner": ["zip": 5], "number": number,
        "site": site,
      ]
      lock.setValue(place, forKey: "place")
      try context.save()
    }
    try coordinator.remove(store)
    return (path, file)
  }

  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func `A composite value is exported as an object, and its elements can be entered as exported`(
    _ type: String
  ) throws {
    let (path, model) = try fill(type)
    let rows = ["Lock", "--model", model, "--columns", "place", "--format"]
    let json = ToolRun.coredata(["fetch", path] + rows + ["json"])
    #expect(json.output == "{\"place\":\(Self.exported)}\n", "\(json)")
    let csv = ToolRun.coredata(["fetch", path] + rows + ["csv"])
    let field = Self.exported.replacing("\"", with: "\"\"")
    #expect(csv.output == "place\r\n\"\(field)\"\r\n", "\(csv)")
    let insert = ToolRun.coredata(
      ["insert", path, "Lock", "--model", model] + Self.assignments)
    #expect(insert.code == 0, "\(insert)")
    let both = ToolRun.coredata(["fetch", path] + rows + ["json"])
    #expect(both.output == json.output + json.output, "\(both)")
  }

  @Test func `The error for a composite as text says how to set its elements`() throws {
    let (path, _) = try fill(NSSQLiteStoreType)
    let run = ToolRun.coredata("insert", path, "Lock", "place=\(Self.exported)")
    #expect(run.code == 64)
    #expect(run.errors.contains("Set its elements one by one: place.on=…"), "\(run)")
  }
}
