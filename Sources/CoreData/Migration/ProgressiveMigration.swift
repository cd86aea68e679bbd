/// Migrates a store through a chain of models, step by step.
///
/// <!-- example: prelude let (v1, v2, v3) = (model, model, model) -->
/// ```swift
/// let rows = try ProgressiveMigration(through: [v1, v2, v3]).run(at: url)
/// ```
///
/// A step uses the mapping model for its two models, if there is one. Otherwise, the mapping is inferred from the
/// differences between the two models, and a SQLite store is changed in place. Each step is permanent when it is
/// complete: if a later step fails, the store keeps the model of the last complete step, and the error says so.
///
/// Compared to Apple's Core Data: new. There, programs run the steps themselves, with `NSMigrationManager`.
public struct ProgressiveMigration {
  /// The models in order. The last one is the target.
  public var models: [NSManagedObjectModel]
  /// Earlier versions of the model. The store's model is searched for in these, in ``models``, in the program's
  /// resources, and in the store itself, which contains a copy. Of the models that match the store best, the one with
  /// the most renaming identifiers is used, because they may have been added after the store was created.
  public var knownModels: [NSManagedObjectModel] = []
  /// Returns the mapping model from one model to the next; nil to migrate by the differences between the models.
  /// By default, the mapping model is searched for in the main bundle and the bundles of the package's targets, and an
  /// unreadable mapping model that may be the matching one is an error.
  ///
  /// ```swift
  /// var migration = ProgressiveMigration(through: [model])
  /// migration.mappingModel = { _, _ in nil }  // every step follows the differences between the models
  /// ```
  public var mappingModel:
    (_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) throws -> NSMappingModel? =
      { try MappingFinder(source: $0, destination: $1).mappingModel(in: [.main]) }
  /// The configuration of the store. If it is nil, it is determined from the store's version hashes. Set it if
  /// several configurations have the same entities and differ in later models.
  public var configuration: String?
  /// Called on the calling thread with the completed fraction, from 0 to 1.
  ///
  /// ```swift
  /// var migration = ProgressiveMigration(through: [model])
  /// migration.progress = { fraction in print(Int(fraction * 100), "%") }
  /// ```
  public var progress: ((Double) -> Void)?

  /// Creates a migration through models.
  public init(through models: [NSManagedObjectModel]) { self.models = models }

  /// The number of rows of an entity, without those of its subentities.
  public struct RowCount: Hashable, Sendable {
    /// The name of the entity in the new model, or in the old one if the new model does not contain
    /// it.
    public let entity: String
    /// The number of rows before the migration; nil for an added entity.
    public let before: Int?
    /// The number of rows after the migration; nil for a removed entity.
    public let after: Int?

    /// Creates a row count.
    public init(entity: String, before: Int?, after: Int?) {
      self.entity = entity
      self.before = before
      self.after = after
    }
  }

  /// Returns the models that ``run(at:type:options:)`` migrates a store through, beginning with the store's current
  /// model; none if ``models`` is empty.
  ///
  /// - Throws: The errors of reading the store's metadata; `NSMigrationMissingSourceModelError` if the store's model
  ///   cannot be found; `NSCoreDataError` if the store's configuration is missing in a model or cannot be determined.
  ///
  /// ```swift
  /// let migration = ProgressiveMigration(through: [model])
  /// let path = try migration.path(from: url)
  /// print(path.count - 1)  // the number of steps
  /// ```
  public func path(
    from url: URL, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil
  ) throws -> [NSManagedObjectModel] {
    if models.isEmpty { return [] }
    let source = try start(url, type, options).model
    return [source] + remaining(after: source)
  }

  /// Migrates a store, which no other coordinator or process may have open.
  ///
  /// If the current `Progress` of the calling thread is cancelled, the migration ends, and the store is as it was
  /// before the current step.
  ///
  /// - Returns: The number of rows of each entity, sorted by name.
  /// - Throws: The errors of opening a store with automatic migration; `NSCoreDataError` if ``models`` is empty;
  ///   `CocoaError.userCancelled`.
  @discardableResult
  public func run(
    at url: URL, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil
  ) throws -> [RowCount] {
    let url = url.resolvingSymlinksInPath()
    return try run(at: url, type, options) { number, count, error in
      number > 1 ? MigrationErrors.step(number, of: count, url, error) : error
    }
  }

  /// - Parameter stepError: Wraps the error of a step. Its arguments are the number of the step, the number of steps,
  ///   and the error.
  private func run(
    at url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?,
    _ stepError: (Int, Int, any Error) -> any Error
  ) throws -> [RowCount] {
    guard let last = models.last else {
      throw CoreDataError.badRequest("a migration needs at least one model")
    }
    let (source, configuration) = try start(url, type, options)
    let steps = try steps(through: [source] + remaining(after: source))
    let before = try rows(url, type, options, source)
    // All steps are checked before the first one runs, because a completed step is permanent.
    try requireFeasible(steps, of: url) { before }
    // The names that entities had before the first step, by their names after the last completed one.
    var origins = Dictionary(before.keys.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
    for (place, step) in steps.enumerated() {
      var migration = try migration(
        url, type, options, to: step.destination,
        configuration: configuration.name(in: step.destination))
      let progress = progress
      migration.report = { progress?((Double(place) + $0) / Double(steps.count)) }
      do {
        if let mapping = step.mapping {
          try migration.copy(from: step.source, by: mapping)
        } else {
          try migration.migrate(from: step.source)
        }
      } catch {
        throw stepError(place + 1, steps.count, error)
      }
      origins = Self.origins(origins, ModelComparison(from: step.source, to: step.destination))
    }
    progress?(1)
    return Self.counts(before, try rows(url, type, options, last), origins)
  }

  /// Runs the migration on a temporary copy of a store.
  ///
  /// The copy needs at least as much space in the temporary directory as the store.
  ///
  /// - Returns: The number of rows of each entity, sorted by name.
  /// - Throws: The errors of copying the store, and those of ``run(at:type:options:)``.
  ///
  /// ```swift
  /// let migration = ProgressiveMigration(through: [model])
  /// for row in try migration.rehearse(at: url) where row.before != row.after {
  ///   print(row.entity, row.before ?? 0, "→", row.after ?? 0)
  /// }
  /// ```
  public func rehearse(
    at url: URL, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil
  ) throws -> [RowCount] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("migration-\(UUID().uuidString)", isDirectory: true)
    // Other users must not be able to read the copy, even if they can read other temporary files.
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: NSNumber(value: 0o700)])
    defer { MigrationDraft.remove(folder) }
    let copy = folder.appendingPathComponent(url.lastPathComponent)
    // Copying files needs no model.
    try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
      .replacePersistentStore(
        at: copy, destinationOptions: options, withPersistentStoreFrom: url, sourceOptions: options,
        ofType: type.rawValue)
    try Cancellation.ofRequest?.check()
    do {
      return try run(at: copy.resolvingSymlinksInPath(), type, options) { _, _, error in error }
    } catch {
      throw MigrationErrors.rehearsed(in: folder, as: url, error)
    }
  }

  private func migration(
    _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?,
    to model: NSManagedObjectModel, configuration: String?
  ) throws -> StoreMigration {
    let layouts = ModelLayout.of(model)
    if let error = layouts.error { throw error }
    return StoreMigration(
      model: layouts, type: type.rawValue, configuration: configuration, url: url, options: options)
  }

  /// Returns the model and the configuration of a store.
  ///
  /// A store of one configuration may match several models that differ only in other entities. If the last model is
  /// among them, there is nothing to migrate.
  private func start(
    _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?
  ) throws -> (model: NSManagedObjectModel, configuration: StoreConfiguration) {
    let last = models.last ?? NSManagedObjectModel()
    let migration = try migration(url, type, options, to: last, configuration: configuration)
    let metadata = try migration.metadata
    let source = try migration.sourceModel(among: knownModels + models)
    let found = try StoreConfiguration(
      metadata: metadata, in: source, wanted: configuration, wantedIn: last, of: url)
    if !found.isOfWholeModel,
      last.isConfiguration(
        withName: try found.name(in: last), compatibleWithStoreMetadata: metadata)
    {
      return (last, found)
    }
    return (source, found)
  }

  /// Returns the models after the store's model; only the last one if the store's model is not in the chain.
  private func remaining(after source: NSManagedObjectModel) -> [NSManagedObjectModel] {
    let hashes = source.entityVersionHashesByName
    guard let place = models.lastIndex(where: { $0.entityVersionHashesByName == hashes }) else {
      return models.suffix(1)
    }
    return Array(models[(place + 1)...])
  }

  /// Returns the number of rows of each entity in a store, without those of subentities.
  package func rows(
    _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?,
    _ model: NSManagedObjectModel
  ) throws -> [String: Int] {
    try withReadOnlyStore(url, type, options, model) { context, entities in
      var counts: [String: Int] = [:]
      for entity in entities where !entity.isAbstract {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        counts[entity.name ?? ""] = try context.count(for: request)
      }
      return counts
    }
  }

  /// Runs `body` with a context of the store, which is opened for reading only.
  ///
  /// - Parameters:
  ///   - model: The store's current model.
  ///   - body: Called on the queue of the context, with the entities in the store.
  package func withReadOnlyStore<Result>(
    _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?,
    _ model: NSManagedObjectModel,
    _ body: (NSManagedObjectContext, [NSEntityDescription]) throws -> Result
  ) throws -> Result {
    var options = options ?? [:]
    options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
    // Before the migration, this reports a store that lacks tables or columns.
    options[StoreOptions.wholeStoreOption] = true
    // Opening the store must not migrate it.
    options[NSMigratePersistentStoresAutomaticallyOption] = nil
    let configuration = try MigrationEndpoint(url: url, type: type.rawValue, options: options)
      .configuration(in: model)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      type: type, configuration: configuration, at: url, options: options)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let result = try context.performAndWait {
      try body(context, model.storedEntities(forConfigurationName: configuration) ?? [])
    }
    try coordinator.remove(store)
    return result
  }

  /// Returns the names that entities had in the original store, by their names in the new model of a comparison.
  ///
  /// - Parameter known: The original names, by the names in the old model of the comparison.
  static func origins(
    _ known: [String: String], _ comparison: ModelComparison
  ) -> [String: String] {
    var origins: [String: String] = [:]
    for entity in comparison.entities {
      if let old = entity.old?.name, let new = entity.new?.name { origins[new] = known[old] }
    }
    return origins
  }

  private static func counts(
    _ before: [String: Int], _ after: [String: Int], _ origins: [String: String]
  ) -> [RowCount] {
    let kept = Set(after.keys.compactMap { origins[$0] })
    let removed = before.filter { !kept.contains($0.key) }.map {
      RowCount(entity: $0.key, before: $0.value, after: nil)
    }
    let present = after.map { name, count in
      RowCount(entity: name, before: origins[name].flatMap { before[$0] }, after: count)
    }
    return (removed + present).sorted { $0.entity < $1.entity }
  }
}
