/// Migrates a store through several models, stage by stage.
///
/// <!-- example: prelude
/// let toV2 = NSLightweightMigrationStage([]), toV3 = NSLightweightMigrationStage([])
/// -->
/// ```swift
/// let manager = NSStagedMigrationManager([toV2, toV3])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
///
/// The migration begins at the store's current model and skips earlier stages. Each stage is permanent when it is
/// complete: if a migration ends between two stages, it continues there when the store is opened again.
nonisolated open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
  /// The stages in order.
  public let stages: [NSMigrationStage]
  private let lock = NSLock()
  private var lockedContainer: NSPersistentContainer?

  /// Creates a manager of stages.
  public init(_ stages: [NSMigrationStage]) { self.stages = stages }

  /// The container in which the store is open while the handler of a stage runs; otherwise nil.
  ///
  /// ```swift
  /// let reference = NSManagedObjectModelReference(
  ///   model: model, versionChecksum: model.versionChecksum)
  /// let stage = NSCustomMigrationStage(migratingFrom: reference, to: reference)
  /// stage.didMigrateHandler = { manager, stage in
  ///   guard let context = manager.container?.newBackgroundContext() else { return }
  ///   let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
  ///   let count = try context.performAndWait { try context.count(for: request) }
  ///   print(stage.label, count)
  /// }
  /// ```
  open var container: NSPersistentContainer? { lock.withLock { lockedContainer } }

  final func use(_ container: NSPersistentContainer?) {
    lock.withLock { lockedContainer = container }
  }
}

/// Store option: the `NSStagedMigrationManager` that migrates the store.
///
/// Has no effect without `NSMigratePersistentStoresAutomaticallyOption`. Does not require
/// `NSInferMappingModelAutomaticallyOption`.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
