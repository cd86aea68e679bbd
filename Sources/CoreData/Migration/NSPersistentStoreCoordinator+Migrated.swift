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
      // No other store can replace a custom one. Its metadata may be readable only by an open store, so a migration
      // would fail with an error that hides the reason.
      if case .custom(let storeClass) = try StoreKind(type) {
        throw notMigrated(error as NSError, storeClass)
      }
      return try migrate(url)
    }
  }

  /// Returns the error for a custom store of another model, which the options request to migrate.
  private func notMigrated(_ error: NSError, _ storeClass: NSPersistentStore.Type) -> NSError {
    CoreDataError.make(
      error.code,
      "\(error.localizedDescription). Custom stores are not migrated automatically; \(storeClass) has to read"
        + " the content of older models itself",
      error.userInfo.filter { $0.key != NSLocalizedDescriptionKey })
  }
}
