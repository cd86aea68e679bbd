/// One step of a staged migration: a ``NSLightweightMigrationStage`` or a ``NSCustomMigrationStage``.
nonisolated open class NSMigrationStage: NSObject, @unchecked Sendable {
  /// What the stage is for, in words; part of the messages of errors.
  open var label: String = ""
}

/// A series of models to which a store is brought as their differences say, without a word of the program.
nonisolated open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  /// The `versionChecksum`s of the models, in their order.
  public let versionChecksums: [String]

  /// Makes a stage of the models with these checksums.
  public init(_ versionChecksums: [String]) {
    self.versionChecksums = versionChecksums
  }
}

/// A migration between two models, before and after which the program sees to the data.
///
/// What keeps a mapping from being inferred for an attribute that becomes required (rows might have no
/// value) is no obstacle here: `willMigrateHandler` gives each row one.
nonisolated open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
  /// The model that the store has before.
  public let currentModel: NSManagedObjectModelReference
  /// The model that it has afterwards.
  public let nextModel: NSManagedObjectModelReference
  /// Called before the store is migrated; the manager's container has it open with the current model.
  ///
  /// What it throws ends the migration; what it saved before stays.
  open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called when the store is migrated; the manager's container has it open with the next model.
  ///
  /// What it throws ends the migration, after this stage's; what it saved before stays. A handler that did not end, because
  /// it threw or the process did, is called again before anything else the next time the store is opened with these
  /// stages: let it find out what is done already.
  ///
  /// Compared to Apple's Core Data: there nothing says that it is called again.
  open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  /// Makes a stage between two models.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference,
    to nextModel: NSManagedObjectModelReference
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
  }
}
