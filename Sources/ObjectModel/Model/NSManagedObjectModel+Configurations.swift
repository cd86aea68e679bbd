extension NSManagedObjectModel {
  /// The names of the configurations, in the order of the model file.
  public final var configurations: [String] {
    configurationTable.map(\.name)
  }

  /// Returns the entities of a configuration.
  ///
  /// - Parameter configuration: A name; nil or `PF_DEFAULT_CONFIGURATION_NAME` for all entities.
  /// - Returns: The entities in the order of the model; nil for an unknown name.
  public final func entities(
    forConfigurationName configuration: String?
  ) -> [NSEntityDescription]? {
    guard let configuration, configuration != Self.defaultConfigurationName else {
      return entities
    }
    guard let entry = configurationTable.first(where: { $0.name == configuration }) else {
      return nil
    }
    let members = Set(entry.entityNames)
    return entities.filter { entity in entity.name.map(members.contains) ?? false }
  }

  /// The names of the configurations with their entities, both in the order of the model: the
  /// results of ``entities(forConfigurationName:)`` for all ``configurations``.
  ///
  /// Cost: proportional to the number of entities plus the total number of entities in all configurations.
  package final var entitiesByConfiguration: [(name: String, entities: [NSEntityDescription])] {
    let entities = entities
    var placesByName: [String: [Int]] = [:]
    for (place, entity) in entities.enumerated() {
      if let name = entity.name { placesByName[name, default: []].append(place) }
    }
    // If several configurations have the same name, all of them get the entities of the first.
    let tables = Dictionary(
      configurationTable.map { ($0.name, $0.entityNames) }, uniquingKeysWith: { first, _ in first })
    return configurationTable.map { table -> (name: String, entities: [NSEntityDescription]) in
      if table.name == Self.defaultConfigurationName { return (table.name, entities) }
      let members = Set(tables[table.name] ?? [])
      // Sorting the indexes restores the model's order, which the set of names lacks.
      let places = members.flatMap { placesByName[$0] ?? [] }.sorted()
      return (table.name, places.map { entities[$0] })
    }
  }

  /// Returns the entities whose objects a store with a configuration contains: the configuration's entities and their
  /// subentities, which share their tables.
  ///
  /// - Returns: The entities in the order of the model; nil for an unknown name.
  package final func storedEntities(
    forConfigurationName configuration: String?
  ) -> [NSEntityDescription]? {
    guard let named = entities(forConfigurationName: configuration) else { return nil }
    // The configuration has all entities, so there are no other subentities.
    if named.count == entities.count { return named }
    let members = Set(named.map(ObjectIdentifier.init))
    return entities.filter { $0.lineage.contains { members.contains(ObjectIdentifier($0)) } }
  }

  /// Adds or replaces a configuration.
  ///
  /// - Parameters:
  ///   - entities: Entities of this model.
  ///   - configuration: The configuration's name.
  ///
  /// ```swift
  /// let copy = model.copy() as? NSManagedObjectModel ?? model
  /// let people = ["Person", "Team", "Player"].compactMap { copy.entitiesByName[$0] }
  /// copy.setEntities(people, forConfigurationName: "People")
  /// print(copy.configurations)  // ["People"]
  /// ```
  public final func setEntities(
    _ entities: [NSEntityDescription], forConfigurationName configuration: String
  ) {
    let names = entities.compactMap(\.name)
    let place = configurationTable.firstIndex { $0.name == configuration }
    if let place {
      // Replace the names in place, so that the configurations keep their order.
      configurationTable[place].entityNames = names
    } else {
      configurationTable.append(ModelConfiguration(name: configuration, entityNames: names))
    }
  }

  /// Returns whether a store with certain metadata can be opened with a configuration of this model.
  ///
  /// - Parameters:
  ///   - configuration: A name; nil or `PF_DEFAULT_CONFIGURATION_NAME` for all entities.
  ///   - metadata: The store's metadata. Only `NSStoreModelVersionHashes` is used.
  /// - Returns: `true` if the store has recorded exactly the configuration's entities with their hashes. The entities'
  ///   subentities may be recorded too.
  public final func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    guard let noted = metadata["NSStoreModelVersionHashes"] as? [String: Any],
      let named = entities(forConfigurationName: configuration),
      let stored = storedEntities(forConfigurationName: configuration)
    else { return false }
    let hashes = entityVersionHashesByName
    let known = Set(stored.compactMap(\.name))
    return named.allSatisfy { $0.name.map { noted[$0] != nil } ?? false }
      && noted.allSatisfy { name, hash in known.contains(name) && hash as? Data == hashes[name] }
  }

  /// The name that Core Data uses in some places for the configuration with all entities.
  package static var defaultConfigurationName: String { "PF_DEFAULT_CONFIGURATION_NAME" }
}

extension NSManagedObjectModel {
  /// Returns the configurations that match a store with this metadata; empty if the store matches
  /// the whole model, or none of the configurations.
  ///
  /// If some configurations consist of exactly the store's entities, returns only these. Another configuration
  /// may match because the rest of the store's entities are subentities of its own.
  package final func configurations(ofStoreWith metadata: [String: Any]) -> [String] {
    if isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return [] }
    let fitting = configurations.filter {
      isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
    }
    let count = (metadata["NSStoreModelVersionHashes"] as? [String: Any])?.count
    let exact = fitting.filter { entities(forConfigurationName: $0)?.count == count }
    return exact.isEmpty ? fitting : exact
  }
}
