import Foundation

extension NSManagedObjectModel {
  /// The names of the configurations, in the order of the model file.
  public final var configurations: [String] {
    configurationTable.map(\.name)
  }

  /// The entities of a configuration.
  ///
  /// - Parameter configuration: A name, or nil for all entities.
  /// - Returns: The entities in the order of the model, or nil for an unknown name.
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

  /// Makes or replaces a configuration.
  ///
  /// - Parameters:
  ///   - entities: Entities of this model.
  ///   - configuration: The configuration's name.
  public final func setEntities(
    _ entities: [NSEntityDescription], forConfigurationName configuration: String
  ) {
    let names = entities.compactMap(\.name)
    if let place = configurationTable.firstIndex(where: { $0.name == configuration }) {
      configurationTable[place].entityNames = names
    } else {
      configurationTable.append(ModelConfiguration(name: configuration, entityNames: names))
    }
  }

  /// Whether a store with the given metadata can be opened with a configuration of this model.
  ///
  /// - Parameters:
  ///   - configuration: A name, or nil for all entities.
  ///   - metadata: The store's metadata, of which `NSStoreModelVersionHashes` counts.
  /// - Returns: True if the store has noted exactly the configuration's entities with their hashes.
  public final func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    guard let noted = metadata["NSStoreModelVersionHashes"] as? [String: Any],
      let entities = entities(forConfigurationName: configuration)
    else { return false }
    let hashes = entityVersionHashesByName
    guard noted.count == entities.count else { return false }
    return entities.allSatisfy { entity in
      guard let name = entity.name, let hash = noted[name] as? Data else { return false }
      return hash == hashes[name]
    }
  }

  /// The name that Core Data gives, in places, to the configuration of all entities.
  static var defaultConfigurationName: String { "PF_DEFAULT_CONFIGURATION_NAME" }
}
