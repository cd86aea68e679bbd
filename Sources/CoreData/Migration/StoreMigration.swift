import Foundation
import ObjectModel

/// Brings a store to the model that it is opened with.
struct StoreMigration {
  let model: ModelLayout
  let type: String
  let configuration: String?
  let url: URL
  let options: [AnyHashable: Any]?

  /// Whether the options ask for migration when a store is of another model.
  static func isWanted(_ options: [AnyHashable: Any]?) -> Bool {
    isSet(NSMigratePersistentStoresAutomaticallyOption, options)
  }

  private static func isSet(_ key: String, _ options: [AnyHashable: Any]?) -> Bool {
    (options?[key] as? NSNumber)?.boolValue == true
  }

  /// Whether an error says that a store is of another model.
  static func isNeeded(after error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSPersistentStoreIncompatibleVersionHashError
  }

  /// Migrates the store.
  ///
  /// - Throws: `NSMigrationMissingSourceModelError` where nobody knows the store's model;
  ///   `NSMigrationMissingMappingModelError` where there is no mapping and none may be inferred;
  ///   `NSInferredMappingModelError` where none can be; what keeps the rows from becoming rows of the new
  ///   model. The store is as it was then.
  func run() throws {
    let sourceModel = try sourceModel()
    // Layouts do not keep their model.
    defer { withExtendedLifetime(sourceModel) {} }
    let source = ModelLayout.of(sourceModel)
    if let fault = source.fault { throw fault }
    guard Self.isSet(NSInferMappingModelAutomaticallyOption, options) else {
      throw CoreDataError.make(
        NSMigrationMissingMappingModelError,
        "the store \(url.path) is of another model; there is no mapping model, and none may be inferred"
          + " (NSInferMappingModelAutomaticallyOption)",
        [NSFilePathErrorKey: url.path])
    }
    let sources = MigrationSources(from: source, to: model)
    try requireLightweight(sources.comparison)
    try SQLiteStore.migrate(
      url, sources, configuration: configuration, StoreOptions(options))
  }

  private func requireLightweight(_ comparison: ModelComparison) throws {
    let obstacles = comparison.obstacleTexts
    if obstacles.isEmpty { return }
    throw CoreDataError.make(
      NSInferredMappingModelError,
      "no mapping can be inferred for the store \(url.path): \(obstacles.joined(separator: "; "))",
      [NSFilePathErrorKey: url.path])
  }

  /// The model that the store was written with: its own copy, or one of the program's.
  private func sourceModel() throws -> NSManagedObjectModel {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: type, at: url, options: options)
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    // A copy that cannot be read is no better than none.
    if type == NSSQLiteStoreType, let cached = try? SQLiteStore.cachedModel(of: url),
      hashes.allSatisfy({ cached.entityVersionHashesByName[$0.key] == $0.value })
    {
      return cached
    }
    if let known = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata) {
      return known
    }
    throw CoreDataError.make(
      NSMigrationMissingSourceModelError,
      "the store \(url.path) is of another model, and neither it nor the program has a copy of that",
      [NSFilePathErrorKey: url.path])
  }
}
