import Foundation

/// Makes the store that another one's objects move to.
struct StoreMove {
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let url: URL
  let options: [AnyHashable: Any]?

  /// The new store with the objects in it, and the IDs that changed: old, new, old, new.
  func run(to type: String) throws -> (NSPersistentStore, [NSManagedObjectID]) {
    let path = url.resolvingSymlinksInPath()
    let isFile = type != NSInMemoryStoreType && !SQLiteStore.isInMemory(path)
    let isPlace = type != NSInMemoryStoreType && !SQLiteStore.isNameless(path)
    if isPlace, path.path == store.url?.resolvingSymlinksInPath().path {
      throw CoreDataError.badRequest("the store is at \(path.path) already")
    }
    guard isFile, FileManager.default.fileExists(atPath: path.path) else {
      let files = ExternalFiles(store: path)
      let before = isFile ? try files.names() : []
      let foldersBefore = files.presentFolders
      do {
        return try moveToNew(type, path)
      } catch {
        if isFile {
          SQLiteStore.removeFiles(of: path)
          files.remove(((try? files.names()) ?? []).filter { !before.contains($0) })
          files.removeEmptyFolders(besides: foldersBefore)
        }
        throw error
      }
    }
    return try copyObjects(type, keepsKeys: false)
  }

  private func moveToNew(
    _ type: String, _ path: URL
  ) throws -> (NSPersistentStore, [NSManagedObjectID]) {
    guard type == NSSQLiteStoreType, !SQLiteStore.isInMemory(path) else {
      return try copyObjects(type, keepsKeys: false)
    }
    guard let engine = store.engine as? SQLiteStore else {
      let (new, _) = try copyObjects(type, keepsKeys: true)
      try new.engine.close()
      return (try reopenWithOldOrigin(type), [])
    }
    // Nobody saves to the old file while it is copied.
    return try engine.pool.write { connection in
      try SQLiteStore.copy(connection, from: engine.url, to: path, StoreOptions(options))
      var metadata = engine.metadata
      metadata[NSStoreUUIDKey] = UUID().uuidString
      try SQLiteStore.setMetadata(metadata, of: path, StoreOptions(options))
      // The history is the old store's, whose UUID its tokens name.
      try SQLiteStore.clearHistory(of: path, StoreOptions(options))
      return (try reopenWithOldOrigin(type), [])
    }
  }

  /// Opens the new file with the origin of the old store's IDs.
  private func reopenWithOldOrigin(_ type: String) throws -> NSPersistentStore {
    let old = store.engine.origin
    let identifier = old.identifier
    do {
      return try coordinator.open(type, store.configurationName, url, options, origin: old)
    } catch {
      old.identifier = identifier
      throw error
    }
  }

  private func copyObjects(
    _ type: String, keepsKeys: Bool
  ) throws -> (NSPersistentStore, [NSManagedObjectID]) {
    let new = try coordinator.open(type, store.configurationName, url, options)
    guard new.engine is SQLiteStore || new.engine is AtomicStore else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "objects cannot be moved into a store of type \"\(type)\", which is of the program's own")
    }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var copy = StoreCopy(
      source: store.engine.engine(for: context), target: new.engine, model: coordinator.layouts,
      keepsKeys: keepsKeys)
    do {
      try context.performAndWait { try copy.run() }
      let program = (store.metadata ?? [:]).filter { StoreMetadata.isProgramKey($0.key) }
      new.engine.stageMetadata(new.metadata.merging(program) { own, _ in own })
      try new.engine.saveMetadata()
      return (new, copy.changedIDs)
    } catch {
      try new.engine.close()
      throw error
    }
  }
}
