import CoreData

/// A model with every kind of relationship between a few entities, and the description of it that a naive graph
/// needs.
enum WalkModel {
  /// One relationship, described by names.
  struct Relationship {
    let name: String
    let destination: String
    let inverse: String
    var isToMany = false
    var isOrdered = false
    var rule = NSDeleteRule.nullifyDeleteRule
    /// The maximum number of members that validation allows; 0 for any number.
    var maximum = 0
  }

  /// The greatest rank that validation allows.
  static let maximumRank = 9

  static let relationships: [String: [Relationship]] = {
    let node = [
      Relationship(name: "parent", destination: "Node", inverse: "children"),
      Relationship(name: "children", destination: "Node", inverse: "parent", isToMany: true),
      Relationship(name: "spouse", destination: "Node", inverse: "spouse"),
      Relationship(
        name: "friends", destination: "Node", inverse: "friends", isToMany: true, maximum: 4),
      Relationship(
        name: "route", destination: "Tag", inverse: "routes", isToMany: true, isOrdered: true),
      Relationship(name: "chief", destination: "Leader", inverse: "followers"),
      Relationship(name: "tags", destination: "Tag", inverse: "nodes", isToMany: true),
      Relationship(
        name: "items", destination: "Item", inverse: "owner", isToMany: true, isOrdered: true,
        rule: .cascadeDeleteRule),
      Relationship(
        name: "badge", destination: "Badge", inverse: "owner", rule: .cascadeDeleteRule),
      Relationship(name: "vault", destination: "Vault", inverse: "guards"),
    ]
    return [
      "Node": node,
      "Leader": node + [
        Relationship(name: "followers", destination: "Node", inverse: "chief", isToMany: true)
      ],
      "Tag": [
        Relationship(name: "nodes", destination: "Node", inverse: "tags", isToMany: true),
        Relationship(name: "routes", destination: "Node", inverse: "route", isToMany: true),
      ],
      "Item": [Relationship(name: "owner", destination: "Node", inverse: "items")],
      "Badge": [Relationship(name: "owner", destination: "Node", inverse: "badge")],
      "Vault": [
        Relationship(
          name: "guards", destination: "Node", inverse: "vault", isToMany: true,
          rule: .denyDeleteRule)
      ],
    ]
  }()

  static let entities = ["Node", "Leader", "Tag", "Item", "Badge", "Vault"]

  static func make() -> NSManagedObjectModel {
    var entities: [String: NSEntityDescription] = [:]
    for name in Self.entities {
      let entity = NSEntityDescription()
      entity.name = name
      entities[name] = entity
    }
    var made: [String: NSRelationshipDescription] = [:]
    for name in Self.entities {
      var properties: [NSPropertyDescription] = name == "Leader" ? [] : attributes(of: name)
      for relationship in ownRelationships(of: name) {
        guard let destination = entities[relationship.destination] else { continue }
        let description = SampleStack.relationship(
          relationship.name, to: destination, toMany: relationship.isToMany,
          rule: relationship.rule, isOrdered: relationship.isOrdered)
        if relationship.maximum > 0 { description.maxCount = relationship.maximum }
        made["\(name).\(relationship.name)"] = description
        properties.append(description)
      }
      entities[name]?.properties = properties
    }
    for name in Self.entities {
      for relationship in ownRelationships(of: name) {
        made["\(name).\(relationship.name)"]?.inverseRelationship =
          made["\(relationship.destination).\(relationship.inverse)"]
      }
    }
    if let leader = entities["Leader"] { entities["Node"]?.subentities = [leader] }
    let model = NSManagedObjectModel()
    model.entities = Self.entities.compactMap { entities[$0] }
    return model
  }

  /// Returns the relationships of an entity without the inherited ones.
  private static func ownRelationships(of entity: String) -> [Relationship] {
    let all = relationships[entity] ?? []
    if entity != "Leader" { return all }
    let inherited = Set((relationships["Node"] ?? []).map(\.name))
    return all.filter { !inherited.contains($0.name) }
  }

  private static func attributes(of entity: String) -> [NSAttributeDescription] {
    let rank = SampleStack.attribute("rank", .integer16AttributeType)
    rank.setValidationPredicates(
      [NSPredicate(format: "SELF <= \(maximumRank)")],
      withValidationWarnings: ["too high"])
    let mood = SampleStack.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    return [
      SampleStack.attribute("uid", .integer32AttributeType),
      SampleStack.attribute("name", .stringAttributeType, isOptional: entity != "Tag"),
      rank, mood,
    ]
  }
}
