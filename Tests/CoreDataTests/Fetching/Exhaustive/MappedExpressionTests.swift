import CoreData
import Predicates
import Synchronization
import Testing

@testable import CoreData

/// The expressions of a mapping model, evaluated by real migrations: the answers of plain evaluation, or
/// errors where it has errors.
@Suite("Every function and operator in a mapping model")
struct MappedExpressionTests {
  /// Evaluates many expressions for each source object, as its mapping's own, and notes what comes out.
  final class NoteTaker: NSEntityMigrationPolicy {
    static let formats = Mutex<[String]>([])
    static let notes = Mutex<[String: [Int: String]]>([:])
    private var last: String?

    override func createDestinationInstances(
      forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
      let row = try #require(source.value(forKey: "row") as? Int)
      for format in Self.formats.withLock({ $0 }) {
        let property = NSPropertyMapping()
        property.name = "result"
        property.valueExpression = try NSExpression(
          validating: "FUNCTION($entityPolicy, \"note:\", \(format))")
        mapping.attributeMappings = [property]
        let note: String
        last = nil
        do {
          try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
          note = last ?? "no note"
        } catch {
          #expect((error as NSError).code == NSMigrationError, "\(format): \(error)")
          note = "failure"
        }
        Self.notes.withLock { $0[format, default: [:]][row] = note }
      }
    }

    override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
      last = MappedExpressionTests.text(arguments[0])
      return nil
    }
  }

  /// A value as text, the same whichever context an object is in.
  private static func text(_ value: Any?) -> String {
    if let object = flattenOptional(value) as? NSManagedObject {
      return "row \(object.value(forKey: "row") ?? "")"
    }
    if let collection = KeyValueCollection(value) {
      let texts = collection.elements.map { text($0) }
      return "\(texts.sorted())"
    }
    switch Scalar(value) {
    case .null: return "nil"
    case .double(let number) where Int64(exactly: number) != nil: return "\(Int64(number))"
    case let scalar: return "\(scalar.boxed ?? "")"
    }
  }

  private func migrate(
    _ types: [(name: String, type: NSAttributeType)], _ policy: NSEntityMigrationPolicy.Type,
    _ body: (TypeWorld) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    NSEntityMigrationPolicy.register([policy])
    try StoreScope.$current.withValue(StoreScope(kind: .sqlite, folder: folder)) {
      let world = try TypeWorld()
      let url = try #require(world.coordinator.persistentStores.first?.url)
      let entity = NSEntityDescription()
      entity.name = "Outcome"
      entity.properties = types.map { SampleStack.attribute($0.name, $0.type) }
      let model = NSManagedObjectModel()
      model.entities = [entity]
      let mapping = NSEntityMapping()
      mapping.name = "ThingToOutcome"
      mapping.mappingType = .customEntityMappingType
      mapping.sourceEntityName = "Thing"
      mapping.destinationEntityName = "Outcome"
      mapping.sourceExpression = NSExpression(
        format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', %@,"
          + " %@), $manager.sourceContext, NO)", "Thing", "TRUEPREDICATE")
      mapping.sourceEntityVersionHash = world.objects[0].entity.versionHash
      mapping.destinationEntityVersionHash = entity.versionHash
      mapping.entityMigrationPolicyClassName = String(reflecting: policy)
      let mappings = NSMappingModel()
      mappings.entityMappings = [mapping]
      let source = world.coordinator.managedObjectModel
      try NSMigrationManager(sourceModel: source, destinationModel: model).migrateStore(
        from: url, type: .sqlite, mapping: mappings, to: folder.file("outcome.sqlite"),
        type: .sqlite)
      try world.context.performAndWait { try body(world) }
    }
  }

  @Test("gives what plain evaluation gives")
  func sameValues() throws {
    var formats = PredicateTables.functions.flatMap { function in
      ExhaustiveRun.sample(PredicateTables.calls(of: function), most: 12, "mapped \(function)")
    }
    formats += PredicateTables.operators.flatMap { sign in
      ExhaustiveRun.sample(PredicateTables.comparisons(sign), most: 12, "mapped \(sign)")
        .map { "TERNARY(\($0), 1, 0)" }
    }
    formats += PredicateTables.operands + PredicateTables.collections + PredicateTables.computed
    formats += PredicateTables.attributes.map { "$source.\($0)" }
    formats += [
      "SUBQUERY(#some, $s, $s.whole * 12 > 5).@count",
      "SUBQUERY($source.list, $s, $s.whole * 12 > 5)",
      "$source.next.next.double", "$source.whole * 12", "whole * 12 > 5", "nosuch",
      "$source.nosuch",
      "$nosuch", "#some.nosuch", "@count",
      "FUNCTION(nil, \"nosuch\")", "FUNCTION(text, \"nosuch:\", 1)", "$entityMapping.nosuch",
    ]
    // Chance, and the place of an element in a set, are others each time.
    formats = formats.filter { !$0.hasPrefix("randomn:") && !$0.hasPrefix("(#some") }
    let readable = formats.filter { (try? NSExpression(validating: $0)) != nil }
    #expect(readable.count > formats.count * 9 / 10)
    NoteTaker.formats.withLock { $0 = readable }
    try migrate([("result", .transformableAttributeType)], NoteTaker.self) { world in
      let notes = NoteTaker.notes.withLock { $0 }
      var differences: [String] = []
      for format in readable {
        let expression = try NSExpression(validating: format)
        for (row, object) in world.objects.enumerated() {
          let context: NSMutableDictionary = ["source": object, "entityMapping": NSEntityMapping()]
          let plain = Outcome { try expression.evaluated(with: object, context: context) }
          let expected =
            if case .value(let value) = plain { Self.text(value) } else { "failure" }
          let note = notes[format]?[row] ?? "none"
          if note != expected {
            differences.append("\(format): row \(row) plain \(expected), migrated \(note)")
            break
          }
        }
      }
      ExhaustiveRun.expectNone(differences, of: readable.count)
    }
  }

  /// Sets every attribute to every value.
  final class Setter: NSEntityMigrationPolicy {
    static let failures = Mutex<[String]>([])
    static let successes = Mutex(0)

    override func createDestinationInstances(
      forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
      // One object with values at the edges, and the one that has none.
      guard let row = source.value(forKey: "row") as? Int, row == 0 || row == 2 else { return }
      for (name, _) in TypeWorld.attributes {
        for format in PredicateTables.operands + PredicateTables.collections {
          let property = NSPropertyMapping()
          property.name = name
          property.valueExpression = try NSExpression(validating: format)
          mapping.attributeMappings = [property]
          do {
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            Self.successes.withLock { $0 += 1 }
          } catch {
            Self.failures.withLock { $0.append("\((error as NSError).code)") }
          }
          // What a type holds, a store may still refuse; that is not asked here.
          for object in manager.destinationContext.insertedObjects {
            manager.destinationContext.delete(object)
          }
        }
      }
    }
  }

  @Test("is set, or is an error where the attribute has another type")
  func everyTypeOfAttribute() throws {
    try migrate(TypeWorld.attributes, Setter.self) { _ in }
    #expect(Setter.successes.withLock { $0 } > 200)
    let codes = Set(Setter.failures.withLock { $0 })
    #expect(codes == ["\(NSMigrationError)"])
  }
}
