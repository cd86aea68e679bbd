import CoreData
import FixtureSupport
import Testing

/// An object as plain values, from which the tests make stores.
struct SampleRow: Sendable, CustomStringConvertible {
  let entity: String
  var values: [String: SampleValue] = [:]
  /// The destinations, by row number, of the relationships that are set from this side.
  var links: [String: [Int]] = [:]

  var description: String {
    let values = values.filter { !$0.value.isNull }.map { "\($0.key): \($0.value)" }
    let links = links.filter { !$0.value.isEmpty }.map { "\($0.key): rows \($0.value)" }
    return "\(entity) {\((values + links).sorted().joined(separator: ", "))}"
  }
}

/// Random rows for any model.
struct SampleRowMaker {
  let entities: [NSEntityDescription]

  init(_ model: NSManagedObjectModel) {
    entities = model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
  }

  func rows(perEntity count: ClosedRange<Int>, _ random: inout SeededGenerator) -> [Int: SampleRow]
  {
    var rows: [Int: SampleRow] = [:]
    for entity in entities {
      for _ in 0..<Int.random(in: count, using: &random) {
        rows[rows.count + 1] = SampleRow(entity: entity.name ?? "", values: values(entity, &random))
      }
    }
    for row in rows.keys.sorted() {
      guard let name = rows[row]?.entity else { continue }
      let links = links(entity(name), rows, &random)
      rows[row]?.links = links
    }
    return rows
  }

  func entity(_ name: String) -> NSEntityDescription? { entities.first { $0.name == name } }

  /// Returns values for every settable attribute.
  func values(
    _ entity: NSEntityDescription, _ random: inout SeededGenerator
  ) -> [String: SampleValue] {
    var values: [String: SampleValue] = [:]
    for (name, attribute) in entity.settableAttributes {
      values[name] = SampleValues.value(of: attribute.attributeType, &random)
    }
    return values
  }

  /// Returns destinations for every relationship that is set from the entity's side.
  func links(
    _ entity: NSEntityDescription?, _ rows: [Int: SampleRow], _ random: inout SeededGenerator
  ) -> [String: [Int]] {
    var links: [String: [Int]] = [:]
    for relationship in entity?.ownedRelationships ?? [] {
      let names = Set(relationship.destinationEntity?.family.compactMap(\.name) ?? [])
      var targets = rows.keys.filter { names.contains(rows[$0]?.entity ?? "") }.sorted()
      targets.shuffle(using: &random)
      // Sometimes, only half of the destinations are candidates.
      if targets.count > 4, Bool.random(using: &random) { targets.removeLast(targets.count / 2) }
      let most = relationship.isToMany ? min(5, targets.count) : min(1, targets.count)
      let least = Int.random(in: 0..<5, using: &random) == 0 ? 0 : min(1, most)
      let count = Int.random(in: least...max(least, most), using: &random)
      links[relationship.name] = Array(targets.prefix(count))
    }
    return links
  }
}

extension NSEntityDescription {
  /// The attributes that tests set and compare, sorted by name.
  var settableAttributes: [(String, NSAttributeDescription)] {
    attributesByName.sorted { $0.key < $1.key }.filter { _, attribute in
      !attribute.isTransient && !(attribute is NSDerivedAttributeDescription)
        && SampleValues.kind(of: attribute.attributeType) != nil
    }
  }

  /// The entity and all its subentities.
  var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }

  /// The relationships that are set from this side. Only one of two inverse relationships is set, if possible the
  /// to-one.
  var ownedRelationships: [NSRelationshipDescription] {
    relationshipsByName.values.filter { relationship in
      guard !relationship.isTransient else { return false }
      guard let inverse = relationship.inverseRelationship else { return true }
      if relationship.isToMany != inverse.isToMany { return !relationship.isToMany }
      let own = [relationship.entity.name ?? "", relationship.name]
      let other = [inverse.entity.name ?? "", inverse.name]
      return own.lexicographicallyPrecedes(other) || own == other
    }.sorted { $0.name < $1.name }
  }
}

extension NSManagedObjectModel {
  /// Returns a copy without rules: every property is optional, without validation, uniqueness, delete rules or
  /// classes. Random rows vary values, and need not satisfy rules.
  func withoutRules() throws -> NSManagedObjectModel {
    let copy = try #require(self.copy() as? NSManagedObjectModel)
    for entity in copy.entities {
      entity.uniquenessConstraints = []
      entity.managedObjectClassName = "NSManagedObject"
      for property in entity.properties {
        property.isOptional = true
        property.validationRules = []
        if let relationship = property as? NSRelationshipDescription {
          relationship.deleteRule = .nullifyDeleteRule
          let isToMany = relationship.isToMany
          relationship.minCount = 0
          relationship.maxCount = isToMany ? 0 : 1
        }
      }
    }
    return copy
  }
}
