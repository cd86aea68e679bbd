/// A stage of a staged migration: an ``NSLightweightMigrationStage`` or an ``NSCustomMigrationStage``.
nonisolated open class NSMigrationStage: NSObject, @unchecked Sendable {
  /// A description of the stage, which is part of error messages.
  open var label: String = ""
}

/// A stage that migrates a store through a sequence of models, from each model to the next one. Every step is a
/// lightweight migration and runs no code of the program.
///
/// ```swift
/// let version2 = model.copy() as? NSManagedObjectModel ?? model
/// let stage = NSLightweightMigrationStage([model.versionChecksum, version2.versionChecksum])
/// stage.label = "Add nicknames"
/// ```
nonisolated open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  /// The `versionChecksum`s of the models, in order.
  public let versionChecksums: [String]

  /// Creates a stage from the checksums of models.
  public init(_ versionChecksums: [String]) {
    self.versionChecksums = versionChecksums
  }
}

/// A stage that migrates a store from one model to another, and calls handlers of the program before and after the
/// migration to change the data.
///
/// Unlike an inferred migration, this stage lets an attribute become required although rows have no value for it:
/// `willMigrateHandler` sets the missing values.
nonisolated open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
  /// The model before the migration.
  public let currentModel: NSManagedObjectModelReference
  /// The model after the migration.
  public let nextModel: NSManagedObjectModelReference
  /// Called before the store is migrated. The manager's container has the store open with the current model.
  ///
  /// If the handler throws an error, the migration ends. Changes that the handler saved are not undone.
  ///
  /// ```swift
  /// let reference = NSManagedObjectModelReference(
  ///   model: model, versionChecksum: model.versionChecksum)
  /// let stage = NSCustomMigrationStage(migratingFrom: reference, to: reference)
  /// stage.willMigrateHandler = { manager, _ in
  ///   guard let context = manager.container?.newBackgroundContext() else { return }
  ///   try context.performAndWait {
  ///     let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
  ///     request.predicate = NSPredicate(format: "firstName == nil")
  ///     for person in try context.fetch(request) { person.setValue("", forKey: "firstName") }
  ///     try context.save()
  ///   }
  /// }
  /// ```
  open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called after the store was migrated. The manager's container has the store open with the next model.
  ///
  /// If the handler throws an error, the migration ends after this stage. Changes that the handler saved are not
  /// undone. If the handler did not complete, because it threw an error or the process ended, it is called again when
  /// the store is next opened with these stages, before any further migration. The handler must therefore detect what
  /// is already done.
  ///
  /// Compared to Apple's Core Data: its documentation does not say that the handler is called again.
  open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  /// Creates a stage between two models.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference,
    to nextModel: NSManagedObjectModelReference
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
  }
}
