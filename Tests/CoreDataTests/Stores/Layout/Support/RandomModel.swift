import CoreData
import FixtureSupport

/// A random model with properties of every kind, and objects for it.
struct RandomModel {
  let model: NSManagedObjectModel
  private var generator: SeededGenerator
  /// The text of each value that was set, by the name of its object and then of its attribute.
  private(set) var given: [String: [String: String]] = [:]
  /// For each to-many relationship without an inverse, the names of the objects that already have an owner. A member's
  /// row can refer to only one owner, as in Apple's stores.
  private var taken: [String: Set<String>] = [:]
  /// The names of the destinations of relationships without an inverse. Deleting one of these objects
  /// would leave a dangling reference.
  private(set) var referred: Set<String> = []

  private static let types: [NSAttributeType] = [
    .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .stringAttributeType,
    .booleanAttributeType, .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType,
    .URIAttributeType, .transformableAttributeType,
  ]

  /// - Parameter withDerived: Whether there are derived attributes, which only SQLite stores
  /// support.
  init(_ generator: SeededGenerator, withDerived: Bool) {
    self.generator = generator
    model = NSManagedObjectModel()
    var entities: [NSEntityDescription] = []
    for index in 0..<Int.random(in: 2...5, using: &self.generator) {
      let entity = NSEntityDescription()
      entity.name = "E\(index)"
      if let parent = entities.randomElement(using: &self.generator), flip(40) {
        parent.subentities.append(entity)
      } else {
        entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
      }
      entities.append(entity)
    }
    for (index, entity) in entities.enumerated() {
      for number in 0..<Int.random(in: 1...6, using: &self.generator) {
        entity.properties.append(attribute("a\(index)_\(number)", depth: 0))
      }
    }
    for number in 0..<Int.random(in: 2...6, using: &self.generator) {
      relate(entities, number)
    }
    if withDerived { derive(entities) }
    model.entities = entities
  }

  private mutating func flip(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  private mutating func attribute(_ name: String, depth: Int) -> NSAttributeDescription {
    if depth < 2, flip(20) {
      let composite = NSCompositeAttributeDescription()
      composite.name = name
      for number in 0..<Int.random(in: 1...3, using: &generator) {
        composite.elements.append(attribute("e\(number)", depth: depth + 1))
      }
      return composite
    }
    let type = Self.types.randomElement(using: &generator) ?? .stringAttributeType
    let attribute = SampleStack.attribute(name, type)
    if type == .binaryDataAttributeType, depth == 0 {
      attribute.allowsExternalBinaryDataStorage = flip(70)
    }
    return attribute
  }

  /// Adds one relationship, usually with an inverse.
  private mutating func relate(_ entities: [NSEntityDescription], _ number: Int) {
    guard let first = entities.randomElement(using: &generator),
      let second = entities.randomElement(using: &generator)
    else { return }
    let (isMany, isInverseMany) = (flip(60), flip(50))
    let relationship = SampleStack.relationship(
      "r\(number)", to: second, toMany: isMany, isOrdered: isMany && flip(40))
    first.properties.append(relationship)
    if first === second, isMany, !relationship.isOrdered, flip(30) {
      relationship.inverseRelationship = relationship
      return
    }
    if flip(20) { return }
    let inverse = SampleStack.relationship(
      "i\(number)", to: first, toMany: isInverseMany, isOrdered: isInverseMany && flip(30))
    second.properties.append(inverse)
    relationship.inverseRelationship = inverse
    inverse.inverseRelationship = relationship
  }

  private mutating func derive(_ entities: [NSEntityDescription]) {
    for (index, entity) in entities.enumerated() {
      var derivations: [(String, String, NSAttributeType)] = [
        ("upper\(index)", "uppercase:(name)", .stringAttributeType)
      ]
      for property in entity.properties {
        if let relationship = property as? NSRelationshipDescription, relationship.isToMany,
          relationship.entity === entity
        {
          derivations.append(
            ("count_\(relationship.name)", "\(relationship.name).@count", .integer64AttributeType))
        }
      }
      for (name, expression, type) in derivations {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.derivationExpression = NSExpression(format: expression)
        entity.properties.append(attribute)
      }
    }
  }

  // MARK: Data

  /// Inserts objects with values and relationships.
  mutating func fill(_ context: NSManagedObjectContext, count: Int) {
    var objects: [NSManagedObject] = []
    for number in 0..<count {
      guard let entity = model.entities.randomElement(using: &generator) else { return }
      objects.append(context.insert(entity.name ?? "", ["name": "n\(number)"]))
    }
    for object in objects { change(object, among: objects) }
  }

  /// Sets most attributes and relationships of an object to random values.
  mutating func change(_ object: NSManagedObject, among objects: [NSManagedObject]) {
    let name = object["name"] ?? ""
    for (key, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
    where key != "name" && !(attribute is NSDerivedAttributeDescription) {
      if flip(15) { continue }
      let value = flip(15) ? nil : value(attribute)
      object.setValue(value, forKey: key)
      given[name, default: [:]][key] = Self.text(value)
    }
    for (key, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
      if flip(40) { continue }
      let isExclusive = relationship.isToMany && relationship.inverseRelationship == nil
      let all = objects.filter { object in
        guard let entity = relationship.destinationEntity else { return false }
        return object.entity.isKindOf(entity: entity)
          && !(isExclusive && taken[key]?.contains(object["name"] ?? "") == true)
      }
      if !relationship.isToMany {
        let one = flip(20) ? nil : all.randomElement(using: &generator)
        object.setValue(one, forKey: key)
        if let name = one?["name"] as String?, relationship.inverseRelationship == nil {
          referred.insert(name)
        }
        continue
      }
      let some = all.shuffled(using: &generator)
        .prefix(Int.random(in: 0...5, using: &generator))
      if isExclusive {
        let names = some.compactMap { $0["name"] as String? }
        taken[key, default: []].formUnion(names)
        referred.formUnion(names)
      }
      object.setValue(
        relationship.isOrdered ? NSOrderedSet(array: Array(some)) : NSSet(array: Array(some)),
        forKey: key)
    }
  }

  private mutating func value(_ attribute: NSAttributeDescription) -> Any? {
    if let composite = attribute as? NSCompositeAttributeDescription {
      var values: [String: Any] = [:]
      for element in composite.elements where !flip(30) {
        values[element.name] = value(element)
      }
      return values.isEmpty ? nil : values
    }
    let number = Int64.random(in: -1_000_000...1_000_000, using: &generator)
    switch attribute.attributeType {
    case .integer16AttributeType: return Int(number % 32_000)
    case .integer32AttributeType: return Int(number)
    case .integer64AttributeType: return Int(number &* 9_000_000_000)
    case .decimalAttributeType:
      return NSDecimalNumber(mantissa: UInt64(abs(number)), exponent: -3, isNegative: number < 0)
    case .doubleAttributeType: return Double(number) / 7
    case .floatAttributeType: return Float(number) / 8
    case .stringAttributeType: return "text \(number) é 北京 <&>\"'"
    case .booleanAttributeType: return number % 2 == 0
    case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number) * 1000.25)
    case .binaryDataAttributeType:
      let count = flip(20) ? 140_000 : Int(abs(number) % 50)
      return Data.pattern(count, from: Int(number))
    case .UUIDAttributeType:
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      return UUID(uuidString: NSUUID(uuidBytes: bytes).uuidString)
    case .URIAttributeType: return URL(string: "https://example.org/\(number)?a=b&c=%20")
    case .transformableAttributeType: return ["t\(number)", "b"] as NSArray
    default: return nil
    }
  }

  // MARK: Comparing

  /// Describes the relationship whose members a derived attribute (`count_…`) counts.
  static func kind(_ count: String, _ context: NSManagedObjectContext) -> String {
    let name = count.replacing("count_", with: "")
    let model = context.persistentStoreCoordinator?.managedObjectModel
    let found = model?.entities.compactMap { $0.relationshipsByName[name] }.first
    let inverse = found?.inverseRelationship
    return "ordered \(found?.isOrdered ?? false), inverse \(inverse?.name ?? "none")"
      + " to-many \(inverse?.isToMany ?? false)"
  }

  /// Returns a complete textual representation of a value.
  static func text(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let dictionary as [String: Any]:
      "{"
        + dictionary.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }
        .joined(separator: ", ") + "}"
    case let data as Data: "\(data.count) bytes \(data.hashValue)"
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let flag as Bool where value is Bool && !(value is Int): "\(flag ? 1 : 0)"
    case let number as NSNumber: number.stringValue
    case let array as NSArray: array.map { "\($0)" }.joined(separator: "|")
    case let value?: "\(value)"
    }
  }

  /// Returns the contents of all objects by name: their attributes, and the names of the objects to
  /// which they are related.
  static func picture(
    _ context: NSManagedObjectContext, withDerived: Bool = false
  ) throws -> [String: [String: String]] {
    var picture: [String: [String: String]] = [:]
    for entity in context.persistentStoreCoordinator?.managedObjectModel.entities ?? [] {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      for object in try context.fetch(request) {
        var values = ["entity": entity.name ?? ""]
        for (key, attribute) in entity.attributesByName
        where withDerived || !(attribute is NSDerivedAttributeDescription) {
          values[key] = text(object.value(forKey: key))
        }
        for (key, relationship) in entity.relationshipsByName {
          func name(_ object: Any) -> String { (object as? NSManagedObject)?["name"] ?? "?" }
          values[key] =
            switch object.value(forKey: key) {
            case let set as NSOrderedSet: set.map(name).joined(separator: " ")
            case let set as NSSet: set.map(name).sorted().joined(separator: " ")
            case let one?: name(one)
            case nil: relationship.isToMany ? "" : "nil"
            }
        }
        picture[object["name"] ?? "?"] = values
      }
    }
    return picture
  }
}
