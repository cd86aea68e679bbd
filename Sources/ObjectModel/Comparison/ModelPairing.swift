/// Pairs the entities and properties of an old model with those of a new one.
struct ModelPairing {
  /// An entity that exists in both models.
  struct EntityPair {
    var old: NSEntityDescription
    var new: NSEntityDescription
    /// The pairs of all properties, including inherited ones.
    var properties: NamePairing<NSPropertyDescription>
    /// The names in the new entity's uniqueness constraints.
    var constrainedNames: Set<String>
  }

  let old: NSManagedObjectModel
  let new: NSManagedObjectModel
  /// The entities that exist in both models, in the order of the new model.
  let pairs: [EntityPair]
  private let entityIDs: Set<ObjectIdentifier>
  private let entities: NamePairing<NSEntityDescription>
  private let pairsByNew: [ObjectIdentifier: EntityPair]
  /// For each entity of either model, the pairs whose entity in that model is the entity or one of its descendants.
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
      // Use a set, because code can make an entity its own ancestor, which is then in its lineage repeatedly.
      for entity in Set((pair.old.lineage + pair.new.lineage).map(ObjectIdentifier.init)) {
        below[entity, default: []].append(pair)
      }
    }
    pairsBelow = below
    entityIDs = Set((old.entities + new.entities).map(ObjectIdentifier.init))
  }

  /// Returns the pairs whose entity in either model is the given entity or a descendant: the entities whose objects
  /// have its properties.
  func pairs(below entity: NSEntityDescription) -> [EntityPair] {
    pairsBelow[ObjectIdentifier(entity)] ?? []
  }

  /// Returns the new version of an old entity.
  func successor(of entity: NSEntityDescription?) -> NSEntityDescription? {
    entity.flatMap { entities.newByOld[ObjectIdentifier($0)] }
  }

  /// Returns whether all rows of an old entity and its descendants are deleted.
  func removes(_ entity: NSEntityDescription) -> Bool {
    entityIDs.contains(ObjectIdentifier(entity)) && pairs(below: entity).isEmpty
  }

  /// Returns whether a relationship loses all its objects, is valid without them, and now leads to a different entity.
  func losesAllMembers(_ old: NSPropertyDescription, _ new: NSPropertyDescription) -> Bool {
    guard let old = old as? NSRelationshipDescription, let new = new as? NSRelationshipDescription,
      let from = old.destinationEntity, let to = new.destinationEntity
    else { return false }
    // Apple's Core Data infers such mappings. In nova-wallet-ios, `CDChain.nodes` of the Substrate models 1 to 11 led
    // to an entity that later models no longer have, and the app opens stores of those models with later ones.
    return old.isStored && new.isStored && !new.requiresValue && removes(from)
      && entityIDs.contains(ObjectIdentifier(to))
  }

  /// Returns the old version of a new entity.
  func predecessor(of entity: NSEntityDescription?) -> NSEntityDescription? {
    entity.flatMap { entities.oldByNew[ObjectIdentifier($0)] }
  }

  /// Returns the pair of a new entity; nil for an added one.
  func pair(ofNew entity: NSEntityDescription?) -> EntityPair? {
    entity.flatMap { pairsByNew[ObjectIdentifier($0)] }
  }

  /// Returns whether a property belongs to an entity of either model.
  func contains(_ property: NSPropertyDescription) -> Bool {
    property.owner.map { entityIDs.contains(ObjectIdentifier($0)) } ?? false
  }

  /// Returns the old properties that provide a new property's values in its own entity and its descendants.
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

/// The relationships of the new model, indexed by their old destinations.
struct FormerRelationships {
  private var relationships: [NSRelationshipDescription] = []
  /// The indexes of the relationships by their old destination, in order.
  private var places: [ObjectIdentifier: [Int]] = [:]

  init(_ pairing: ModelPairing) {
    for entity in pairing.new.entities {
      for case let relationship as NSRelationshipDescription in entity.ownProperties {
        // In each descendant the values may come from another old relationship, so there may be
        // several destinations.
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

  /// Returns the relationships that led to objects of an old entity, in the order of the new model.
  func leading(to entity: NSEntityDescription) -> [NSRelationshipDescription] {
    let above = Set(entity.lineage.map(ObjectIdentifier.init))
    // A relationship can be listed at several ancestors. Sorting the indexes restores the model's
    // order.
    return Set(above.flatMap { places[$0] ?? [] }).sorted().map { relationships[$0] }
  }
}
