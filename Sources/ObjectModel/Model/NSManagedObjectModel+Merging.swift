extension NSManagedObjectModel {
  /// Creates a model from several models, with mutable copies of all their entities, configurations and fetch requests.
  ///
  /// An entity that several models contain with the same version hash is copied once. Returns nil if `models` is nil or
  /// if the models cannot be merged. ``init(merging:)`` throws an error that says why.
  ///
  /// Compared to Apple's Core Data: there, this initializer raises an exception if the models contradict each other.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models else { return nil }
    try? self.init(merging: models)
  }

  /// Creates a model from the models with which a store was written.
  ///
  /// - Parameters:
  ///   - models: The candidates. A model is used if the store's metadata contains all its entities with the same
  ///     version hashes.
  ///   - metadata: The store's metadata. Only `NSStoreModelVersionHashes` is used.
  /// - Returns: Nil if the metadata contains no version hashes, if the used models do not contain all its entities, or
  ///   if they cannot be merged.
  ///
  /// ```swift
  /// let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
  /// let old = NSManagedObjectModel(byMerging: [model], forStoreMetadata: metadata)
  /// print(old?.entities.count ?? 0)  // 5
  /// ```
  public convenience init?(
    byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) {
    guard let noted = metadata["NSStoreModelVersionHashes"] as? [String: Data] else { return nil }
    let fitting = models.filter { model in
      let hashes = model.entityVersionHashesByName
      // An empty model would fit any store.
      return !hashes.isEmpty && hashes.allSatisfy { noted[$0.key] == $0.value }
    }
    let covered = Set(fitting.flatMap { $0.entityVersionHashesByName.keys })
    guard covered == Set(noted.keys) else { return nil }
    try? self.init(merging: fitting)
  }

  /// Creates a model from several models, with mutable copies of all their entities, configurations and fetch requests.
  ///
  /// An entity that several models contain with the same version hash is copied once.
  ///
  /// Compared to Apple's Core Data: new. It throws an error if the models cannot be merged, where Apple's
  /// ``init(byMerging:)`` raises an exception.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` that identifies the entity or the fetch request that differs
  ///   between two models.
  ///
  /// ```swift
  /// let shop = NSManagedObjectModel()
  /// let whole = try NSManagedObjectModel(merging: [model, shop])
  /// print(whole.entities.count)  // 5
  /// ```
  public convenience init(merging models: [NSManagedObjectModel]) throws {
    self.init()
    var hashes: [String: Data] = [:]
    for model in models {
      let own = model.entityVersionHashesByName
      for entity in model.entities {
        guard let name = entity.name, let known = hashes[name] else { continue }
        guard known == own[name] else {
          throw ModelFileError.invalid(
            nil, entity: name, "the models to merge have different entities of this name.")
        }
      }
      let added = model.entities.filter { hashes[$0.name ?? ""] == nil }
      adoptCopies(of: added)
      hashes.merge(own) { known, _ in known }
      try merge(configurationsAndTemplatesOf: model)
      versionIdentifiers.formUnion(model.versionIdentifiers)
      unrecognized += model.unrecognized
      merge(textsAndCompositesOf: model)
    }
    isCompiled = !models.isEmpty && models.allSatisfy(\.isCompiled)
    // Reconnect last, because a relationship may lead to an entity that a later model contributes.
    reconnect(copiesOf: models)
  }

  private func merge(textsAndCompositesOf model: NSManagedObjectModel) {
    if let texts = model.explicitLocalization {
      explicitLocalization = (explicitLocalization ?? [:]).merging(texts) { first, _ in first }
    }
    if let texts = model.stringsFileTexts {
      stringsFileTexts = (stringsFileTexts ?? [:]).merging(texts) { first, _ in first }
    }
    let known = Set(composites.map(\.name))
    composites += model.composites.filter { !known.contains($0.name) }.map { $0.copy() }
  }

  private func merge(configurationsAndTemplatesOf model: NSManagedObjectModel) throws {
    var places = Dictionary(
      configurationTable.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first })
    for configuration in model.configurationTable {
      if let place = places[configuration.name] {
        let known = Set(configurationTable[place].entityNames)
        configurationTable[place].entityNames += configuration.entityNames.filter {
          !known.contains($0)
        }
      } else {
        places[configuration.name] = configurationTable.count
        configurationTable.append(configuration)
      }
    }
    for (name, template) in model.fetchRequestTemplates {
      if let known = fetchRequestTemplates[name], known != template {
        throw ModelFileError.invalid(
          nil, "the models to merge have different fetch requests named '\(name)'.")
      }
      fetchRequestTemplates[name] = template
    }
  }

  /// Connects copies of entities that different models contributed.
  ///
  /// An entity that an earlier model contributed is not copied again. So the copies of its subentities have no parent
  /// yet, and copied relationships still refer to the original entity or to its properties.
  private func reconnect(copiesOf models: [NSManagedObjectModel]) {
    let byName = entitiesByName
    for model in models {
      for original in model.entities {
        guard let parent = original.name.flatMap({ byName[$0] }) else { continue }
        let children = original.subentities.filter { $0.model === model }
          .compactMap { $0.name.flatMap { byName[$0] } }.filter { $0.superentity == nil }
        if !children.isEmpty { parent.subentities += children }
      }
    }
    // Do this after all hierarchies are complete, because an inverse may be inherited.
    for entity in entities {
      for case let relationship as NSRelationshipDescription in entity.ownProperties {
        let inverse = relationship.inverseRelationship
        if let destination = relationship.destinationEntity, destination.model !== self,
          let own = destination.name.flatMap({ byName[$0] })
        {
          relationship.destinationEntity = own
        }
        if let inverse, inverse.owner?.model !== self {
          relationship.inverseRelationship =
            relationship.destinationEntity?.property(named: inverse.name)
            as? NSRelationshipDescription
        }
      }
    }
  }

  /// Returns a model merged from all models in bundles; see ``init(byMerging:)``. Of a model with versions, the current
  /// one is used.
  ///
  /// - Parameter bundles: The bundles; nil for the main bundle. If the main bundle contains no model, the resource
  ///   bundles of the program's targets are searched.
  /// - Returns: An empty model if the bundles contain no model; nil if a model cannot be read, or two models contradict
  ///   each other.
  ///
  /// Compared to Apple's Core Data: source models (`.xcdatamodeld`) among the resources are used
  /// as well, unless there is a compiled model with the same name.
  ///
  /// ```swift
  /// if let model = NSManagedObjectModel.mergedModel(from: nil) {
  ///   let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  /// }
  /// ```
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    guard let models = models(in: bundles) else { return nil }
    return NSManagedObjectModel(byMerging: models)
  }

  /// Returns a model merged from those models in bundles with which a store was written; see
  /// ``init(byMerging:forStoreMetadata:)``. All versions of the models are searched.
  ///
  /// - Parameter bundles: The bundles, as in ``mergedModel(from:)``.
  /// - Returns: Nil if a model cannot be read, or if the initializer returns nil.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    // Search all versions, because an older one may have written the store.
    guard let models = models(in: bundles, allVersions: true) else { return nil }
    return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
  }

  /// Returns all versions of all models in a bundle. Models that cannot be read are skipped.
  ///
  /// - Parameters:
  ///   - name: The name of a model, or of one of its versions; nil for all models.
  ///   - bundle: The bundle; nil for the main bundle.
  package class func allVersions(
    named name: String? = nil, in bundle: Bundle?
  ) -> [NSManagedObjectModel] {
    modelFiles(in: bundle ?? .main).flatMap { file in
      ModelFile.versions(of: file).filter { version in
        let names = [file, version].map { $0.deletingPathExtension().lastPathComponent }
        return name.map(names.contains) ?? true
      }
    }.compactMap { NSManagedObjectModel(contentsOf: $0) }
  }

  private class func models(
    in bundles: [Bundle]?, allVersions: Bool = false
  ) -> [NSManagedObjectModel]? {
    var result: [NSManagedObjectModel] = []
    for url in (bundles ?? [.main]).flatMap(modelFiles) {
      for version in allVersions ? ModelFile.versions(of: url) : [url] {
        // One unreadable model makes the whole merge fail: without its entities, the result would not match the stores.
        guard let model = NSManagedObjectModel(contentsOf: version) else { return nil }
        result.append(model)
      }
    }
    return result
  }

  /// Returns the models in a bundle. If the program's main bundle contains none, returns the models in the resource
  /// bundles of the program's targets, because `Bundle(for:)` cannot find those bundles.
  private class func modelFiles(in bundle: Bundle) -> [URL] {
    let files = modelFiles(in: bundle.resourceURL ?? bundle.bundleURL)
    guard files.isEmpty, bundle.bundleURL == Bundle.main.bundleURL else { return files }
    return ProgramResources.folders.flatMap(modelFiles)
  }

  /// Returns the models in a folder, sorted by name. Of several files with the same name, returns only the one with the
  /// best format.
  private class func modelFiles(in folder: URL) -> [URL] {
    // From the best format to the worst.
    let kinds = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var best: [String: URL] = [:]
    for kind in kinds {
      for name in names where name.hasSuffix(".\(kind)") {
        let base = String(name.dropLast(kind.count + 1))
        if best[base] == nil { best[base] = folder.appendingPathComponent(name) }
      }
    }
    return best.sorted { $0.key.isBefore($1.key) }.map(\.value)
  }
}
