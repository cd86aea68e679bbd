/// Migrates a store to the model that it is opened with.
///
/// If the options contain a staged migration manager, the store is migrated through its stages. Otherwise the
/// migration follows a mapping model of the program, or else the differences between the two models. Without a mapping
/// model, a SQLite store is changed in place (``InPlaceMigration``), which loads no objects and preserves their keys.
/// In all other cases, the objects are copied to a new store.
struct StoreMigration {
  let model: ModelLayout
  let type: String
  let configuration: String?
  let url: URL
  let options: [AnyHashable: Any]?
  /// Called with the completed fraction, from 0 to 1.
  var report: ((Double) -> Void)?

  /// Returns whether the options enable migration.
  static func isWanted(_ options: [AnyHashable: Any]?) -> Bool {
    isSet(NSMigratePersistentStoresAutomaticallyOption, options)
  }

  private static func isSet(_ key: String, _ options: [AnyHashable: Any]?) -> Bool {
    (options?[key] as? NSNumber)?.boolValue == true
  }

  /// Returns whether an error means that a store has a different model.
  static func isNeeded(after error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSPersistentStoreIncompatibleVersionHashError
  }

  /// Migrates the store through the stages of the options' migration manager, or else by a mapping model of the
  /// program, or else by the differences between the two models.
  ///
  /// - Throws: `NSMigrationMissingSourceModelError` if the store's model cannot be found;
  ///   `NSMigrationMissingMappingModelError` if there is no mapping model and the options do not allow inferring one;
  ///   `NSInferredMappingModelError` if none can be inferred; `NSMigrationError` if the store is opened for reading
  ///   only; an error for a row that cannot be migrated. After an error, the store is unchanged, except for completed
  ///   stages of a staged migration.
  func run() throws {
    if StoreOptions(options).isReadOnly {
      throw CoreDataError.make(
        NSMigrationError,
        "the store \(url.path) cannot be migrated, because it is opened for reading only",
        at: url.path,
        cause: CoreDataError.readOnly("the store \(url.path)", at: url))
    }
    if let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey]
      as? NSStagedMigrationManager
    {
      return try StagedMigration(manager: manager, migration: self).run()
    }
    let sourceModel = try sourceModel()
    if let mapping = try MappingFinder(source: sourceModel, destination: model.model)
      .mappingModel(in: [.main])
    {
      return try copy(from: sourceModel, by: mapping)
    }
    guard Self.isSet(NSInferMappingModelAutomaticallyOption, options) else {
      throw CoreDataError.make(
        NSMigrationMissingMappingModelError,
        "the store \(url.path) has a different model; there is no mapping model, and inferring one is not enabled"
          + " (NSInferMappingModelAutomaticallyOption)", at: url.path)
    }
    try migrate(from: sourceModel)
  }

  /// Returns the migration of the same store to another model.
  func to(_ model: ModelLayout) -> StoreMigration {
    StoreMigration(
      model: model, type: type, configuration: configuration, url: url, options: options,
      report: report)
  }

  /// Migrates the store by the differences between the two models: in place if its rows are in a database, or else by
  /// copying.
  ///
  /// - Parameter isPrepared: Whether the program has set the values of attributes that become required.
  func migrate(from sourceModel: NSManagedObjectModel, isPrepared: Bool = false) throws {
    guard case .file(let files) = try StoreKind(type) else {
      var inferred = InferredMapping(from: sourceModel, to: model.model)
      inferred.isPrepared = isPrepared
      return try copy(from: sourceModel, by: NSMappingModel(mappings: try inferred.mappings()))
    }
    // Layouts do not retain their model.
    defer { withExtendedLifetime(sourceModel) {} }
    let source = ModelLayout.of(sourceModel)
    if let error = source.error { throw error }
    let sources = MigrationSources(from: source, to: model)
    let obstacles = sources.comparison.obstacles(ofPrepared: isPrepared)
    guard obstacles.isEmpty else {
      throw MigrationErrors.notInferred(
        "no mapping can be inferred for the store \(url.path)", obstacles,
        [NSFilePathErrorKey: url.path])
    }
    // This migration needs no draft, but an earlier one by copying may have left one.
    if !StoreLocation(url).isInMemory { MigrationDraft.removeAbandoned(of: url) }
    try files.migrate(
      url, sources, configuration: configuration, StoreOptions(options),
      MigrationSettings(
        isPrepared: isPrepared,
        defersCleaning: Self.isSet(NSPersistentStoreDeferredLightweightMigrationOptionKey, options),
        report: report, cancellation: .ofRequest))
  }

  /// Migrates the store object by object to a draft (``MigrationDraft``), which then replaces the store.
  ///
  /// The objects get new IDs. The persistent history is discarded.
  func copy(from sourceModel: NSManagedObjectModel, by mapping: NSMappingModel) throws {
    try StoreLock.withLock(on: url, timeout: StoreOptions(options).timeout) {
      // Another process may have migrated the store while this one waited for the lock.
      guard try !isMigrated() else { return }
      let manager = ReportingManager(sourceModel: sourceModel, destinationModel: model.model)
      manager.report = report
      // The new store has no history, because the history contains the old IDs.
      try manager.replaceStore(
        at: url, type: type, configuration: configuration,
        options: options(keepingHistory: false), with: mapping)
    }
  }

  /// Returns the options that determine how a file is used, without those that control migration.
  func options(keepingHistory: Bool) -> [AnyHashable: Any] {
    var options = options ?? [:]
    options[NSMigratePersistentStoresAutomaticallyOption] = nil
    options[NSInferMappingModelAutomaticallyOption] = nil
    options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
    options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = nil
    if !keepingHistory { options[NSPersistentHistoryTrackingKey] = nil }
    return options
  }

  /// Returns whether the store has been migrated to the new model.
  private func isMigrated() throws -> Bool {
    let noted = try metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let hashes = model.model.entityVersionHashesByName
    let names = try ModelCheck(model: model, configuration: configuration).entityNames()
    return noted.count == names.count && names.allSatisfy { noted[$0] == hashes[$0] }
  }

  var metadata: [String: Any] {
    get throws {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type, at: url, options: options)
    }
  }

  /// The metadata of the store, and the copy of its model. An unreadable copy is treated as a missing one.
  private var storeDescription: (metadata: [String: Any], model: NSManagedObjectModel?) {
    get throws {
      guard case .file(let files) = try StoreKind(type) else { return (try metadata, nil) }
      return try files.description(of: url)
    }
  }

  /// Returns the model that the store was written with: one of the program's, or the copy in the store.
  ///
  /// A store of one configuration contains only version hashes of that configuration's entities.
  ///
  /// - Parameter known: Additional models to search.
  func sourceModel(among known: [NSManagedObjectModel] = []) throws -> NSManagedObjectModel {
    let (metadata, cached) = try storeDescription
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    var candidates: [(model: NSManagedObjectModel, fit: Int)] = []
    if let cached,
      hashes.allSatisfy({ cached.entityVersionHashesByName[$0.key] == $0.value })
    {
      candidates.append((cached, fit(cached, metadata, hashes)))
    }
    candidates += (NSManagedObjectModel.allVersions(in: nil) + known)
      .map { ($0, fit($0, metadata, hashes)) }.filter { $0.1 > 0 }
    // Of models that match equally well, the one with the most renaming identifiers is the best:
    // renaming identifiers are not part of the hashes, and may have been added after the store was
    // created.
    let best = candidates.max {
      ($0.fit, $0.model.renamedCount) < ($1.fit, $1.model.renamedCount)
    }
    if let best { return best.model }
    // The store may contain entities of several models.
    if let merged = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata) {
      return merged
    }
    throw CoreDataError.make(
      NSMigrationMissingSourceModelError,
      "the store \(url.path) has a different model, and neither the store nor the program contains a copy of it",
      at: url.path)
  }

  /// Returns how well a model matches the version hashes of a store: 3 if the configuration to open matches, 2 if the
  /// whole model matches, 1 if another configuration matches, or else 0.
  private func fit(
    _ model: NSManagedObjectModel, _ metadata: [String: Any], _ hashes: [String: Data]
  ) -> Int {
    if let configuration,
      model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    {
      return 3
    }
    if model.entityVersionHashesByName == hashes { return 2 }
    return model.configurations(ofStoreWith: metadata).isEmpty ? 0 : 1
  }
}

extension NSManagedObjectModel {
  /// The number of entities and properties with renaming identifiers.
  fileprivate var renamedCount: Int {
    entities.reduce(0) { count, entity in
      count + (entity.renamingIdentifier == entity.name ? 0 : 1)
        + entity.properties.count { $0.renamingIdentifier != $0.name }
    }
  }
}

/// A manager that reports its progress to a closure.
private final class ReportingManager: NSMigrationManager, @unchecked Sendable {
  var report: ((Double) -> Void)?

  override func migrationProgressDidChange(_ migrationProgress: Float) {
    report?(Double(migrationProgress))
  }
}
