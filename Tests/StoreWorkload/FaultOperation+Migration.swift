import CoreData

extension FaultOperation {
  /// Migrations of a closed store to another model. The inspection afterwards migrates it back.
  static let migrations: [FaultOperation] = [
    migration("migrate", 13) { url, options in
      try WorkloadStore(url, options, model: WorkloadModel.next).close()
    },
    migration("migrate-copy", 13, replacesPages: true) { url, options in
      try WorkloadMigration.copy(url, to: WorkloadModel.next, options)
    },
  ]

  private static func migration(
    _ name: String, _ steps: Int, replacesPages: Bool = false,
    _ body: @escaping @Sendable (URL, [AnyHashable: Any]) throws -> Void
  ) -> FaultOperation {
    FaultOperation(
      name: name, steps: steps, old: NaiveLedger(after: steps), new: NaiveLedger(after: steps),
      opensBefore: false, replacesPages: replacesPages
    ) { url, _, options in try body(url, options) }
  }
}

/// Migrates the workload's store.
enum WorkloadMigration {
  /// Migrates object by object, with a mapping model.
  static func copy(
    _ url: URL, to model: NSManagedObjectModel, _ options: [AnyHashable: Any]
  ) throws {
    var migration = ProgressiveMigration(through: [model])
    migration.mappingModel = {
      try NSMappingModel.inferredMappingModel(forSourceModel: $0, destinationModel: $1)
    }
    try migration.run(at: url, options: options)
  }

  /// Migrates an XML store, which contains no copy of its model.
  static func xml(_ url: URL, to model: NSManagedObjectModel) throws {
    var migration = ProgressiveMigration(through: [model])
    migration.knownModels = [WorkloadModel.model, WorkloadModel.next]
    try migration.run(at: url, type: .xml)
  }

  /// Migrates in place, and then finishes the work that the migration deferred.
  static func deferred(_ url: URL, to model: NSManagedObjectModel) throws {
    let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
    let store = try WorkloadStore(url, [key: NSNumber(value: true)], model: model)
    try store.coordinator.finishDeferredLightweightMigration()
    try store.close()
  }

  /// The name of the object that a stage's handler inserts into a store of the next model.
  static let mark = "made by a stage"

  /// Migrates through a stage with a handler, which inserts an object when it migrates to the next
  /// model. If the process ends before the handler completes, the next call runs the handler again.
  static func staged(_ url: URL, to model: NSManagedObjectModel) throws {
    func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
      NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let isNext = model === WorkloadModel.next
    let stage = NSCustomMigrationStage(
      migratingFrom: reference(isNext ? WorkloadModel.model : WorkloadModel.next),
      to: reference(model))
    stage.didMigrateHandler = { manager, _ in
      guard isNext, let context = manager.container?.newBackgroundContext() else { return }
      try context.performAndWait {
        if try context.all("Added").isEmpty { context.insert("Added", ["name": mark]) }
        try context.save()
      }
    }
    let manager = NSStagedMigrationManager([stage])
    try WorkloadStore(
      url, [NSPersistentStoreStagedMigrationManagerOptionKey: manager], model: model
    ).close()
  }
}
