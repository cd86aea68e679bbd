/// Whether a model is the one a store was made with.
package struct ModelCheck {
  package let model: ModelLayout
  package let configuration: String?

  package init(model: ModelLayout, configuration: String?) {
    self.model = model
    self.configuration = configuration
  }

  /// The names of the entities of which the store keeps objects: the configuration's, and those below them.
  ///
  /// - Throws: an error for a name that is no configuration's.
  package func entityNames() throws -> [String] {
    guard let entities = model.model.storedEntities(forConfigurationName: configuration) else {
      throw CoreDataError.badRequest(
        "the model has no configuration named \"\(configuration ?? "")\"")
    }
    return entities.compactMap(\.name)
  }

  /// Throws when the version hashes differ, saying where.
  ///
  /// - Parameter storeModel: The model that the store carries, asked for only when there is a
  ///   difference: with it the error tells what differs in which entity and property, without it
  ///   only which entities differ.
  package func require(
    _ metadata: [String: Any], url: URL, storeModel: () throws -> NSManagedObjectModel?
  ) throws {
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let names = try entityNames()
    let hashes = model.model.entityVersionHashesByName
    let changed = names.filter { stored[$0] != nil && stored[$0] != hashes[$0] }.sorted()
    // An entity that a configuration has only because of the one above it may be missing in its store.
    let named = model.model.entities(forConfigurationName: configuration)?.compactMap(\.name) ?? []
    let added = named.filter { stored[$0] == nil }.sorted()
    let removed = Set(stored.keys).subtracting(names).sorted()
    if changed.isEmpty && added.isEmpty && removed.isEmpty { return }
    var parts: [String] = []
    if !changed.isEmpty { parts.append("changed: \(changed.joined(separator: ", "))") }
    if !added.isEmpty { parts.append("only in the model: \(added.joined(separator: ", "))") }
    if !removed.isEmpty { parts.append("only in the store: \(removed.joined(separator: ", "))") }
    let affected = Set(changed + added + removed)
    // The copy may be damaged or of a later form; what it could add is not worth another error.
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

  /// The first differences as the end of a message, which has to be read in one go.
  private static func sentence(about differences: [String]) -> String {
    guard !differences.isEmpty else { return "" }
    let shown = 10
    var lines = Array(differences.prefix(shown))
    if differences.count > shown { lines.append("and \(differences.count - shown) more") }
    return ". From the store's model to this one: " + lines.joined(separator: "; ")
  }
}
