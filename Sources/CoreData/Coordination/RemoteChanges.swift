/// Watches a coordinator's stores while there are contexts that merge other writers' saves, or observers of
/// `NSPersistentStoreRemoteChange`, and notifies them.
///
/// Used on any thread. Changes are read and reported on the queue of the store's watch, own saves on one of its own.
final class RemoteChanges: @unchecked Sendable {
  private let lock = NSLock()
  private var watches: [ObjectIdentifier: any EngineWatch] = [:]
  private var lockedFailure: (@Sendable (NSPersistentStore, any Error) -> Void)?
  private let queue = DispatchQueue(label: "CoreData.remote-changes")

  /// Called when a store that is watched cannot be read any more, on the watch's queue.
  var failure: (@Sendable (NSPersistentStore, any Error) -> Void)? {
    get { lock.withLock { lockedFailure } }
    set { lock.withLock { lockedFailure = newValue } }
  }

  /// How often a watched store was polled; nil for one that is not.
  func pollCount(of store: NSPersistentStore) -> Int? {
    lock.withLock { watches[ObjectIdentifier(store.engine)] }?.pollCount
  }

  /// Begins and ends watching: called when the stores change, or who wants to know of them.
  func update(for coordinator: NSPersistentStoreCoordinator) {
    let merges = !coordinator.mergingContexts.isEmpty
    let stores = coordinator.persistentStores
    lock.withLock {
      let before = watches
      watches = [:]
      for store in stores {
        guard let engine = store.engine as? any WatchedEngine else { continue }
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

  /// Reports what others save from now on, and what they saved since the store was opened.
  private func watch<Engine: WatchedEngine>(
    _ engine: Engine, of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
  ) -> any EngineWatch {
    let position = FeedPosition(engine.openingToken())
    return engine.watch { [weak self, weak store, weak coordinator, weak engine] in
      guard let engine else { return }
      do {
        let news = try engine.news(since: &position.token)
        position.isFailing = false
        guard !news.isEmpty, let self, let store, let coordinator else { return }
        let (contexts, posts) = (coordinator.mergingContexts, store.postsRemoteChanges)
        if contexts.isEmpty, !posts { return self.update(for: coordinator) }
        for context in contexts {
          for changes in news.changes { context.foreign.inbox.add(changes, for: context) }
        }
        if news.isSave, posts { Self.post(engine, store, coordinator) }
      } catch {
        defer { position.isFailing = true }
        guard !position.isFailing, let self, let store, self.isWatched(engine) else { return }
        Log.storeError("what others save is not noticed: \(error.localizedDescription)")
        self.failure?(store, error)
      }
    }
  }

  /// Has the store's own saves posted as well.
  private func listen(
    to engine: any WatchedEngine, of store: NSPersistentStore,
    _ coordinator: NSPersistentStoreCoordinator
  ) {
    engine.onCommit { [weak store, weak coordinator, weak engine, queue] in
      guard let store, let coordinator, let engine else { return }
      queue.async { Self.post(engine, store, coordinator) }
    }
  }

  private static func post(
    _ engine: any WatchedEngine, _ store: NSPersistentStore,
    _ coordinator: NSPersistentStoreCoordinator
  ) {
    var info: [String: Any] = [:]
    info[NSStoreUUIDKey] = store.identifier
    info[NSPersistentStoreURLKey] = store.url
    do {
      info[NSPersistentHistoryTokenKey] = try (engine as? any HistoryEngine)?.historyToken()
    } catch {
      Log.storeError("the history cannot be read: \(error.localizedDescription)")
    }
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
  }
}

/// How far the changes of a store were reported. Used on the queue of the store's watch.
private final class FeedPosition<Token: Sendable>: @unchecked Sendable {
  var token: Token
  /// Whether the store could not be read the last time: that is reported once.
  var isFailing = false

  init(_ token: Token) { self.token = token }
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
