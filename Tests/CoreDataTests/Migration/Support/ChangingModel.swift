import CoreData
import FixtureSupport
import Foundation

/// A model that changes at random, as a plain list. Numbers identify its entities and properties
/// across renames.
struct ChangingModel {
  struct Attribute {
    let number: Int
    var name: String
    var type: String
    var isRequired = false
    var defaultValue: Int?
    var previousName: String?
  }

  struct Relationship {
    let number: Int
    var name: String
    var destination: Int
    var isToMany: Bool
    var isOrdered = false
    /// The number of the inverse.
    var inverse: Int?
    var previousName: String?
  }

  struct Entity {
    let number: Int
    var name: String
    var parent: Int?
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var previousName: String?
  }

  var entities: [Entity] = []
  private var last = 0
  private var generation = 0

  init(_ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 2...4, using: &random) { addEntity(&random) }
    for _ in 0..<6 { addAttribute(&random) }
    for _ in 0..<4 { addRelationships(&random) }
  }

  private mutating func number() -> Int {
    last += 1
    return last
  }

  // MARK: Reading

  func entity(_ number: Int) -> Entity { entities.first { $0.number == number }! }

  func lineage(_ number: Int) -> [Entity] {
    let own = entity(number)
    return [own] + (own.parent.map(lineage) ?? [])
  }

  func isKind(_ number: Int, of other: Int) -> Bool {
    lineage(number).contains { $0.number == other }
  }

  func attributes(of number: Int) -> [Attribute] { lineage(number).flatMap(\.attributes) }

  var relationships: [(owner: Int, relationship: Relationship)] {
    entities.flatMap { entity in entity.relationships.map { (entity.number, $0) } }
  }

  func relationship(_ number: Int) -> (owner: Int, relationship: Relationship)? {
    relationships.first { $0.relationship.number == number }
  }

  // MARK: The model

  /// The model, with renaming identifiers for everything whose name differs from the previous
  /// version.
  func model() -> NSManagedObjectModel {
    var lines: [String] = []
    let names = Dictionary(uniqueKeysWithValues: entities.map { ($0.number, $0.name) })
    for entity in entities {
      var head = entity.name
      if let parent = entity.parent { head += " < \(names[parent]!)" }
      if let previous = entity.previousName { head += " was \(previous)" }
      var parts = entity.parent == nil ? ["oid i64"] : []
      for attribute in entity.attributes {
        var text = "\(attribute.name) \(attribute.type)\(attribute.isRequired ? "!" : "")"
        if let value = attribute.defaultValue { text += " = \(value)" }
        if let previous = attribute.previousName { text += " was \(previous)" }
        parts.append(text)
      }
      for relationship in entity.relationships {
        var text = relationship.name
        text += !relationship.isToMany ? " -> " : relationship.isOrdered ? " ->o " : " ->> "
        text += names[relationship.destination]!
        if let inverse = relationship.inverse.flatMap(self.relationship) {
          text += ".\(inverse.relationship.name)"
        }
        if let previous = relationship.previousName { text += " was \(previous)" }
        parts.append(text)
      }
      lines.append("\(head): \(parts.joined(separator: "; "))")
    }
    return ModelText.model(lines.joined(separator: "\n"))
  }

  // MARK: Changing

  /// Makes one to four random changes. A mapping can be inferred for most of them.
  mutating func mutate(_ random: inout SeededGenerator) {
    // Names of new attributes include the generation or a new number: otherwise a new attribute with the name of a
    // removed one would be treated as that attribute.
    generation += 1
    for index in entities.indices {
      entities[index].previousName = nil
      for place in entities[index].attributes.indices {
        entities[index].attributes[place].previousName = nil
      }
      for place in entities[index].relationships.indices {
        entities[index].relationships[place].previousName = nil
      }
    }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1: addAttribute(&random)
      case 2: change(&random) { attributes, place, _ in attributes.remove(at: place) }
      case 3, 4:
        let name = "a\(number())"
        change(&random) { attributes, place, _ in
          // Siblings can have a `shared` attribute of the same name, so that renaming one would be
          // ambiguous.
          if attributes[place].name.hasPrefix("shared") { return }
          attributes[place].previousName = attributes[place].previousName ?? attributes[place].name
          attributes[place].name = name
        }
      case 5:
        change(&random) { attributes, place, random in
          attributes[place].isRequired.toggle()
          attributes[place].defaultValue = Int.random(in: 1...9, using: &random)
        }
      case 6:
        change(&random) { attributes, place, random in
          let types = ["i16", "i32", "i64", "double", "float", "decimal"]
          if types.contains(attributes[place].type) {
            attributes[place].type = types.randomElement(using: &random)!
          }
        }
      case 7: addEntity(&random)
      case 8: renameEntity(&random)
      case 9: addRelationships(&random)
      case 10: changeRelationship(&random) { $0.isToMany.toggle() }
      case 11:
        changeRelationship(&random) { if $0.isToMany { $0.isOrdered.toggle() } }
      case 12: removeRelationships(&random)
      default: move(&random)
      }
    }
  }

  private mutating func addEntity(_ random: inout SeededGenerator) {
    let number = number()
    let parent = Bool.random(using: &random) ? entities.randomElement(using: &random)?.number : nil
    // The names are in no particular order, so that the entity numbers in the store change.
    let letter = "abcdefghijklmnop".randomElement(using: &random)!
    entities.append(Entity(number: number, name: "E\(letter)\(number)", parent: parent))
  }

  private mutating func addAttribute(_ random: inout SeededGenerator) {
    let number = number()
    let types = ["i16", "i32", "i64", "double", "decimal", "string"]
    let type = types.randomElement(using: &random)!
    let value = Bool.random(using: &random) ? Int.random(in: 1...9, using: &random) : nil
    // Attributes of sibling entities can have the same name.
    let name =
      Int.random(in: 0..<4, using: &random) == 0 ? "shared\(type)\(generation)" : "a\(number)"
    let owner = entities.indices.randomElement(using: &random)!
    let family = entities.filter {
      isKind($0.number, of: entities[owner].number) || isKind(entities[owner].number, of: $0.number)
    }
    guard !family.contains(where: { $0.attributes.contains { $0.name == name } }) else { return }
    entities[owner].attributes.append(
      Attribute(
        number: number, name: name, type: type,
        isRequired: value != nil && Bool.random(using: &random), defaultValue: value))
  }

  private mutating func change(
    _ random: inout SeededGenerator,
    _ body: (inout [Attribute], Int, inout SeededGenerator) -> Void
  ) {
    guard
      let owner = entities.indices.filter({ !entities[$0].attributes.isEmpty })
        .randomElement(using: &random),
      let place = entities[owner].attributes.indices.randomElement(using: &random)
    else { return }
    body(&entities[owner].attributes, place, &random)
  }

  private mutating func renameEntity(_ random: inout SeededGenerator) {
    let place = entities.indices.randomElement(using: &random)!
    let letter = "abcdefghijklmnop".randomElement(using: &random)!
    entities[place].previousName = entities[place].previousName ?? entities[place].name
    entities[place].name = "E\(letter)\(number())"
  }

  private mutating func addRelationships(_ random: inout SeededGenerator) {
    let (first, second) = (number(), number())
    let owner = entities.indices.randomElement(using: &random)!
    let destination = entities.indices.randomElement(using: &random)!
    let hasInverse = Int.random(in: 0..<5, using: &random) > 0
    func make(_ number: Int, to destination: Int, _ inverse: Int) -> Relationship {
      let isToMany = Bool.random(using: &random)
      return Relationship(
        number: number, name: "r\(number)", destination: entities[destination].number,
        isToMany: isToMany, isOrdered: isToMany && Bool.random(using: &random),
        inverse: hasInverse ? inverse : nil)
    }
    entities[owner].relationships.append(make(first, to: destination, second))
    if hasInverse { entities[destination].relationships.append(make(second, to: owner, first)) }
  }

  private mutating func changeRelationship(
    _ random: inout SeededGenerator, _ body: (inout Relationship) -> Void
  ) {
    guard
      let owner = entities.indices.filter({ !entities[$0].relationships.isEmpty })
        .randomElement(using: &random),
      let place = entities[owner].relationships.indices.randomElement(using: &random)
    else { return }
    if Bool.random(using: &random) {
      let old = entities[owner].relationships[place]
      entities[owner].relationships[place].previousName = old.previousName ?? old.name
      entities[owner].relationships[place].name = "r\(number())"
    }
    body(&entities[owner].relationships[place])
    if !entities[owner].relationships[place].isToMany {
      entities[owner].relationships[place].isOrdered = false
    }
  }

  private mutating func removeRelationships(_ random: inout SeededGenerator) {
    guard let (_, gone) = relationships.randomElement(using: &random) else { return }
    remove { $0.number == gone.number || $0.number == gone.inverse }
  }

  private mutating func remove(_ condition: (Relationship) -> Bool) {
    for index in entities.indices { entities[index].relationships.removeAll(where: condition) }
  }

  /// Moves an attribute to the parent entity, or removes an entity without subentities from the model.
  private mutating func move(_ random: inout SeededGenerator) {
    let place = entities.indices.randomElement(using: &random)!
    let entity = entities[place]
    let isLeaf = !entities.contains { $0.parent == entity.number }
    if isLeaf, entities.count > 2, Bool.random(using: &random) {
      remove { $0.destination == entity.number }
      let gone = Set(entity.relationships.compactMap(\.inverse))
      remove { gone.contains($0.number) }
      entities.remove(at: place)
    } else if let parent = entity.parent, !entity.attributes.isEmpty,
      let above = entities.firstIndex(where: { $0.number == parent })
    {
      var moved = entity.attributes[0]
      let isTaken = entities.contains {
        isKind($0.number, of: parent) && $0.number != entity.number
          && $0.attributes.contains { $0.name == moved.name }
      }
      guard !isTaken else { return }
      moved.isRequired = false
      entities[place].attributes.removeFirst()
      entities[above].attributes.append(moved)
    }
  }
}
