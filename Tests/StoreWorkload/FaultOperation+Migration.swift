import CoreData

extension FaultOperation {
  /// Migrations of a closed store to another model. Looking at it afterwards migrates it back.
  static let migrations: [FaultOperation] = [
    migration("migrate", 13) { url, options in
      try WorkloadStore(url, options, model: WorkloadModel.next).close()
    },
    migration("migrate-copy", 13) { url, options in
      try WorkloadMigration.copy(url, to: WorkloadModel.next, options)
    },
  ]

  private static func migration(
    _ name: String, _ steps: Int,
    _ body: @escaping @Sendable (URL, [AnyHashable: Any]) throws -> Void
  ) -> FaultOperation {
    FaultOperation(
      name: name, steps: steps, old: NaiveLedger(after: steps), new: NaiveLedger(after: steps),
      opensBefore: false
    ) { url, _, options in try body(url, options) }
  }
}

/// Migrates the workload's store.
enum WorkloadMigration {
  /// By a mapping model, object by object.
  static func copy(
    _ url: URL, to model: NSManagedObjectModel, _ options: [AnyHashable: Any]
  ) throws {
    var migration = ProgressiveMigration(through: [model])
    migration.mappingModel = {
      try NSMappingModel.inferredMappingModel(forSourceModel: $0, destinationModel: $1)
    }
    try migration.run(at: url, options: options)
  }
}
