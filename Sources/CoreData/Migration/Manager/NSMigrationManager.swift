/// Migrates a store from one model to another, as a mapping model defines.
///
/// <!-- example: prelude let (old, new, temporary) = (model, model, url) -->
/// ```swift
/// let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: url, type: .sqlite, mapping: mapping, to: temporary, type: .sqlite)
/// ```
///
/// A manager performs one migration at a time, and can be used for several consecutive ones. It belongs to the thread
/// that calls it. Only ``cancelMigrationWithError(_:)`` and ``migrationProgress`` can be used on any thread.
///
/// Memory: source objects are read in batches, and both contexts release what is saved, so a migration of a million
/// objects needs as much memory as one of a thousand. Associations take almost no memory while the new rows are in the
/// order of their source rows; otherwise, they take 40 bytes each. Objects that a policy inserts without associating
/// them stay in memory until the end, so that the policy finds them among the registered objects of the context.
///
/// Compared to Apple's Core Data: the new objects are written to a temporary store, which replaces the destination at
/// the end, so the destination is either complete or unchanged.
nonisolated open class NSMigrationManager: NSObject, @unchecked Sendable {
  /// The model of the existing store.
  public let sourceModel: NSManagedObjectModel
  /// The model of the new store.
  public let destinationModel: NSManagedObjectModel
  /// The mapping model of the current or last migration; nil before the first one and after ``reset()``.
  open private(set) var mappingModel: NSMappingModel! = nil
  /// The context of the source objects. The migration runs on the queues of both contexts.
  open private(set) var sourceContext = NSManagedObjectContext(.privateQueue)
  /// The context of the destination objects. Saving it validates nothing.
  open private(set) var destinationContext = NSManagedObjectContext(.privateQueue)
  /// The mapping whose policy is running; nil between migrations.
  open internal(set) var currentEntityMapping: NSEntityMapping! = nil
  /// Values for use by the program. Numbers are returned as `NSNumber`s.
  open var userInfo: [AnyHashable: Any]? {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }
  /// Whether an inferred mapping may be replaced by the store's own way of migrating.
  ///
  /// Compared to Apple's Core Data: a manager always migrates object by object. Adding a store with automatic
  /// migration uses the store's own way.
  open var usesStoreSpecificMigrationManager = true

  /// The progress of the migration, in thousandths. Cancelling it cancels the migration.
  ///
  /// A progress that cancelled a migration is replaced when the next migration begins.
  ///
  /// Compared to Apple's Core Data: new, in addition to observing ``migrationProgress``.
  ///
  /// ```swift
  /// let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
  /// let progress = manager.reportedProgress
  /// print(progress.fractionCompleted)  // 0.0
  /// progress.cancel()  // the migration throws CocoaError.migrationCancelled
  /// ```
  open private(set) var reportedProgress = Progress(totalUnitCount: 1000)

  let observers = ProgressObservers()
  private let lock = NSLock()
  private var lockedProgress: Float = 0
  private var lockedCancellation: (any Error)?
  private var run: MigrationRun?
  /// Whether a migration is beginning, which must not discard an earlier cancellation.
  private var isBeginning = false
  /// Whether a migration has begun since ``reportedProgress`` was made or reset.
  private var hasUsedProgress = false
  /// The cancellation of the request that waits for the current migration.
  private var cancellation: Cancellation?

  /// Creates a manager for stores of two models.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
    super.init()
    reportedProgress.isPausable = false
    // New objects are incomplete until the last pass, which validates them.
    for context in [sourceContext, destinationContext] { context.session.skipValidation() }
  }

  /// Creates a manager for stores of models without entities.
  public override convenience init() {
    self.init(sourceModel: NSManagedObjectModel(), destinationModel: NSManagedObjectModel())
  }

  // MARK: Migration

  /// Migrates a store. If the current `Progress` of the calling thread is cancelled, the migration ends with
  /// `CocoaError.userCancelled`.
  ///
  /// A migration consists of three passes over the entity mappings: it creates objects, sets
  /// relationships, and validates the new objects; see ``NSEntityMigrationPolicy``. The program's
  /// own metadata is copied. The new store has a new UUID.
  ///
  /// Rows of entities without a mapping are not migrated. If the destination model contains the entity, this is
  /// logged.
  ///
  /// The source is opened for reading only, unless its options set `NSReadOnlyPersistentStoreOption` to false. If there
  /// is a store of the destination model at the destination, the objects are added to it.
  ///
  /// - Parameters:
  ///   - sourceURL: The file of the source store.
  ///   - sStoreType: The type of the source store.
  ///   - sOptions: The options for opening the source store.
  ///   - mappings: The mapping model.
  ///   - dURL: The file of the destination store, which must differ from that of the source.
  ///   - dStoreType: The type of the destination store, which may differ from that of the source.
  ///   - dOptions: The options for opening the destination store.
  /// - Throws: `NSMigrationMissingMappingModelError` without mappings, `NSMigrationManagerSourceStoreError` and
  ///   `NSMigrationManagerDestinationStoreError` with the cause as underlying error,
  ///   `NSMigrationConstraintViolationError`, `NSEntityMigrationPolicyError` for a missing policy class,
  ///   `NSMigrationError` for an expression that fails and if the destination is the source, validation errors with the
  ///   object's entity and property, `NSMigrationCancelledError` if ``reportedProgress`` was cancelled, the error that
  ///   was passed to ``cancelMigrationWithError(_:)``, and the errors of policies. An error leaves source and
  ///   destination unchanged.
  open func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrate(
      MigrationEndpoint(url: sourceURL, type: sStoreType, options: sOptions),
      to: MigrationEndpoint(url: dURL, type: dStoreType, options: dOptions), with: mappings)
  }

  /// Migrates a store, and replaces it with the new one at the end.
  ///
  /// - Parameter configuration: The configuration of the new store in the destination model; nil for the whole model.
  final func replaceStore(
    at url: URL, type: String, configuration: String?, options: [AnyHashable: Any],
    with mappings: NSMappingModel
  ) throws {
    let endpoint = MigrationEndpoint(
      url: url, type: type, options: options, configuration: configuration)
    try migrate(endpoint, to: endpoint, with: mappings, replacesSource: true)
  }

  private func migrate(
    _ source: MigrationEndpoint, to destination: MigrationEndpoint, with mappings: NSMappingModel?,
    replacesSource: Bool = false
  ) throws {
    guard let mappings, mappings.entityMappings?.isEmpty == false else {
      throw CoreDataError.make(
        NSMigrationMissingMappingModelError, "A migration needs a mapping model with mappings.")
    }
    isBeginning = true
    reset()
    isBeginning = false
    hasUsedProgress = true
    // A cancellation applies only to the migration that it ends.
    defer { lock.withLock { lockedCancellation = nil } }
    cancellation = .ofRequest
    defer { cancellation = nil }
    try throwIfCancelled()
    mappingModel = mappings
    let run = MigrationRun(
      manager: self, mappings: mappings.entityMappings, source: source, destination: destination,
      replacesSource: replacesSource)
    self.run = run
    defer {
      self.run = nil
      currentEntityMapping = nil
    }
    try run.execute()
    report(1)
  }

  /// Migrates a store; see
  /// `migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)`.
  ///
  /// - Throws: The errors of that method.
  public final func migrateStore(
    from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
    options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel,
    to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
    options destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrateStore(
      from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
      toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
      destinationOptions: destinationOptions)
  }

  /// Discards the state of the last migration: associations, contexts, progress and cancellation. A new migration
  /// first does the same, except that a cancellation requested before it remains in effect and ends it.
  open func reset() {
    lock.withLock {
      lockedProgress = 0
      if !isBeginning { lockedCancellation = nil }
    }
    // A progress that no migration has used may have been cancelled to prevent the next migration.
    if reportedProgress.isCancelled, hasUsedProgress || !isBeginning {
      reportedProgress = Progress(totalUnitCount: 1000)
      reportedProgress.isPausable = false
    }
    hasUsedProgress = false
    reportedProgress.completedUnitCount = 0
    currentEntityMapping = nil
    mappingModel = nil
    sourceContext = NSManagedObjectContext(.privateQueue)
    destinationContext = NSManagedObjectContext(.privateQueue)
    for context in [sourceContext, destinationContext] { context.session.skipValidation() }
  }

  /// The completed fraction of the migration, from 0 to 1. Can be read on any thread.
  ///
  /// To observe it, use `observe(\.migrationProgress)`, override ``migrationProgressDidChange(_:)``, or use
  /// ``reportedProgress``.
  open var migrationProgress: Float { lock.withLock { lockedProgress } }

  /// Called on the thread of the migration when ``migrationProgress`` has changed. The default implementation does
  /// nothing.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// ```swift
  /// final class PrintingManager: NSMigrationManager, @unchecked Sendable {
  ///   override func migrationProgressDidChange(_ migrationProgress: Float) {
  ///     print(Int(migrationProgress * 100), "%")
  ///   }
  /// }
  /// let manager = PrintingManager(sourceModel: model, destinationModel: model)
  /// ```
  open func migrationProgressDidChange(_ migrationProgress: Float) {}

  /// Cancels the current migration before its next object, or the next migration when it begins. The migration throws
  /// this error. Can be called on any thread at any time.
  ///
  /// ``reset()`` discards a cancellation that has not ended a migration.
  ///
  /// ```swift
  /// let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
  /// manager.cancelMigrationWithError(CocoaError(.userCancelled))
  /// ```
  open func cancelMigrationWithError(_ error: any Error) {
    lock.withLock { lockedCancellation = error }
  }

  /// - Throws: The error that the migration was cancelled with.
  final func throwIfCancelled() throws {
    if let error = lock.withLock({ lockedCancellation }) { throw error }
    try cancellation?.check()
    if reportedProgress.isCancelled { throw MigrationErrors.cancelled }
  }

  final func report(_ fraction: Double) {
    let value = Float(min(max(fraction, 0), 1))
    let before = lock.withLock { () -> Float? in
      // The progress never decreases.
      guard value > lockedProgress else { return nil }
      defer { lockedProgress = value }
      return lockedProgress
    }
    // What follows runs outside the lock, because an observer may read the progress.
    guard let before else { return }
    reportedProgress.completedUnitCount = Int64(value * 1000)
    migrationProgressDidChange(value)
    observers.notify(self, before, value)
  }

  // MARK: Entities and objects

  /// Returns the source entity of a mapping; nil if it has none.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    entity(mEntity.sourceEntityName, sourceContext, sourceModel)
  }

  /// Returns the destination entity of a mapping; nil if it has none.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    entity(mEntity.destinationEntityName, destinationContext, destinationModel)
  }

  private func entity(
    _ name: String?, _ context: NSManagedObjectContext, _ model: NSManagedObjectModel
  ) -> NSEntityDescription? {
    guard let name else { return nil }
    // During a migration, the contexts use copies of the models, and objects have the entities of
    // these copies.
    return context.layouts?.layout(named: name)?.entity ?? model.entitiesByName[name]
  }

  /// Associates a destination object with the source object that a mapping created it from. Both can be in several
  /// associations.
  ///
  /// ```swift
  /// final class TagPolicy: NSEntityMigrationPolicy {
  ///   override func createDestinationInstances(
  ///     forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ///   ) throws {
  ///     for name in (sInstance.value(forKey: "tags") as? String ?? "").split(separator: ",") {
  ///       let tag = NSEntityDescription.insertNewObject(
  ///         forEntityName: "Tag", into: manager.destinationContext)
  ///       tag.setValue(String(name), forKey: "name")
  ///       manager.associate(sourceInstance: sInstance, withDestinationInstance: tag, for: mapping)
  ///     }
  ///   }
  /// }
  /// ```
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    run?.associate(sourceInstance, destinationInstance, entityMapping.name ?? "")
  }

  /// Returns the destination objects that a mapping created from source objects, each once, in the order of the source
  /// objects.
  ///
  /// - Parameters:
  ///   - mappingName: The name of an entity mapping. An unknown name has no objects.
  ///   - sourceInstances: The source objects; nil for all.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    run?.destinations(of: sourceInstances, mapping: mappingName) ?? []
  }

  /// Returns the source objects from which a mapping created destination objects, each once, in the order of the
  /// destination objects.
  ///
  /// - Parameters:
  ///   - mappingName: The name of an entity mapping. An unknown name has no objects.
  ///   - destinationInstances: The destination objects; nil for all.
  ///
  /// ```swift
  /// func original(of person: NSManagedObject, in manager: NSMigrationManager) -> NSManagedObject? {
  ///   let found = manager.sourceInstances(
  ///     forEntityMappingName: "PersonToPerson", destinationInstances: [person])
  ///   return found.first
  /// }
  /// ```
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    run?.sources(of: destinationInstances, mapping: mappingName) ?? []
  }

  // MARK: Expressions

  /// Evaluates a function that an expression calls on the manager and that the library does not define:
  /// `FUNCTION($manager, "requestFor:", …)`; see ``NSEntityMigrationPolicy/value(forFunction:arguments:)``.
  ///
  /// - Throws: `NSMigrationError` if the class does not implement the function.
  ///
  /// Compared to Apple's Core Data: new. Apple's Core Data calls a method with this selector.
  open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
    throw MigrationErrors.unknownFunction(selector, of: self)
  }

  final func values(for mapping: NSEntityMapping) -> MappedValues {
    run?.values(for: mapping) ?? MappedValues(mapping)
  }

  /// Returns the value of a property mapping's expression.
  final func value(
    of expression: Predicates.NSExpression, for property: NSPropertyMapping,
    in mapping: NSEntityMapping, _ source: NSManagedObject, _ destination: NSManagedObject,
    _ policy: NSEntityMigrationPolicy
  ) throws -> Any? {
    run?.evaluated = (mapping, property)
    defer { run?.evaluated = nil }
    return try expression.value(
      with: source,
      variables: [
        NSMigrationManagerKey: self, NSMigrationSourceObjectKey: source,
        NSMigrationDestinationObjectKey: destination, NSMigrationEntityMappingKey: mapping,
        NSMigrationPropertyMappingKey: property, NSMigrationEntityPolicyKey: policy,
      ])
  }

  final func instances(
    ofRelationship name: String, _ sources: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    guard let run else { return [] }
    return try run.destinations(of: sources, relationship: name)
  }

  final func hasMapping(named name: String) -> Bool { run?.hasMapping(named: name) ?? false }
}
