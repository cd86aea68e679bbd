import CoreData
import Predicates
import Synchronization
import Testing

@testable import CoreData

/// Expressions of a mapping model, evaluated by real migrations, have the same results and errors as plain
/// evaluation.
@Suite("Every function and operator in a mapping model")
struct MappedExpressionTests {
  /// Evaluates many expressions for each source object, as expressions of its mapping, and records the results.
  final class ResultRecorder: NSEntityMigrationPolicy {
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

  /// Returns a value as text. An object has the same text in every context.
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

  @Test("has the same result as plain evaluation")
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
    // Random numbers, and the order of a set's elements, differ each time.
    formats = formats.filter { !$0.hasPrefix("randomn:") && !$0.hasPrefix("(#some") }
    let readable = formats.filter { (try? NSExpression(validating: $0)) != nil }
    #expect(readable.count > formats.count * 9 / 10)
    ResultRecorder.formats.withLock { $0 = readable }
    try migrate([("result", .transformableAttributeType)], ResultRecorder.self) { world in
      let notes = ResultRecorder.notes.withLock { $0 }
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

  /// Sets every attribute to the result of every expression.
  final class Setter: NSEntityMigrationPolicy {
    static let failures = Mutex<[String]>([])
    static let successes = Mutex(0)

    override func createDestinationInstances(
      forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
      // Uses one object with extreme values, and the one without values.
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
          // A store may still refuse a value of the right type, which is not tested here.
          for object in manager.destinationContext.insertedObjects {
            manager.destinationContext.delete(object)
          }
        }
      }
    }
  }

  @Test("sets an attribute, or is an error if the attribute has a different type")
  func everyTypeOfAttribute() throws {
    try migrate(TypeWorld.attributes, Setter.self) { _ in }
    #expect(Setter.successes.withLock { $0 } > 200)
    let codes = Set(Setter.failures.withLock { $0 })
    #expect(codes == ["\(NSMigrationError)"])
  }
}
