/// Checks whether a store was created with a model.
package struct ModelCheck {
  package let model: ModelLayout
  package let configuration: String?

  package init(model: ModelLayout, configuration: String?) {
    self.model = model
    self.configuration = configuration
  }

  /// Returns the names of the entities in the store: those of the configuration, and their subentities.
  ///
  /// - Throws: An error if there is no configuration with that name.
  package func entityNames() throws -> [String] {
    guard let entities = model.model.storedEntities(forConfigurationName: configuration) else {
      throw CoreDataError.badRequest(
        "the model has no configuration named \"\(configuration ?? "")\"")
    }
    return entities.compactMap(\.name)
  }

  /// Throws an error with the differences if the store's entities or their version hashes are not those of the model,
  /// or an error if the model has no configuration with the name.
  ///
  /// - Parameter storeModel: Returns the store's copy of its model. Called only if there is a difference: with the
  ///   copy, the error describes the differences of each entity and property; otherwise, it contains only the
  ///   names of the entities that differ.
  package func require(
    _ metadata: [String: Any], url: URL, storeModel: () throws -> NSManagedObjectModel?
  ) throws {
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let names = try entityNames()
    let hashes = model.model.entityVersionHashesByName
    let changed = names.filter { stored[$0] != nil && stored[$0] != hashes[$0] }.sorted()
    // The store may lack an entity that is in a configuration only because its parent is.
    let named = model.model.entities(forConfigurationName: configuration)?.compactMap(\.name) ?? []
    let added = named.filter { stored[$0] == nil }.sorted()
    let removed = Set(stored.keys).subtracting(names).sorted()
    if changed.isEmpty && added.isEmpty && removed.isEmpty { return }
    var parts: [String] = []
    if !changed.isEmpty { parts.append("changed: \(changed.joined(separator: ", "))") }
    if !added.isEmpty { parts.append("only in the model: \(added.joined(separator: ", "))") }
    if !removed.isEmpty { parts.append("only in the store: \(removed.joined(separator: ", "))") }
    let affected = Set(changed + added + removed)
    // The copy may be damaged or have a later format. Its error would hide the incompatibility.
    let differences = ((try? storeModel()).map { model.model.differences(from: $0) } ?? [])
      .filter { affected.contains($0.entity) }.map(\.description)
    throw CoreDataError.make(
      NSPersistentStoreIncompatibleVersionHashError,
      "The model used to open the store is incompatible with the one used to create the store"
        + " \(url.path) (entities \(parts.joined(separator: "; ")))"
        + Self.sentence(about: differences),
      [
        "metadata": metadata, NSFilePathErrorKey: url.path,
        storeModelDifferencesErrorKey: differences,
      ])
  }

  /// Returns the first differences as the end of a message. More would make it unreadable.
  private static func sentence(about differences: [String]) -> String {
    guard !differences.isEmpty else { return "" }
    let shown = 10
    var lines = Array(differences.prefix(shown))
    if differences.count > shown { lines.append("and \(differences.count - shown) more") }
    return ". From the store's model to this one: " + lines.joined(separator: "; ")
  }
}
