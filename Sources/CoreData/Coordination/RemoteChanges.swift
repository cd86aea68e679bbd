import Foundation

/// Has a coordinator's SQLite stores watched as long as somebody wants to know what others save, and
/// tells them: contexts that merge by themselves, and observers of `NSPersistentStoreRemoteChange`.
///
/// Used on any thread. What a watch finds is told on the watch's queue, own saves on one of its own.
final class RemoteChanges: @unchecked Sendable {
  private let lock = NSLock()
  private var watches: [ObjectIdentifier: StoreWatch] = [:]
  private var lockedFailure: (@Sendable (NSPersistentStore, any Error) -> Void)?
  private let queue = DispatchQueue(label: "CoreData.remote-changes")

  /// Called when a store that is watched cannot be read any more, on the watch's queue.
  var failure: (@Sendable (NSPersistentStore, any Error) -> Void)? {
    get { lock.withLock { lockedFailure } }
    set { lock.withLock { lockedFailure = newValue } }
  }

  /// How many looks were taken at a store that is watched; nil for one that is not.
  func lookCount(of store: NSPersistentStore) -> Int? {
    lock.withLock { watches[ObjectIdentifier(store.engine)] }?.lookCount
  }

  /// Begins and ends watching: called when the stores change, or who wants to know of them.
  func update(for coordinator: NSPersistentStoreCoordinator) {
    let merges = !coordinator.mergingContexts.isEmpty
    let stores = coordinator.persistentStores
    lock.withLock {
      let before = watches
      watches = [:]
      for store in stores {
        guard let engine = store.engine as? SQLiteStore else { continue }
        if store.postsRemoteChanges { listen(to: engine, of: store, coordinator) }
        guard merges || store.postsRemoteChanges else { continue }
        let key = ObjectIdentifier(engine)
        watches[key] = before[key] ?? watch(engine, of: store, coordinator)
      }
    }
  }

  /// Ends watching a store that is about to be closed.
  func end(_ store: NSPersistentStore) {
    _ = lock.withLock { watches.removeValue(forKey: ObjectIdentifier(store.engine)) }
  }

  private func isWatched(_ engine: any StoreEngine) -> Bool {
    lock.withLock { watches[ObjectIdentifier(engine)] != nil }
  }

  private func watch(
    _ engine: SQLiteStore, of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
  ) -> StoreWatch {
    let reader = ForeignReader(engine)
    return StoreWatch(
      engine,
      didChange: { [weak self, weak store, weak coordinator, weak engine] version in
        guard let self, let store, let coordinator, let engine else { return version }
        return self.tell(of: engine, store, coordinator, reader, version)
      },
      didFail: { [weak self, weak store, weak engine] error in
        guard let self, let store, let engine, self.isWatched(engine) else { return }
        Log.storeError("what others save is not noticed: \(error.localizedDescription)")
        self.failure?(store, error)
      })
  }

  /// Somebody else wrote to a store, whose version was seen to be another.
  ///
  /// - Returns: the version up to which everything is told.
  private func tell(
    of engine: SQLiteStore, _ store: NSPersistentStore,
    _ coordinator: NSPersistentStoreCoordinator, _ reader: ForeignReader, _ version: Int64?
  ) -> Int64? {
    let merging = coordinator.mergingContexts
    if merging.isEmpty, !store.postsRemoteChanges {
      update(for: coordinator)
      return version
    }
    let news = reader.news(in: engine, version)
    for context in merging {
      for changes in news.changes { context.foreignInbox.add(changes, for: context) }
    }
    if news.isSave, store.postsRemoteChanges { Self.post(engine, store, coordinator) }
    return news.version
  }

  /// Has the store's own saves posted as well.
  private func listen(
    to engine: SQLiteStore, of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
  ) {
    engine.onCommit { [weak store, weak coordinator, weak engine, queue] in
      guard let store, let coordinator, let engine else { return }
      queue.async { Self.post(engine, store, coordinator) }
    }
  }

  private static func post(
    _ engine: SQLiteStore, _ store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
  ) {
    var info: [String: Any] = [:]
    info[NSStoreUUIDKey] = store.identifier
    info[NSPersistentStoreURLKey] = store.url
    do {
      info[NSPersistentHistoryTokenKey] = try engine.historyToken()
    } catch {
      Log.storeError("the history cannot be read: \(error.localizedDescription)")
    }
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
  }
}

extension NSPersistentStoreCoordinator {
  /// Begins or ends watching the stores, as is wanted now.
  func watchStores() { remoteChanges.update(for: self) }

  /// The contexts that merge what others save. One without a queue has none to do it on, while its program
  /// may be using it.
  var mergingContexts: [NSManagedObjectContext] {
    contexts.current.filter { $0.automaticallyMergesChangesFromParent && !$0.queue.isConfined }
  }

  /// Has `body` called when a store that is watched cannot be read any more: its file was removed,
  /// replaced or emptied, or is damaged. Called once, on a queue of its own, until it can be read again.
  package func onStoreFailure(_ body: @escaping @Sendable (NSPersistentStore, any Error) -> Void) {
    remoteChanges.failure = body
  }
}

extension NSPersistentStore {
  /// Whether observers are to be told that the store was written.
  var postsRemoteChanges: Bool { StoreOptions(options).postsRemoteChanges }
}
