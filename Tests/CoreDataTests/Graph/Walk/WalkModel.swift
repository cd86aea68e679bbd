import CoreData

/// A model with every kind of relationship between few entities, and what a naive graph has to
/// know of it.
enum WalkModel {
  /// One relationship, by the names of its entity and itself.
  struct Relationship {
    let name: String
    let destination: String
    let inverse: String
    var isToMany = false
    var isOrdered = false
    var rule = NSDeleteRule.nullifyDeleteRule
  }

  static let relationships: [String: [Relationship]] = {
    let node = [
      Relationship(name: "parent", destination: "Node", inverse: "children"),
      Relationship(name: "children", destination: "Node", inverse: "parent", isToMany: true),
      Relationship(name: "spouse", destination: "Node", inverse: "spouse"),
      Relationship(name: "friends", destination: "Node", inverse: "friends", isToMany: true),
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
      "Leader": node,
      "Tag": [Relationship(name: "nodes", destination: "Node", inverse: "tags", isToMany: true)],
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
    for name in Self.entities where name != "Leader" {
      var properties: [NSPropertyDescription] = [
        SampleStack.attribute("uid", .integer32AttributeType),
        SampleStack.attribute("name", .stringAttributeType),
        SampleStack.attribute("rank", .integer16AttributeType),
      ]
      for relationship in relationships[name] ?? [] {
        guard let destination = entities[relationship.destination] else { continue }
        let description = SampleStack.relationship(
          relationship.name, to: destination, toMany: relationship.isToMany,
          rule: relationship.rule, isOrdered: relationship.isOrdered)
        made["\(name).\(relationship.name)"] = description
        properties.append(description)
      }
      entities[name]?.properties = properties
    }
    for (entity, list) in relationships where entity != "Leader" {
      for relationship in list {
        made["\(entity).\(relationship.name)"]?.inverseRelationship =
          made["\(relationship.destination).\(relationship.inverse)"]
      }
    }
    if let leader = entities["Leader"] { entities["Node"]?.subentities = [leader] }
    let model = NSManagedObjectModel()
    model.entities = Self.entities.compactMap { entities[$0] }
    return model
  }
}
