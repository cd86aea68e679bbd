extension NSPersistentStoreCoordinator {
  func change(_ store: NSPersistentStore, to url: URL) -> Bool {
    guard persistentStores.contains(where: { $0 === store }) else { return false }
    switch store.engine {
    case let engine as any RowsBackedEngine: engine.move(to: url.withoutLinks)
    case let engine as any FileEngine:
      do {
        let files = type(of: engine)
        // Opening would create a missing file, and the store would lose its objects.
        guard files.exists(url) else { throw StoreErrors.noSuchFile(url) }
        let other = try files.open(
          url, model: layouts, configuration: store.configurationName,
          options: StoreOptions(store.options), origin: engine.origin)
        Self.stageMetadata(of: engine, in: other)
        // The store gets the new engine before the old one is closed, so that no thread gets a
        // closed engine from it.
        store.use(other)
        // A watch belongs to an engine, so the new engine needs its own watch.
        watchStores()
      } catch {
        Log.storeError("the store cannot use the file \(url.path): \(error.localizedDescription)")
        return false
      }
      do { try engine.close() } catch {
        // The store no longer uses the old file.
        Log.storeError("the store's old file could not be closed: \(error.localizedDescription)")
      }
    default: break
    }
    store.url = url
    return true
  }

  func destroy(_ url: URL, _ storeType: String, _ options: [AnyHashable: Any]?) throws {
    let kind = try StoreKind(storeType)
    switch kind {
    case .atomic, .custom:
      guard FileManager.default.fileExists(atPath: url.path) else {
        throw StoreErrors.noSuchFile(url)
      }
      // Refuses a folder, because removing it would also remove files that do not belong to the store.
      try StoreLocation.requirePlainFile(url)
    // These kinds of stores check whether the store exists before they change anything.
    case .file, .engine: break
    }
    try removingStore(at: url) {
      switch kind {
      case .file(let files): try files.destroy(url, StoreOptions(options))
      case .engine(let engine): try engine.destroy(StoreLocation(url), StoreOptions(options))
      // A link stays, as when the store is written.
      case .atomic, .custom: try StoreLocation.removeFile(url.withoutLinks.path)
      }
    }
  }

  /// Removes the open store of a URL, and runs `body`, which replaces or destroys its content. If `body` fails and the
  /// content is unchanged, opens the store again. Removes a store in memory only after `body` has succeeded.
  private func removingStore(at url: URL, _ body: () throws -> Void) throws {
    let location = StoreLocation(url)
    // All stores without a file have the same URL, so it identifies none of them.
    guard !location.isNameless, let store = persistentStore(for: url) else { return try body() }
    if location.isInMemory {
      // The content exists only while a store has it open, so this store is closed last. Observers of its removal can
      // still read the old content.
      postWillRemove(store)
      // The watch ends first, so that it does not report the store as lost.
      remoteChanges.end(store)
      do { try body() } catch {
        watchStores()
        throw error
      }
      return try closeAndRemove(store)
    }
    let origin = store.engine.origin
    // Read from the file, because the program may have set another UUID that is not saved yet.
    let identifier = Result { try Self.identifier(store.type, url, store.options) }
    try remove(store)
    do { try body() } catch {
      reopen(store, origin, identifier)
      throw error
    }
  }

  /// Stages in a new engine the metadata that the program has set in the old one since the last save. Keys that the
  /// program did not change keep their values in the new engine, because another process may have written them.
  private static func stageMetadata(of old: any StoreEngine, in new: any StoreEngine) {
    guard let metadata = old.stagedMetadata(over: new.metadata) else { return }
    new.stageMetadata(metadata)
  }

  /// Opens a removed store again, unless its content was replaced or destroyed, or it is a custom store. Logs errors.
  ///
  /// - Parameter identifier: The UUID that its file had before.
  private func reopen(
    _ store: NSPersistentStore, _ origin: StoreOrigin, _ identifier: Result<String?, any Error>
  ) {
    do {
      // The library cannot open a custom store again, because the program's object was closed.
      guard let url = store.url, !store.engine.receivesObjects,
        let old = try identifier.get(),
        try Self.identifier(store.type, url, store.options) == old
      else { return }
      let new = try open(store.type, store.configurationName, url, store.options, origin: origin)
      Self.stageMetadata(of: store.engine, in: new.engine)
      store.use(new.engine)
      add(store)
    } catch {
      Log.storeError(
        "the store \(store.url?.path ?? store.identifier ?? "") stays closed, because it cannot be opened again:"
          + " \(error.localizedDescription)")
    }
  }

  /// Returns the UUID of a store that is not open. A SQLite store's UUID can be read even if other metadata is damaged,
  /// because such a store can be opened for reading.
  private static func identifier(
    _ type: String, _ url: URL, _ options: [AnyHashable: Any]?
  ) throws -> String? {
    guard case .file(let files) = try StoreKind(type) else {
      return try metadataForPersistentStore(ofType: type, at: url, options: options)[NSStoreUUIDKey]
        as? String
    }
    let isImmutable = ImmutableStoreScope.isOn || StoreOptions(options).isImmutable
    return try ImmutableStoreScope.$isOn.withValue(isImmutable) {
      try files.partialMetadata(of: url).metadata[NSStoreUUIDKey] as? String
    }
  }

  /// Permanently removes the content of a store; see `destroyPersistentStore(at:ofType:options:)`.
  ///
  /// ```swift
  /// try coordinator.destroyPersistentStore(at: url, type: .sqlite)
  /// print(coordinator.persistentStores.count)  // 0: the store was removed first
  /// ```
  public func destroyPersistentStore(
    at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
  }

  func replace(
    _ destinationURL: URL, _ destinationOptions: [AnyHashable: Any]?,
    with sourceURL: URL, _ sourceOptions: [AnyHashable: Any]?, _ storeType: String,
    if unchanged: (any UnchangedFile)? = nil
  ) throws {
    let kind = try StoreKind(storeType)
    if case .engine = kind {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "a store of type \(storeType) cannot be replaced by another store; copy its objects instead"
      )
    }
    // Reports an unreadable source before the destination is changed.
    if case .file(let files) = kind {
      // A store with damaged metadata can still be copied.
      _ = try files.partialMetadata(of: sourceURL)
    } else {
      _ = try Self.metadataForPersistentStore(
        ofType: storeType, at: sourceURL, options: sourceOptions)
    }
    try removingStore(at: destinationURL) {
      if case .file(let files) = kind {
        try files.replace(
          destinationURL, StoreOptions(destinationOptions), with: sourceURL,
          StoreOptions(sourceOptions), if: unchanged, .ofRequest)
      } else {
        // If another process has written the destination since the caller recorded its state, its changes
        // would be lost.
        try unchanged?.requireUnchanged()
        try StoreTypeMismatch.requireBeginning(of: storeType, destinationURL)
        try WholeFile.write(
          try WholeFile.read(sourceURL), to: destinationURL, copyOf: sourceURL)
      }
    }
  }

  /// Replaces a store with the content of another one; see
  /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
  ///
  /// ```swift
  /// let backup = url.deletingLastPathComponent().appendingPathComponent("Backup.sqlite")
  /// try coordinator.replacePersistentStore(
  ///   at: url, withPersistentStoreFrom: backup, type: .sqlite)
  /// ```
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    type sourceType: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions,
      withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions, ofType: sourceType.rawValue)
  }
}
