public import Foundation

extension NSPersistentStoreCoordinator {
  /// The file of a store; `/dev/null` for a store that has none.
  public func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: "/dev/null")
  }

  /// Changes the place of a store.
  ///
  /// A store that is read and written as a whole goes on with its objects, and the next save writes
  /// them to the new file. A SQLite store lets go of its file and opens the one at the new place,
  /// where there must be a store of this model.
  ///
  /// - Returns: whether the store has the new place; the reason is logged when it has not.
  @discardableResult
  public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    guard persistentStores.contains(where: { $0 === store }) else { return false }
    switch store.engine {
    case let engine as AtomicStore: engine.move(to: url.resolvingSymlinksInPath())
    case let engine as SQLiteStore:
      do {
        guard FileManager.default.fileExists(atPath: url.path) else {
          throw SQLiteStore.noSuchFile(url)
        }
        let other = try SQLiteStore.open(
          url.resolvingSymlinksInPath(), model: layouts, configuration: store.configurationName,
          options: StoreOptions(store.options), origin: engine.origin)
        store.use(other)
        try engine.close()
      } catch {
        Log.storeError("the store cannot go to \(url.path): \(error.localizedDescription)")
        return false
      }
    default: break
    }
    store.url = url
    return true
  }

  /// Removes a store's content for good. A store that this coordinator has open is removed from it
  /// first.
  ///
  /// A SQLite file is emptied and stays where it is, with regard for the locks of others; files of
  /// other stores are removed.
  ///
  /// - Throws: when there is no such store, or it cannot be destroyed.
  public func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    let kind = try StoreKind(storeType)
    if case .sqlite = kind {
      // Without a file there is nothing that could be done halfway.
    } else if !FileManager.default.fileExists(atPath: url.path) {
      throw SQLiteStore.noSuchFile(url)
    }
    if let open = persistentStore(for: url), !SQLiteStore.isInMemory(url) { try remove(open) }
    if case .sqlite = kind {
      try SQLiteStore.destroy(url.resolvingSymlinksInPath(), StoreOptions(options))
    } else {
      try FileManager.default.removeItem(at: url)
    }
  }

  /// Removes a store's content for good; see `destroyPersistentStore(at:ofType:options:)`.
  public func destroyPersistentStore(
    at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
  }

  /// Puts the content of one store in the place of another, or where there is none: all or nothing.
  /// The destination, if this coordinator has it open, is removed from it first.
  ///
  /// All files of the store go together: its database, the write-ahead log, and the files of
  /// externally kept values.
  ///
  /// - Throws: when the source is no store, or one of the two cannot be read or written. The
  ///   destination's file is then as it was.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    let kind = try StoreKind(storeType)
    // Says what is wrong with the source before anything happens to the destination.
    _ = try Self.metadataForPersistentStore(
      ofType: storeType, at: sourceURL, options: sourceOptions)
    if let open = persistentStore(for: destinationURL) { try remove(open) }
    if case .sqlite = kind {
      try SQLiteStore.replace(
        destinationURL.resolvingSymlinksInPath(), StoreOptions(destinationOptions),
        with: sourceURL.resolvingSymlinksInPath(), StoreOptions(sourceOptions))
    } else {
      try WholeFile.write(
        try Data(contentsOf: sourceURL), to: destinationURL.resolvingSymlinksInPath())
    }
  }

  /// Puts the content of one store in the place of another; see
  /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    type sourceType: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions,
      withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions,
      ofType: sourceType.rawValue)
  }
}
