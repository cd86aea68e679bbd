import Foundation
import ObjectModel

/// A store that a migration reads or writes.
struct MigrationPlace {
  let url: URL
  let type: String
  let options: [AnyHashable: Any]?

  /// The options without those that would have the store migrated again.
  var plainOptions: [AnyHashable: Any] {
    (options ?? [:]).filter { key, _ in
      key as? String != NSMigratePersistentStoresAutomaticallyOption
        && key as? String != NSInferMappingModelAutomaticallyOption
    }
  }

  /// Whether the store has a file, rather than a name in memory.
  var isFile: Bool {
    type != NSSQLiteStoreType || !SQLiteStore.isInMemory(url.resolvingSymlinksInPath())
  }

  /// The configuration of a model that the store was made with; nil for the whole model.
  func configuration(in model: NSManagedObjectModel) throws -> String? {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: type, at: url, options: options)
    if model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return nil }
    let fitting = model.configurations.filter {
      model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
    }
    // One that names just the store's entities comes before one that has some only with those above them.
    let count = (metadata[NSStoreModelVersionHashesKey] as? [String: Any])?.count
    return fitting.first { model.entities(forConfigurationName: $0)?.count == count }
      ?? fitting.first
  }
}
