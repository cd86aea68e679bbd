import Foundation
public import ObjectModel

/// Looks for the mapping model that leads from one model to another.
package struct MappingFinder {
  private let source: [String: Data]
  private let destination: [String: Data]

  package init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
    self.source = source.entityVersionHashesByName
    self.destination = destination.entityVersionHashesByName
  }

  /// The mappings of the first mapping model in bundles that fits; nil for none.
  func mappings(in bundles: [Bundle]) -> [NSEntityMapping]? {
    var folders: [URL] = []
    for bundle in bundles {
      folders.append(bundle.resourceURL ?? bundle.bundleURL)
      if bundle.bundleURL == Bundle.main.bundleURL { folders += ProgramResources.folders }
    }
    for folder in folders {
      if let mappings = mappings(in: folder) { return mappings }
    }
    return nil
  }

  private func mappings(in folder: URL) -> [NSEntityMapping]? { found(in: folder)?.mappings }

  /// The first mapping model in a folder that fits, by name and those that are compiled first; nil for none.
  package func found(in folder: URL) -> (url: URL, mappings: [NSEntityMapping])? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for kind in [".cdm", ".xcmappingmodel"] {
      for name in names.sorted() where name.hasSuffix(kind) {
        do {
          let url = folder.appendingPathComponent(name)
          let mappings = try MappingFileCache.mappings(of: url)
          // The caller may change what it gets.
          if fits(mappings) { return (url, mappings.compactMap { $0.copy() as? NSEntityMapping }) }
        } catch {
          // Another one may be whole, and fit.
          Log.modelNotice(error.localizedDescription)
        }
      }
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
