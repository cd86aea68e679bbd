/// Brings a store through several models, stage by stage.
///
/// <!-- example: prelude
/// let toV2 = NSLightweightMigrationStage([]), toV3 = NSLightweightMigrationStage([])
/// -->
/// ```swift
/// let manager = NSStagedMigrationManager([toV2, toV3])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
///
/// The stages are those from the store's own model on; earlier ones are passed over. Each is done and kept
/// before the next one begins: a migration that ends between two goes on there when the store is opened
/// again.
nonisolated open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
  /// The stages in their order.
  public let stages: [NSMigrationStage]
  private let lock = NSLock()
  private var lockedContainer: NSPersistentContainer?

  /// Makes a manager of stages.
  public init(_ stages: [NSMigrationStage]) { self.stages = stages }

  /// The store that is migrated, while a stage's handler runs; nil else.
  open var container: NSPersistentContainer? { lock.withLock { lockedContainer } }

  final func use(_ container: NSPersistentContainer?) {
    lock.withLock { lockedContainer = container }
  }
}

/// Option of a store: the `NSStagedMigrationManager` that migrates it.
///
/// `NSMigratePersistentStoresAutomaticallyOption` and `NSInferMappingModelAutomaticallyOption` must be on
/// beside it.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
