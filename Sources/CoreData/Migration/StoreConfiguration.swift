/// The configuration of a store in each model of a migration.
struct StoreConfiguration {
  /// The configurations of the store's model that match the store's entities; empty if the store has all entities of
  /// the model.
  private let names: [String]
  private let wanted: String?
  private let url: URL

  /// - Parameters:
  ///   - metadata: The metadata of the store.
  ///   - source: The model of the store.
  ///   - wanted: The configuration that the caller named; nil if the caller named none.
  ///   - last: The model that must have the named configuration.
  /// - Throws: An error if that model does not have the named configuration.
  init(
    metadata: [String: Any], in source: NSManagedObjectModel, wanted: String?,
    wantedIn last: NSManagedObjectModel, of url: URL
  ) throws {
    names = source.configurations(ofStoreWith: metadata)
    self.wanted = wanted
    self.url = url
    if let wanted, last.entities(forConfigurationName: wanted) == nil {
      let known = last.configurations.joined(separator: ", ")
      throw CoreDataError.badRequest(
        "the model has no configuration named \"\(wanted)\""
          + (known.isEmpty ? "" : "; it has \(known)"))
    }
  }

  /// Whether the store contains the entities of the whole model, and no configuration is named.
  var isOfWholeModel: Bool { names.isEmpty && wanted == nil }

  /// Returns the configuration of the store in a model; nil for the whole model.
  ///
  /// - Throws: An error if the model has none of the store's configurations, or several with different entities.
  func name(in model: NSManagedObjectModel) throws -> String? {
    if let wanted, model.entities(forConfigurationName: wanted) != nil { return wanted }
    if names.isEmpty || model.configurations.isEmpty { return nil }
    let known = names.filter(model.configurations.contains)
    let list = names.joined(separator: " or ")
    guard let first = known.first else {
      throw CoreDataError.badRequest(
        "the store \(url.path) has the configuration \(list), but a model of the migration has none with"
          + " that name: set the configuration to use")
    }
    let entities = known.map { Set(model.entities(forConfigurationName: $0)?.map(\.name) ?? []) }
    guard entities.allSatisfy({ $0 == entities[0] }) else {
      throw CoreDataError.badRequest(
        "the store \(url.path) may have the configuration \(list): set the configuration to use")
    }
    return first
  }
}
