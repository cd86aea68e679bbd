/// Which entity and which property of an old model becomes which of a new one.
struct ModelPairing {
  /// One entity that both models have.
  struct EntityPair {
    var old: NSEntityDescription
    var new: NSEntityDescription
    /// All properties, inherited ones included, of both sides.
    var properties: NamePairing<NSPropertyDescription>
    /// The names in the new entity's uniqueness constraints.
    var constrainedNames: Set<String>
  }

  let old: NSManagedObjectModel
  let new: NSManagedObjectModel
  /// The entities that both models have, in the order of the new one.
  let pairs: [EntityPair]
  private let entityIDs: Set<ObjectIdentifier>
  private let entities: NamePairing<NSEntityDescription>
  private let pairsByNew: [ObjectIdentifier: EntityPair]
  /// For each entity of either model the pairs whose entity on that side is it or below it.
  private let pairsBelow: [ObjectIdentifier: [EntityPair]]

  init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
    self.old = old
    self.new = new
    let entities = NamePairing(
      old: old.entities, new: new.entities, name: { $0.name ?? "" },
      identifier: \.explicitRenamingIdentifier)
    self.entities = entities
    let pairs = new.entities.compactMap { entity -> EntityPair? in
      guard let twin = entities.oldByNew[ObjectIdentifier(entity)] else { return nil }
      return EntityPair(
        old: twin, new: entity,
        properties: NamePairing(
          old: twin.properties, new: entity.properties, name: \.name,
          identifier: \.explicitRenamingIdentifier),
        constrainedNames: Set(entity.uniquenessConstraintNames.joined()))
    }
    self.pairs = pairs
    pairsByNew = Dictionary(
      pairs.map { (ObjectIdentifier($0.new), $0) }, uniquingKeysWith: { first, _ in first })
    var below: [ObjectIdentifier: [EntityPair]] = [:]
    for pair in pairs {
      // As a set: an entity that code made its own ancestor is in its lineage again and again.
      for entity in Set((pair.old.lineage + pair.new.lineage).map(ObjectIdentifier.init)) {
        below[entity, default: []].append(pair)
      }
    }
    pairsBelow = below
    entityIDs = Set((old.entities + new.entities).map(ObjectIdentifier.init))
  }

  /// The entities that both models have which are an entity of either model, or below it there: those
  /// whose objects have its properties.
  func pairs(below entity: NSEntityDescription) -> [EntityPair] {
    pairsBelow[ObjectIdentifier(entity)] ?? []
  }

  /// What an old entity has become.
  func successor(of entity: NSEntityDescription?) -> NSEntityDescription? {
    entity.flatMap { entities.newByOld[ObjectIdentifier($0)] }
  }

  /// Whether all rows of an old entity and of those below it go.
  func removes(_ entity: NSEntityDescription) -> Bool {
    entityIDs.contains(ObjectIdentifier(entity)) && pairs(below: entity).isEmpty
  }

  /// Whether all objects that a relationship led to go, and it leads to others now.
  ///
  /// Apple's infers such mappings: nova-wallet-ios opens stores of its Substrate models 1 to 11, where `CDChain.nodes` led
  /// to an entity that is gone, with later ones.
  func losesAllMembers(_ old: NSPropertyDescription, _ new: NSPropertyDescription) -> Bool {
    guard let old = old as? NSRelationshipDescription, let new = new as? NSRelationshipDescription,
      let from = old.destinationEntity, let to = new.destinationEntity
    else { return false }
    return old.isStored && new.isStored && !new.requiresValue && removes(from)
      && entityIDs.contains(ObjectIdentifier(to))
  }

  /// What a new entity was.
  func predecessor(of entity: NSEntityDescription?) -> NSEntityDescription? {
    entity.flatMap { entities.oldByNew[ObjectIdentifier($0)] }
  }

  /// The pair of a new entity; nil for an added one.
  func pair(ofNew entity: NSEntityDescription?) -> EntityPair? {
    entity.flatMap { pairsByNew[ObjectIdentifier($0)] }
  }

  /// Whether a property belongs to an entity of either model.
  func contains(_ property: NSPropertyDescription) -> Bool {
    property.owner.map { entityIDs.contains(ObjectIdentifier($0)) } ?? false
  }

  /// The old properties that a new property's values come from in its own entity and those below.
  func sources(of property: NSPropertyDescription?) -> [NSPropertyDescription] {
    guard let property, let owner = property.owner else { return [] }
    var result: [NSPropertyDescription] = []
    var added: Set<ObjectIdentifier> = []
    for pair in pairs(below: owner) {
      guard let source = pair.properties.oldByNew[ObjectIdentifier(property)],
        added.insert(ObjectIdentifier(source)).inserted
      else { continue }
      result.append(source)
    }
    return result
  }
}

/// The new relationships by what they led to: looked for once, and not for each entity that is gone.
struct FormerRelationships {
  private var relationships: [NSRelationshipDescription] = []
  /// By the old destination the places of those that led to it, in their order.
  private var places: [ObjectIdentifier: [Int]] = [:]

  init(_ pairing: ModelPairing) {
    for entity in pairing.new.entities {
      for case let relationship as NSRelationshipDescription in entity.ownProperties {
        var destinations: Set<ObjectIdentifier> = []
        for case let source as NSRelationshipDescription in pairing.sources(of: relationship)
        where source.isStored {
          if let destination = source.destinationEntity {
            destinations.insert(ObjectIdentifier(destination))
          }
        }
        for destination in destinations {
          places[destination, default: []].append(relationships.count)
        }
        if !destinations.isEmpty { relationships.append(relationship) }
      }
    }
  }

  /// Those that were one to objects of an old entity, in the order of the new model.
  func leading(to entity: NSEntityDescription) -> [NSRelationshipDescription] {
    let above = Set(entity.lineage.map(ObjectIdentifier.init))
    return Set(above.flatMap { places[$0] ?? [] }).sorted().map { relationships[$0] }
  }
}
