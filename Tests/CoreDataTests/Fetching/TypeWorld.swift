import CoreData
import FixtureSupport
import Predicates
import Testing

@testable import CoreData

/// A store with an attribute of every type, whose rows have the extreme values of the types.
final class TypeWorld {
  /// The attributes by name.
  static let attributes: [(name: String, type: NSAttributeType)] = [
    ("small", .integer16AttributeType), ("medium", .integer32AttributeType),
    ("whole", .integer64AttributeType), ("flag", .booleanAttributeType),
    ("double", .doubleAttributeType), ("float", .floatAttributeType),
    ("money", .decimalAttributeType), ("text", .stringAttributeType), ("date", .dateAttributeType),
    ("bytes", .binaryDataAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
  ]

  /// The values of each attribute, one for each row. The first row has no values.
  static var values: [String: [Any?]] {
    [
      "small": [nil, 0, Int(Int16.max), Int(Int16.min), -1, 7],
      "medium": [nil, 0, Int(Int32.max), Int(Int32.min), 200, -3],
      "whole": [nil, 0, Int.max, Int.min, -1, 64],
      "flag": [nil, false, true, true, false, true],
      "double": [nil, 0.0, Double.greatestFiniteMagnitude, -Double.infinity, 0.1, -2.5],
      "float": [
        nil, Float(0), Float.greatestFiniteMagnitude, -Float.infinity, Float(0.5), Float(-3),
      ],
      "money": [
        nil, NSDecimalNumber.zero, NSDecimalNumber(string: "12345678901234.5"),
        NSDecimalNumber(string: "-1"), NSDecimalNumber(string: "0.1"), NSDecimalNumber(string: "7"),
      ],
      "text": [nil, "", "Élan", "7", "[", "a/b.c"],
      "date": [
        nil, Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 1e15),
        Date(timeIntervalSinceReferenceDate: -1e15), Date(timeIntervalSinceReferenceDate: 0.5),
        Date(timeIntervalSinceReferenceDate: -86400),
      ],
      "bytes": [nil, Data(), Data([255]), Data([0]), Data([1, 2, 3]), Data("abc".utf8)],
      "uuid": [
        nil, UUID(uuidString: "00000000-0000-0000-0000-000000000000"),
        UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"),
        UUID(uuidString: "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9"),
        UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
        UUID(uuidString: "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8FA"),
      ],
      "uri": [
        nil, URL(string: "urn:x"), URL(string: "https://example.com/a?b=c#d"),
        URL(string: "file:///x%20y"), URL(string: "mailto:x@y.z"), URL(string: "https://h:80/"),
      ],
    ]
  }

  let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator
  /// The rows in their order, each with a number under `row`.
  private(set) var objects: [NSManagedObject] = []
  private let stack: SampleStack

  init() throws {
    stack = try SampleStack(model: Self.model())
    (context, coordinator) = (stack.context, stack.coordinator)
    try context.performAndWait {
      let values = Self.values
      let rows = (0..<6).map { row in
        let object = context.insert("Thing")
        object.setValue(row, forKey: "row")
        for (name, _) in Self.attributes {
          object.setValue(values[name]?[row], forKey: name)
        }
        return object
      }
      // Row 1 has no destinations. Row 2 has all rows in `some`, and the remaining rows have only themselves.
      for (row, object) in rows.enumerated() where row != 1 {
        object.setValue(rows[(row + 1) % 6], forKey: "next")
        object.setValue(NSSet(array: row == 2 ? rows : [rows[row]]), forKey: "some")
        object.setValue(NSOrderedSet(array: [rows[5 - row], rows[row]]), forKey: "list")
      }
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      request.sortDescriptors = [NSSortDescriptor(key: "row", ascending: true)]
      objects = try context.fetch(request)
    }
  }

  private static func model() -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    func relationship(
      _ name: String, most: Int, isOrdered: Bool = false
    ) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = entity
      relationship.maxCount = most
      relationship.isOrdered = isOrdered
      relationship.isOptional = true
      return relationship
    }
    let relationships = [
      relationship("next", most: 1), relationship("some", most: 0),
      relationship("list", most: 0, isOrdered: true),
    ]
    let inverses = [
      relationship("previous", most: 0), relationship("someOf", most: 0),
      relationship("listOf", most: 0),
    ]
    for (one, other) in zip(relationships, inverses) {
      one.inverseRelationship = other
      other.inverseRelationship = one
    }
    entity.properties =
      [attribute("row", .integer16AttributeType)]
      + attributes.map { attribute($0.name, $0.type) } + relationships + inverses
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  var layout: EntityLayout { objects[0].layout }
}

/// The result of an evaluator for an expression or predicate and one row.
enum Outcome: CustomStringConvertible {
  case value(Any?)
  case failure(String)

  init(_ body: () throws -> Any?) {
    do { self = .value(try body()) } catch { self = .failure(error.localizedDescription) }
  }

  var isFailure: Bool { if case .failure = self { true } else { false } }

  var description: String {
    switch self {
    case .value(let value): value.map { "\($0) (\(type(of: $0)))" } ?? "nil"
    case .failure(let reason): "failure: \(reason)"
    }
  }

  /// Returns whether two evaluators agree. Doubles may differ in their last digits.
  func agrees(with other: Outcome) -> Bool {
    switch (self, other) {
    case (.failure, .failure): return true
    case (.value(let a), .value(let b)):
      let (a, b) = (Scalar(a), Scalar(b))
      if ValueEquality.areEqual(a, b) { return true }
      // A store keeps dates as numbers, so a date may be equal to a number.
      let (x, y) = (Self.number(a), Self.number(b))
      guard let x, let y else { return false }
      if x == y || x.isNaN && y.isNaN { return true }
      // The tolerance would be infinite for an infinite number.
      return x.isFinite && y.isFinite && abs(x - y) <= 1e-9 * max(abs(x), abs(y))
    default: return false
    }
  }

  private static func number(_ value: Scalar) -> Double? {
    if case .date(let date) = value { return date.timeIntervalSinceReferenceDate }
    return value.doubleValue
  }
}
