/// Brings a store from the model that it has to the last of a chain of models, step by step.
///
/// <!-- example: prelude let (v1, v2, v3) = (model, model, model) -->
/// ```swift
/// let rows = try ProgressiveMigration(through: [v1, v2, v3]).run(at: url)
/// ```
///
/// Each step is by a mapping model, where there is one for its two models; else as the two models say, in
/// place for a SQLite store. A step is kept when it is done: one that fails leaves the store with the model
/// before it, and the error says so.
///
/// Compared to Apple's Core Data: new. Programs write such loops around `NSMigrationManager`.
public struct ProgressiveMigration {
  /// The models in their order; the last one is that to get to.
  public var models: [NSManagedObjectModel]
  /// Other models that the store may be of: earlier versions, to which renaming identifiers may have been added
  /// since. Without a model here, in ``models`` or in the program, the store's own copy is taken.
  public var knownModels: [NSManagedObjectModel] = []
  /// Gives the mapping model from one model to the next; nil where the differences are to decide. Without
  /// it those of the main bundle are looked through, and one that may be it and cannot be read is an error.
  public var mappingModel:
    (_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) throws -> NSMappingModel? =
      { try MappingFinder(source: $0, destination: $1).mappingModel(in: [.main]) }
  /// The configuration of the models that the store is of. Without it the store's version hashes decide; where several
  /// configurations have the same entities, and the later models tell them apart, it is needed.
  public var configuration: String?
  /// Told on the calling thread how much is done, from 0 to 1.
  public var progress: ((Double) -> Void)?

  /// Makes a migration through models.
  public init(through models: [NSManagedObjectModel]) { self.models = models }

  /// How many rows an entity has, without those of its subentities.
  public struct RowCount: Hashable, Sendable {
    /// The entity's name; that in the new model, where it has one.
    public let entity: String
    /// Before the migration; nil for an entity that was not there.
    public let before: Int?
    /// Afterwards; nil for an entity that is gone.
    public let after: Int?

    /// Makes a count.
    public init(entity: String, before: Int?, after: Int?) {
      self.entity = entity
      self.before = before
      self.after = after
    }
  }

  /// The models of the steps that ``run(at:type:options:)`` takes for a store as it is: from each to the next. The
  /// first is the store's.
  public func path(
    from url: URL, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil
  ) throws -> [NSManagedObjectModel] {
    if models.isEmpty { return [] }
    let source = try start(url.resolvingSymlinksInPath(), type, options).model
    return [source] + remaining(after: source)
  }

  /// Migrates a store, which nobody should have open.
  ///
  /// Cancelling the progress that is current on the calling thread ends it: the store is as it was before the
  /// step.
  ///
  /// - Returns: the rows of each entity, by name.
  /// - Throws: what opening a store with automatic migration throws; `CocoaError.userCancelled`.
  @discardableResult
  public func run(
    at url: URL, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil
  ) throws -> [RowCount] {
    let url = url.resolvingSymlinksInPath()
    return try run(at: url, type, options) { number, count, error in
      number > 1 ? MigrationErrors.step(number, of: count, url, error) : error
    }
  }

  /// - Parameter stepError: what the error of a step is told as, by its number and that of all.
  private func run(
    at url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?,
    _ stepError: (Int, Int, any Error) -> any Error
  ) throws -> [RowCount] {
    guard let last = models.last else {
      throw CoreDataError.badRequest("a migration through no models leads nowhere")
    }
    let (source, configuration) = try start(url, type, options)
    let steps = try steps(through: [source] + remaining(after: source))
    let before = try rows(url, type, options, source)
    try requireFeasible(steps, of: url) { before }
    // What each entity was called in the store's model.
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

  /// Tries the migration on a copy of a store, which is removed afterwards.
  ///
  /// The copy takes as much room beside the temporary files as the store takes.
  ///
  /// - Throws: what ``run(at:type:options:)`` throws for the store.
  public func rehearse(
    at url: URL, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil
  ) throws -> [RowCount] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("migration-\(UUID().uuidString)", isDirectory: true)
    // Nobody else may read the copy, whoever may read other temporary files.
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: NSNumber(value: 0o700)])
    defer { MigrationDraft.remove(folder) }
    let copy = folder.appendingPathComponent(url.lastPathComponent)
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
    if let fault = layouts.fault { throw fault }
    return StoreMigration(
      model: layouts, type: type.rawValue, configuration: configuration, url: url, options: options)
  }

  /// The model that a store is of, and the configuration that it has.
  ///
  /// A store of one configuration may be of several models, if only other entities differ. Where it is of the last one
  /// already, there is nothing to do.
  private func start(
    _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?
  ) throws -> (model: NSManagedObjectModel, configuration: StoreConfiguration) {
    let last = models.last ?? NSManagedObjectModel()
    let migration = try migration(url, type, options, to: last, configuration: configuration)
    let metadata = try migration.metadata
    let source = try migration.sourceModel(among: knownModels + models)
    let found = try StoreConfiguration(
      metadata: metadata, in: source, wanted: configuration, wantedIn: last, of: url)
    if !found.isWhole,
      last.isConfiguration(
        withName: try found.name(in: last), compatibleWithStoreMetadata: metadata)
    {
      return (last, found)
    }
    return (source, found)
  }

  /// The models after the store's; the last one alone for a store whose model is not of the chain.
  private func remaining(after source: NSManagedObjectModel) -> [NSManagedObjectModel] {
    let hashes = source.entityVersionHashesByName
    guard let place = models.lastIndex(where: { $0.entityVersionHashesByName == hashes }) else {
      return models.suffix(1)
    }
    return Array(models[(place + 1)...])
  }

  /// Returns how many rows a store of a model has of each of its entities, without those of their subentities.
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

  /// Runs `body` with a context of a store that is opened for reading, with its own model, before it is migrated.
  ///
  /// - Parameter body: called on the queue of the context, with the entities that the store has.
  package func withReadOnlyStore<Result>(
    _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?,
    _ model: NSManagedObjectModel,
    _ body: (NSManagedObjectContext, [NSEntityDescription]) throws -> Result
  ) throws -> Result {
    var options = options ?? [:]
    options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
    options[StoreOptions.wholeStoreOption] = true
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

  /// What the entities of a model were called in the store's, by what those before it were.
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
    let gone = before.filter { !kept.contains($0.key) }.map {
      RowCount(entity: $0.key, before: $0.value, after: nil)
    }
    let there = after.map { name, count in
      RowCount(entity: name, before: origins[name].flatMap { before[$0] }, after: count)
    }
    return (gone + there).sorted { $0.entity < $1.entity }
  }
}
