extension NSPersistentStoreCoordinator {
  /// Opens a store. Migrates a store of another model first, if the options enable migration.
  func openMigrated(
    _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    func migrate(_ url: URL) throws -> NSPersistentStore {
      try StoreMigration(
        model: layouts, type: type, configuration: configuration,
        url: url.resolvingSymlinksInPath(), options: options
      ).run()
      return try open(type, configuration, url, options)
    }
    // Such a store already has the new model, so opening it would succeed without calling the
    // handler.
    if let url, StoreMigration.isWanted(options),
      StagedMigration.hasUnfinishedStage(type, url, options, managedObjectModel)
    {
      return try migrate(url)
    }
    // Most stores need no migration, so the model is looked up only after opening has failed.
    do {
      return try open(type, configuration, url, options)
    } catch let error where StoreMigration.isNeeded(after: error) {
      guard let url, StoreMigration.isWanted(options) else { throw error }
      return try migrate(url)
    }
  }
}
