/// Makes a store of one model from a store of another, as a mapping model says.
///
/// <!-- example: prelude let (old, new, temporary) = (model, model, url) -->
/// ```swift
/// let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: url, type: .sqlite, mapping: mapping, to: temporary, type: .sqlite)
/// ```
///
/// A manager carries out one migration at a time, and may carry out several one after the other. It
/// belongs to the thread that calls it; ``cancelMigrationWithError(_:)`` and ``migrationProgress`` may be
/// used from any.
///
/// Memory: source objects are read in batches, and both contexts let go of what is saved, so a migration
/// takes as much for a million objects as for a thousand; associations of rows that keep their order take next to
/// nothing, others 40 bytes each. Objects that a
/// policy inserts without associating them stay in memory until the end, so that the policy finds them
/// among the context's registered objects.
///
/// Compared to Apple's Core Data: the destination is written under another name, and takes its place when
/// all is done, so that it is either whole or as it was.
nonisolated open class NSMigrationManager: NSObject, @unchecked Sendable {
  /// The model of the store that there is.
  public let sourceModel: NSManagedObjectModel
  /// The model of the store to be made.
  public let destinationModel: NSManagedObjectModel
  /// The mapping model of the migration that goes on; nil before the first one.
  open private(set) var mappingModel: NSMappingModel! = nil
  /// The context of the source's objects. The migration works on its queue and on that of the other.
  open private(set) var sourceContext = NSManagedObjectContext(.privateQueue)
  /// The context of the destination's objects. Nothing is validated when it is saved.
  open private(set) var destinationContext = NSManagedObjectContext(.privateQueue)
  /// The mapping whose policy is at work; nil between migrations.
  open internal(set) var currentEntityMapping: NSEntityMapping! = nil
  /// The program's own values. Numbers read back as `NSNumber`s.
  open var userInfo: [AnyHashable: Any]? {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }
  /// Whether a store's own way of migrating may be taken where the mapping is inferred.
  ///
  /// Compared to Apple's Core Data: a manager always carries out the mapping object by object; adding a
  /// store with automatic migration takes the store's own way.
  open var usesStoreSpecificMigrationManager = true

  /// The progress of the migration, in thousandths; cancelling it cancels the migration.
  ///
  /// It is another one when a migration begins after it was cancelled.
  ///
  /// Compared to Apple's Core Data: new, beside observing ``migrationProgress``.
  open private(set) var reportedProgress = Progress(totalUnitCount: 1000)

  let observers = ProgressObservers()
  private let lock = NSLock()
  private var lockedProgress: Float = 0
  private var lockedCancellation: (any Error)?
  private var run: MigrationRun?
  /// Whether a migration begins, which keeps what it was cancelled with already.
  private var isBeginning = false
  /// Whether a migration counted in ``reportedProgress``.
  private var hasUsedProgress = false
  /// Who waits for the migration that goes on, and may not want it any more.
  private var cancellation: Cancellation?

  /// Makes a manager for stores of a model.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
    super.init()
    reportedProgress.isPausable = false
    for context in [sourceContext, destinationContext] { context.session.validates = false }
  }

  /// Makes a manager for stores of models without entities.
  public override convenience init() {
    self.init(sourceModel: NSManagedObjectModel(), destinationModel: NSManagedObjectModel())
  }

  // MARK: Migrating

  /// Migrates a store. Cancelling the progress that is current on the calling thread ends it with
  /// `CocoaError.userCancelled`.
  ///
  /// Three passes, each for all entity mappings in their order: objects are made, relationships are set,
  /// the new objects are validated; see ``NSEntityMigrationPolicy``. The metadata of the program's own
  /// goes along, the store gets a UUID of its own.
  ///
  /// Rows of entities that no mapping names stay behind; where the destination's model has the entity, the log says so.
  ///
  /// The source is opened for reading only. Where there is a store at the destination, of the destination's
  /// model, the objects are added to it.
  ///
  /// - Parameters:
  ///   - sourceURL: the file of the source.
  ///   - sStoreType: its type.
  ///   - sOptions: the options with which it is opened.
  ///   - mappings: what is to be done.
  ///   - dURL: the file of the destination, another one.
  ///   - dStoreType: its type, which may be another.
  ///   - dOptions: the options with which it is opened.
  /// - Throws: `NSMigrationMissingMappingModelError` without mappings,
  ///   `NSMigrationManagerSourceStoreError` and `NSMigrationManagerDestinationStoreError` with the
  ///   cause as underlying error, `NSMigrationConstraintViolationError`, `NSEntityMigrationPolicyError`
  ///   for a policy class that is not there, `NSMigrationError` for an expression that fails, validation
  ///   errors with the object's entity and property, `NSMigrationCancelledError`, and what policies throw.
  ///   The source is as it was, and so is the destination.
  open func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrate(
      MigrationEndpoint(url: sourceURL, type: sStoreType, options: sOptions),
      to: MigrationEndpoint(url: dURL, type: dStoreType, options: dOptions), with: mappings)
  }

  /// Migrates a store, whose place the new one takes when all is done.
  ///
  /// - Parameter configuration: that of the destination's model which the new one has; nil for the whole model.
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
    // Taken by the migration that it ends, and not by the one after it.
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

  /// Forgets the last migration: associations, contexts, progress, cancellation. The next migration does
  /// so by itself, except that a cancellation that came before it ends it.
  open func reset() {
    lock.withLock {
      lockedProgress = 0
      if !isBeginning { lockedCancellation = nil }
    }
    // One that no migration had may have been cancelled to keep the next one from beginning.
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
    for context in [sourceContext, destinationContext] { context.session.validates = false }
  }

  /// How much of the migration is done, from 0 to 1. May be asked on any thread.
  ///
  /// Observe it with `observe(\.migrationProgress)`, override ``migrationProgressDidChange(_:)``, or take
  /// ``reportedProgress``.
  open var migrationProgress: Float { lock.withLock { lockedProgress } }

  /// Called on the migration's thread when ``migrationProgress`` has another value. Does nothing.
  ///
  /// Compared to Apple's Core Data: new.
  open func migrationProgressDidChange(_ migrationProgress: Float) {}

  /// Ends the migration that goes on before its next object, or the next one as soon as it begins; it throws
  /// this error. May be called on any thread, at any moment.
  ///
  /// ``reset()`` takes back what no migration was ended by.
  open func cancelMigrationWithError(_ error: any Error) {
    lock.withLock { lockedCancellation = error }
  }

  /// - Throws: what the migration was cancelled with.
  final func throwIfCancelled() throws {
    if let error = lock.withLock({ lockedCancellation }) { throw error }
    try cancellation?.check()
    if reportedProgress.isCancelled { throw MigrationErrors.cancelled }
  }

  final func report(_ fraction: Double) {
    let value = Float(min(max(fraction, 0), 1))
    let before = lock.withLock { () -> Float? in
      // It never goes back.
      guard value > lockedProgress else { return nil }
      defer { lockedProgress = value }
      return lockedProgress
    }
    guard let before else { return }
    reportedProgress.completedUnitCount = Int64(value * 1000)
    migrationProgressDidChange(value)
    observers.notify(self, before, value)
  }

  // MARK: Entities and objects

  /// The source entity of a mapping; nil where it has none.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    entity(mEntity.sourceEntityName, sourceContext, sourceModel)
  }

  /// The destination entity of a mapping; nil where it has none.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    entity(mEntity.destinationEntityName, destinationContext, destinationModel)
  }

  private func entity(
    _ name: String?, _ context: NSManagedObjectContext, _ model: NSManagedObjectModel
  ) -> NSEntityDescription? {
    guard let name else { return nil }
    return context.layouts?.layout(named: name)?.entity ?? model.entitiesByName[name]
  }

  /// Notes that a destination object was made of a source object by a mapping. One may be made of several,
  /// and several of one.
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    run?.associate(sourceInstance, destinationInstance, entityMapping.name ?? "")
  }

  /// What a mapping made of source objects, each once, in their order.
  ///
  /// - Parameters:
  ///   - mappingName: the name of an entity mapping; nothing is found for another name.
  ///   - sourceInstances: the source objects; nil for all.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    run?.destinations(of: sourceInstances, mapping: mappingName) ?? []
  }

  /// What a mapping made destination objects of, each once, in their order.
  ///
  /// - Parameters:
  ///   - mappingName: the name of an entity mapping; nothing is found for another name.
  ///   - destinationInstances: the destination objects; nil for all.
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    run?.sources(of: destinationInstances, mapping: mappingName) ?? []
  }

  // MARK: Expressions

  /// Carries out a function that an expression calls and the manager does not know:
  /// `FUNCTION($manager, "requestFor:", …)`; see
  /// ``NSEntityMigrationPolicy/value(forFunction:arguments:)``.
  ///
  /// - Throws: for a function that the class does not know.
  ///
  /// Compared to Apple's Core Data: new. There, a method of this selector is called.
  open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
    throw MigrationErrors.unknownFunction(selector, of: self)
  }

  final func values(for mapping: NSEntityMapping) -> MappedValues {
    run?.values(for: mapping) ?? MappedValues(mapping)
  }

  /// The value of a property mapping's expression.
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
