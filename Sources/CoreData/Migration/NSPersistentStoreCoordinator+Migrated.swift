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
    // A store with an unfinished stage already has the new model, so opening it would succeed without calling the
    // stage's handler.
    if let url, StoreMigration.isWanted(options),
      StagedMigration.hasUnfinishedStage(type, url, options, model)
    {
      return try migrate(url)
    }
    // Most stores need no migration, so their old model is searched for only after opening has failed.
    do {
      return try open(type, configuration, url, options)
    } catch let error where StoreMigration.isNeeded(after: error) {
      guard let url, StoreMigration.isWanted(options) else { throw error }
      // A program whose model is missing has a model without entities. A migration to it would delete all objects.
      if model.entities.isEmpty { throw error }
      // A migration cannot replace a custom store. It would fail with an error that hides this reason if the store's
      // metadata can be read only while the store is open.
      if case .custom(let storeClass) = try StoreKind(type) {
        throw notMigrated(error as NSError, storeClass)
      }
      return try migrate(url)
    }
  }

  /// Returns the error for a custom store of another model if the options enable migration.
  private func notMigrated(_ error: NSError, _ storeClass: NSPersistentStore.Type) -> NSError {
    CoreDataError.make(
      error.code,
      "\(error.localizedDescription). Custom stores are not migrated automatically; \(storeClass) has to read"
        + " the content of older models itself",
      error.userInfo.filter { $0.key != NSLocalizedDescriptionKey })
  }
}
