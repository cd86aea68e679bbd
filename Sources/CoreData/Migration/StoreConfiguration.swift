/// Which configuration a store has in the models that it goes through.
struct StoreConfiguration {
  /// The configurations of the store's model that have its entities; none for a store of the whole model.
  private let names: [String]
  private let wanted: String?
  private let url: URL

  /// - Parameters:
  ///   - metadata: the store's.
  ///   - source: the model that it is of.
  ///   - wanted: the configuration that somebody named.
  ///   - last: the model that has to have it.
  /// - Throws: an error for a name that is none of that model's.
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

  /// Whether the store has the entities of a whole model, and nobody wants less.
  var isWhole: Bool { names.isEmpty && wanted == nil }

  /// The configuration that the store has in a model; nil for the whole model.
  ///
  /// - Throws: where the model has none of that name, or several that differ.
  func name(in model: NSManagedObjectModel) throws -> String? {
    if let wanted, model.entities(forConfigurationName: wanted) != nil { return wanted }
    if names.isEmpty || model.configurations.isEmpty { return nil }
    let known = names.filter(model.configurations.contains)
    let list = names.joined(separator: " or ")
    guard let first = known.first else {
      throw CoreDataError.badRequest(
        "the store \(url.path) is of the configuration \(list), which a model on its way does not have:"
          + " name the one that it is to have")
    }
    let entities = known.map { Set(model.entities(forConfigurationName: $0)?.map(\.name) ?? []) }
    guard entities.allSatisfy({ $0 == entities[0] }) else {
      throw CoreDataError.badRequest(
        "the store \(url.path) is of the configuration \(list): name the one that is meant")
    }
    return first
  }
}

extension NSManagedObjectModel {
  /// The configurations that a store with some metadata may be of; none where it is of the whole model, or of none.
  ///
  /// Those that name just the store's entities come alone: others have some only with those above them.
  package final func configurations(ofStoreWith metadata: [String: Any]) -> [String] {
    if isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return [] }
    let fitting = configurations.filter {
      isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
    }
    let count = (metadata[NSStoreModelVersionHashesKey] as? [String: Any])?.count
    let exact = fitting.filter { entities(forConfigurationName: $0)?.count == count }
    return exact.isEmpty ? fitting : exact
  }
}
