/// Finds the mapping model from one model to another.
package struct MappingFinder {
  private let models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)
  private let source: [String: Data]
  private let destination: [String: Data]

  package init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
    models = (source, destination)
    self.source = source.entityVersionHashesByName
    self.destination = destination.entityVersionHashesByName
  }

  /// Returns the first matching mapping model in bundles; nil if there is none.
  ///
  /// - Throws: The errors of ``found(in:)``.
  func mappingModel(in bundles: [Bundle]) throws -> NSMappingModel? {
    var folders: [URL] = []
    for bundle in bundles {
      folders.append(bundle.resourceURL ?? bundle.bundleURL)
      if bundle.bundleURL == Bundle.main.bundleURL { folders += ProgramResources.folders }
    }
    return try found(in: folders)?.mapping
  }

  /// Returns the first matching mapping model in folders; nil if there is none. In each folder, compiled mapping models
  /// precede others, and both are sorted by name.
  ///
  /// A mapping model with mappings for all entities precedes one that lacks some, because Apple's guide recommends
  /// dividing large migrations into several mapping models between the same two models.
  ///
  /// - Throws: If no mapping model matches but one cannot be read and may be the matching one, the error of reading it.
  ///   A migration without this mapping model might convert rows differently than its author intended.
  package func found(in folders: [URL]) throws -> (url: URL, mapping: NSMappingModel)? {
    var failure: (any Error)?
    var partial: (url: URL, mapping: NSMappingModel)?
    for folder in folders {
      // The folder may belong to a store that must not be modified at all: this listing does not change its access
      // time.
      let names = (try? FolderHandle(folder.path).names()) ?? []
      for kind in [".cdm", ".xcmappingmodel"] {
        // Archives from other systems add hidden files with the same extensions.
        for name in names where name.hasSuffix(kind) && !name.hasPrefix(".") {
          let url = folder.appendingPathComponent(name)
          do {
            let mappings = try MappingFileCache.mappings(of: url)
            guard fits(mappings) else { continue }
            // Copies, because the caller may change the mappings.
            let mapping = NSMappingModel(
              mappings: mappings.compactMap { $0.copy() as? NSEntityMapping })
            let leftOut = LeftOutEntities(mappings, from: models.source, to: models.destination)
            if leftOut.names.isEmpty { return (url, mapping) }
            partial = partial ?? (url, mapping)
          } catch {
            // An unreadable mapping model between other models does not matter.
            if MappingFile.ends(of: error).map(fits) ?? true { failure = failure ?? error }
          }
        }
      }
    }
    if let partial { return partial }
    if let failure {
      let error = failure as NSError
      var info = error.userInfo
      info[NSLocalizedRecoverySuggestionErrorKey] =
        "it may be the mapping model of this migration: repair it, move it away, or specify the one to use"
      throw NSError(domain: error.domain, code: error.code, userInfo: info)
    }
    return nil
  }

  /// Returns whether mappings are for the two models.
  func fits(_ mappings: [NSEntityMapping]) -> Bool {
    !mappings.isEmpty
      && mappings.allSatisfy {
        Self.fits($0.sourceEntityName, $0.sourceEntityVersionHash, source)
          && Self.fits($0.destinationEntityName, $0.destinationEntityVersionHash, destination)
      }
  }

  private static func fits(_ name: String?, _ hash: Data?, _ hashes: [String: Data]) -> Bool {
    guard let name else { return true }
    guard let known = hashes[name] else { return false }
    return hash == nil || hash == known
  }
}

extension NSMappingModel {
  /// Returns whether this is a mapping model for two models: whether they contain the entities of the mappings, with
  /// the version hashes in the mappings. Always false for a mapping model without entity mappings.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// ```swift
  /// let mapping = try NSMappingModel.inferredMappingModel(
  ///   forSourceModel: model, destinationModel: model)
  /// if mapping.isCompatible(withSourceModel: model, destinationModel: model) {
  ///   print(mapping.entityMappings.count)  // 5
  /// }
  /// ```
  public final func isCompatible(
    withSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) -> Bool {
    MappingFinder(source: sourceModel, destination: destinationModel).fits(entityMappings ?? [])
  }

  /// Calls ``isCompatible(withSourceModel:destinationModel:)``.
  @available(*, deprecated, renamed: "isCompatible(withSourceModel:destinationModel:)")
  public final func leads(
    from source: NSManagedObjectModel, to destination: NSManagedObjectModel
  ) -> Bool {
    isCompatible(withSourceModel: source, destinationModel: destination)
  }
}
