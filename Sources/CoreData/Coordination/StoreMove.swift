/// Moves the objects of a store to another store.
struct StoreMove {
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let url: URL
  let options: [AnyHashable: Any]?

  /// Moves the objects.
  ///
  /// - Returns: The new store with the objects, and the IDs that changed: old and new IDs, alternating.
  func run(to type: String) throws -> (NSPersistentStore, [NSManagedObjectID]) {
    let path = url.resolvingSymlinksInPath()
    let isFile = type != NSInMemoryStoreType && !StoreLocation(path).isInMemory
    // A named store in memory is not a file, but the coordinator can have it open, too.
    let isPlace = type != NSInMemoryStoreType && !StoreLocation(path).isNameless
    if isPlace, let open = openStore(at: path) {
      // If the coordinator opened the store a second time, fetches would return each object twice.
      throw CoreDataError.badRequest(
        open === store
          ? "the store is already at \(path.path)"
          : "the coordinator has the store at \(path.path) open; remove it before moving objects to it"
      )
    }
    guard isFile, FileManager.default.fileExists(atPath: path.path) else {
      guard isFile else { return try moveToNew(type, path) }
      // If the move fails, the files that it created are removed.
      return try StoreKind.sqlite.withNewFiles(at: path) { try moveToNew(type, path) }
    }
    return try copyObjects(type, keepsKeys: false)
  }

  private func openStore(at path: URL) -> NSPersistentStore? {
    coordinator.persistentStores.first { open in
      guard let url = open.url?.resolvingSymlinksInPath() else { return false }
      // Stores on servers can have the same path on different hosts and ports.
      return url.path == path.path && url.host ?? "" == path.host ?? "" && url.port == path.port
    }
  }

  private func moveToNew(
    _ type: String, _ path: URL
  ) throws -> (NSPersistentStore, [NSManagedObjectID]) {
    guard case .file(let files) = try StoreKind(type), !StoreLocation(path).isInMemory else {
      return try copyObjects(type, keepsKeys: false)
    }
    // A file is copied as a whole to a file of the same type, which keeps the keys. All other stores are copied row by
    // row.
    guard let engine = store.engine as? any FileEngine, Swift.type(of: engine) == files else {
      let (new, _) = try copyObjects(type, keepsKeys: true)
      // Opens the new store again with the origin of the old store, because the IDs in the contexts belong to that
      // origin.
      try new.engine.close()
      return (try reopenWithOldOrigin(type), [])
    }
    return try engine.copy(to: path, StoreOptions(options), .ofRequest) {
      (try reopenWithOldOrigin(type), [])
    }
  }

  /// Opens the new file with the origin of the old store, so that the objects keep their IDs.
  private func reopenWithOldOrigin(_ type: String) throws -> NSPersistentStore {
    let old = store.engine.origin
    let identifier = old.identifier
    do {
      let new = try coordinator.open(type, store.configurationName, url, options, origin: old)
      // The new file contains keys but no reference objects, so the URIs of the IDs contain keys from now on.
      old.references?.retire()
      return new
    } catch {
      // Opening assigned the new file's UUID to the origin. The objects remain in the old store.
      old.identifier = identifier
      throw error
    }
  }

  private func copyObjects(
    _ type: String, keepsKeys: Bool
  ) throws -> (NSPersistentStore, [NSManagedObjectID]) {
    // Checked first, because opening a custom store runs the program's code, which may make a file.
    if case .custom = try StoreKind(type) {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "objects cannot be moved to a store of type \"\(type)\", because it is a custom store")
    }
    let new = try coordinator.open(type, store.configurationName, url, options)
    try coordinator.requireNewIdentifier(of: new)
    // The copy needs a context, because a custom store receives one with each request.
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var copy = StoreCopy(
      source: store.engine.engine(for: context), target: new.engine, model: coordinator.layouts,
      keepsKeys: keepsKeys)
    do {
      let metadata =
        try (store.engine as? any FileEngine)?.currentMetadata() ?? store.metadata ?? [:]
      let program = metadata.filter { StoreMetadata.isProgramKey($0.key) }
      // The save of the objects writes the metadata as well, so an existing store gets both or nothing.
      new.engine.stageMetadata(new.metadata.merging(program) { own, _ in own })
      try context.performAndWait { try copy.run() }
      try new.engine.saveMetadata()
      return (new, copy.changedIDs)
    } catch {
      try new.engine.close()
      throw error
    }
  }
}
