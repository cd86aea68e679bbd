/// Looks for the mapping model that leads from one model to another.
package struct MappingFinder {
  private let models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)
  private let source: [String: Data]
  private let destination: [String: Data]

  package init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
    models = (source, destination)
    self.source = source.entityVersionHashesByName
    self.destination = destination.entityVersionHashesByName
  }

  /// The first mapping model in bundles that fits; nil for none.
  ///
  /// - Throws: what ``found(in:)`` throws.
  func mappingModel(in bundles: [Bundle]) throws -> NSMappingModel? {
    var folders: [URL] = []
    for bundle in bundles {
      folders.append(bundle.resourceURL ?? bundle.bundleURL)
      if bundle.bundleURL == Bundle.main.bundleURL { folders += ProgramResources.folders }
    }
    return try found(in: folders)?.mapping
  }

  /// The first mapping model in folders that fits, by name and those that are compiled first; nil for none.
  ///
  /// One that says something of every entity comes before one that does not: Apple's guide has large migrations
  /// divided into several mapping models between the same two models.
  ///
  /// - Throws: where none fits, what is wrong with one that cannot be read and may be the one: without it rows
  ///   would become something else than its author says.
  package func found(in folders: [URL]) throws -> (url: URL, mapping: NSMappingModel)? {
    var failure: (any Error)?
    var partial: (url: URL, mapping: NSMappingModel)?
    for folder in folders {
      // The folder may belong to a store that is read as evidence: this listing does not change its access time.
      let names = (try? FolderHandle(folder.path).names()) ?? []
      for kind in [".cdm", ".xcmappingmodel"] {
        // What archives of other systems put beside files is hidden.
        for name in names where name.hasSuffix(kind) && !name.hasPrefix(".") {
          let url = folder.appendingPathComponent(name)
          do {
            let mappings = try MappingFileCache.mappings(of: url)
            guard fits(mappings) else { continue }
            // The caller may change what it gets.
            let mapping = NSMappingModel(
              mappings: mappings.compactMap { $0.copy() as? NSEntityMapping })
            let leftOut = LeftOutEntities(mappings, from: models.source, to: models.destination)
            if leftOut.names.isEmpty { return (url, mapping) }
            partial = partial ?? (url, mapping)
          } catch {
            // One that is known to be made for other models is none of this migration's.
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
        "it may be made for this migration: repair it, move it away, or name the mapping model to use"
      throw NSError(domain: error.domain, code: error.code, userInfo: info)
    }
    return nil
  }

  /// Whether mappings are made for the two models.
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
  /// Whether the mappings are made for two models: their entities have the version hashes that the mappings
  /// name.
  ///
  /// Compared to Apple's Core Data: new.
  public final func leads(
    from source: NSManagedObjectModel, to destination: NSManagedObjectModel
  ) -> Bool {
    MappingFinder(source: source, destination: destination).fits(entityMappings ?? [])
  }
}
