import Synchronization

extension NSEntityDescription {
  /// All properties: the inherited ones first, from the root down, then the entity's own in the order of the model.
  ///
  /// Setting the array replaces the entity's own properties and ignores inherited properties in it. A property should
  /// be added to one entity only; the last entity that it is added to is its ``NSPropertyDescription/entity``.
  ///
  /// Cost: proportional to the number of properties; constant once the model is in use.
  public final var properties: [NSPropertyDescription] {
    get {
      if let frozen { return frozen.properties }
      var result: [NSPropertyDescription] = []
      var places: [String: Int] = [:]
      for entity in lineage {
        for property in entity.ownProperties {
          if let place = places[property.name] {
            // Code can redeclare an inherited property: the last declaration counts, but keeps the position of the
            // first.
            result[place] = property
          } else {
            places[property.name] = result.count
            result.append(property)
          }
        }
      }
      return result
    }
    set {
      let inherited = Set(
        lineage.dropLast().flatMap(\.ownProperties).map(ObjectIdentifier.init))
      // Programs append to `properties`, whose getter includes the inherited ones. Those must keep
      // their owner.
      ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
    }
  }

  /// All properties by name, including inherited ones.
  ///
  /// ```swift
  /// print(Team.entity().propertiesByName.keys.sorted())  // ["name", "players"]
  /// ```
  public final var propertiesByName: [String: NSPropertyDescription] {
    if let frozen { return frozen.propertiesByName }
    return Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// Returns the property with a name, which may be inherited; nil if there is none.
  ///
  /// Faster than ``propertiesByName`` while the model is being built.
  package final func property(named name: String) -> NSPropertyDescription? {
    if let frozen { return frozen.propertiesByName[name] }
    for entity in lineage.reversed() {
      if let property = entity.ownProperty(named: name) { return property }
    }
    return nil
  }

  private final func ownProperty(named name: String) -> NSPropertyDescription? {
    // Searching a short array is faster than building a dictionary.
    if ownProperties.count < 16 { return ownProperties.last { $0.name == name } }
    let found = ownPropertiesByName.withLock { table in
      if let known = table { return known[name] }
      let made = Dictionary(ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
      table = made
      return made[name]
    }
    // Renaming a property discards the dictionary of its owner only. If code has added the property to several
    // entities, the dictionaries of the others contain its old name.
    return found?.name == name ? found : nil
  }

  /// The attributes by name, including inherited ones.
  public final var attributesByName: [String: NSAttributeDescription] {
    if let frozen { return frozen.attributesByName }
    return propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
  }

  /// The relationships by name, including inherited ones.
  public final var relationshipsByName: [String: NSRelationshipDescription] {
    if let frozen { return frozen.relationshipsByName }
    return propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
  }

  /// Returns the relationships to an entity, including inherited ones.
  ///
  /// - Returns: The relationships in the order of ``properties``.
  ///
  /// ```swift
  /// let relationships = Player.entity().relationships(forDestination: Team.entity())
  /// print(relationships.map(\.name))  // ["team"]
  /// ```
  public final func relationships(
    forDestination entity: NSEntityDescription
  ) -> [NSRelationshipDescription] {
    properties.compactMap { property in
      guard let relationship = property as? NSRelationshipDescription,
        relationship.destinationEntity === entity
      else { return nil }
      return relationship
    }
  }

  /// The groups of ``uniquenessConstraints`` as attribute names, in the order of the model.
  package final var uniquenessConstraintNames: [[String]] {
    uniquenessConstraints.map(Self.propertyNames)
  }

  /// The groups of ``compoundIndexes`` as property names, in the order of the model.
  package final var compoundIndexNames: [[String]] {
    compoundIndexes.map(Self.propertyNames)
  }

  private static func propertyNames(_ group: [Any]) -> [String] {
    group.compactMap { element in
      (element as? NSPropertyDescription)?.name ?? element as? String
    }
  }
}
