extension NSPersistentStoreCoordinator {
  /// Opens a store; one of another model is migrated first, where the options ask for it.
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
    if let url, StoreMigration.isWanted(options),
      StagedMigration.isOwed(type, url, options, managedObjectModel)
    {
      return try migrate(url)
    }
    do {
      return try open(type, configuration, url, options)
    } catch let error where StoreMigration.isNeeded(after: error) {
      guard let url, StoreMigration.isWanted(options) else { throw error }
      return try migrate(url)
    }
  }
}
