/// Brings a store to the model that it is opened with.
///
/// The store goes through the stages of the staged migration manager in its options, if there is one. Otherwise a
/// mapping model of the program decides, and without one the differences of the two models. These change a SQLite
/// store in place (``InPlaceMigration``), because that loads no objects and their keys stay; any other store is
/// copied.
struct StoreMigration {
  let model: ModelLayout
  let type: String
  let configuration: String?
  let url: URL
  let options: [AnyHashable: Any]?
  /// Told how much is done, from 0 to 1.
  var report: ((Double) -> Void)?

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

  /// Migrates the store: by a mapping model of the program's, where there is one; else as the two models
  /// say.
  ///
  /// - Throws: `NSMigrationMissingSourceModelError` where nobody knows the store's model;
  ///   `NSMigrationMissingMappingModelError` where there is no mapping and none may be inferred;
  ///   `NSInferredMappingModelError` where none can be; what keeps the rows from becoming rows of the new
  ///   model. The store is as it was then.
  func run() throws {
    if StoreOptions(options).isReadOnly {
      throw CoreDataError.make(
        NSMigrationError,
        "the store \(url.path) is opened for reading only, and cannot be migrated", at: url.path,
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
        "the store \(url.path) is of another model; there is no mapping model, and none may be inferred"
          + " (NSInferMappingModelAutomaticallyOption)", at: url.path)
    }
    try migrate(from: sourceModel)
  }

  /// The same store on its way to another model.
  func to(_ model: ModelLayout) -> StoreMigration {
    StoreMigration(
      model: model, type: type, configuration: configuration, url: url, options: options,
      report: report)
  }

  /// Migrates the store as the two models say: in place where its rows are in a database, else by copying.
  ///
  /// - Parameter isPrepared: whether the program has given values to rows that need some.
  func migrate(from sourceModel: NSManagedObjectModel, isPrepared: Bool = false) throws {
    guard case .file(let files) = try StoreKind(type) else {
      var inferred = InferredMapping(from: sourceModel, to: model.model)
      inferred.isPrepared = isPrepared
      return try copy(from: sourceModel, by: NSMappingModel(mappings: try inferred.mappings()))
    }
    // Layouts do not keep their model.
    defer { withExtendedLifetime(sourceModel) {} }
    let source = ModelLayout.of(sourceModel)
    if let fault = source.fault { throw fault }
    let sources = MigrationSources(from: source, to: model)
    let obstacles = sources.comparison.obstacles(ofPrepared: isPrepared)
    guard obstacles.isEmpty else {
      throw MigrationErrors.notInferred(
        "no mapping can be inferred for the store \(url.path)", obstacles,
        [NSFilePathErrorKey: url.path])
    }
    if !StoreLocation(url).isInMemory { MigrationDraft.removeAbandoned(of: url) }
    try files.migrate(
      url, sources, configuration: configuration, StoreOptions(options),
      MigrationSettings(
        isPrepared: isPrepared,
        defersCleaning: Self.isSet(NSPersistentStoreDeferredLightweightMigrationOptionKey, options),
        report: report, cancellation: .ofRequest))
  }

  /// Migrates the store object by object into another one beside it, which then takes its place.
  ///
  /// The objects get other IDs. The history, which names the old ones, ends.
  func copy(from sourceModel: NSManagedObjectModel, by mapping: NSMappingModel) throws {
    try StoreLock.alone(for: url, timeout: StoreOptions(options).timeout) {
      // Somebody else may have done it in the meantime.
      guard try !isMigrated() else { return }
      let manager = ReportingManager(sourceModel: sourceModel, destinationModel: model.model)
      manager.report = report
      try manager.replaceStore(
        at: url, type: type, configuration: configuration,
        options: options(keepingHistory: false), with: mapping)
    }
  }

  /// The options that say how a file is used, without those that say what becomes of it.
  func options(keepingHistory: Bool) -> [AnyHashable: Any] {
    var options = options ?? [:]
    options[NSMigratePersistentStoresAutomaticallyOption] = nil
    options[NSInferMappingModelAutomaticallyOption] = nil
    options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
    options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = nil
    if !keepingHistory { options[NSPersistentHistoryTrackingKey] = nil }
    return options
  }

  /// Whether the store is of the new model by now.
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

  /// What the store says of itself, and the model that it carries: a copy that cannot be read is no better than none.
  private var written: (metadata: [String: Any], model: NSManagedObjectModel?) {
    get throws {
      guard case .file(let files) = try StoreKind(type) else { return (try metadata, nil) }
      return try files.description(of: url)
    }
  }

  /// The model that the store was written with: one of the program's, or the store's own copy.
  ///
  /// A store of one configuration has the version hashes of its entities only. Of several models that say the same the
  /// one with the most renaming identifiers: these do not enter hashes, and may have been added to a version when there
  /// were stores of it.
  ///
  /// - Parameter known: models that are looked through beside the program's.
  func sourceModel(among known: [NSManagedObjectModel] = []) throws -> NSManagedObjectModel {
    let (metadata, cached) = try written
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    var candidates: [(model: NSManagedObjectModel, fit: Int)] = []
    if let cached,
      hashes.allSatisfy({ cached.entityVersionHashesByName[$0.key] == $0.value })
    {
      candidates.append((cached, fit(cached, metadata, hashes)))
    }
    candidates += (NSManagedObjectModel.allVersions(in: nil) + known)
      .map { ($0, fit($0, metadata, hashes)) }.filter { $0.1 > 0 }
    let best = candidates.max {
      ($0.fit, $0.model.renamedCount) < ($1.fit, $1.model.renamedCount)
    }
    if let best { return best.model }
    // The store's entities may come from several models.
    if let merged = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata) {
      return merged
    }
    throw CoreDataError.make(
      NSMigrationMissingSourceModelError,
      "the store \(url.path) is of another model, and neither it nor the program has a copy of that",
      at: url.path)
  }

  /// How well a model says what a store has noted: 3 where the configuration that is opened does, 2 where the whole
  /// model does, 1 where another configuration does, else 0.
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
  /// How many entities and properties say that they had another name.
  fileprivate var renamedCount: Int {
    entities.reduce(0) { count, entity in
      count + (entity.renamingIdentifier == entity.name ? 0 : 1)
        + entity.properties.count { $0.renamingIdentifier != $0.name }
    }
  }
}

/// A manager that tells how much is done.
private final class ReportingManager: NSMigrationManager, @unchecked Sendable {
  var report: ((Double) -> Void)?

  override func migrationProgressDidChange(_ migrationProgress: Float) {
    report?(Double(migrationProgress))
  }
}
