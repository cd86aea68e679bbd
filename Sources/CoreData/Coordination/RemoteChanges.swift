/// Watches a coordinator's stores for saves by other writers. Sends them to the contexts that merge automatically, and
/// posts `NSPersistentStoreRemoteChange` for the stores whose options request it. If no context merges automatically,
/// watches only these stores.
///
/// Thread-safe. Reads and reports changes on the queue of the store's watch, and reports saves of this coordinator on
/// ``queue``.
final class RemoteChanges: @unchecked Sendable {
  private let lock = NSLock()
  private var watches: [ObjectIdentifier: any EngineWatch] = [:]
  private var lockedFailure: (@Sendable (NSPersistentStore, any Error) -> Void)?
  private let queue = DispatchQueue(label: "CoreData.remote-changes")

  /// Called on the queue of the watch when a watched store can no longer be read.
  var failure: (@Sendable (NSPersistentStore, any Error) -> Void)? {
    get { lock.withLock { lockedFailure } }
    set { lock.withLock { lockedFailure = newValue } }
  }

  /// Returns how often a watched store was polled; nil for a store that is not watched.
  func pollCount(of store: NSPersistentStore) -> Int? {
    lock.withLock { watches[ObjectIdentifier(store.engine)] }?.pollCount
  }

  /// Starts and stops watches. Called when the stores or the merging contexts change.
  func update(for coordinator: NSPersistentStoreCoordinator) {
    lock.withLock {
      // The state is read inside the lock, so that the later of two concurrent updates sees the
      // later state.
      let merges = !coordinator.mergingContexts.isEmpty
      let stores = coordinator.persistentStores
      let before = watches
      // A watch that is not kept below ends when it is released.
      watches = [:]
      for store in stores {
        guard let engine = store.engine as? any WatchedEngine else { continue }
        if store.postsRemoteChanges { listen(to: engine, of: store, coordinator) }
        guard merges || store.postsRemoteChanges else { continue }
        let key = ObjectIdentifier(engine)
        // An existing watch is kept, because it knows its position. A new one would report again all saves since the
        // store was opened.
        watches[key] = before[key] ?? watch(engine, of: store, coordinator)
      }
    }
  }

  /// Stops watching a store that is about to be closed.
  func end(_ store: NSPersistentStore) {
    _ = lock.withLock { watches.removeValue(forKey: ObjectIdentifier(store.engine)) }
  }

  private func isWatched(_ engine: any StoreEngine) -> Bool {
    lock.withLock { watches[ObjectIdentifier(engine)] != nil }
  }

  /// Reports what other processes and coordinators save from now on, and have saved since the store was opened.
  private func watch<Engine: WatchedEngine>(
    _ engine: Engine, of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
  ) -> any EngineWatch {
    let position = FeedPosition(engine.openingToken())
    // Weak, because the coordinator owns the watch and with it this closure.
    return engine.watch { [weak self, weak store, weak coordinator, weak engine] in
      guard let engine else { return }
      do {
        let news = try engine.news(since: &position.token)
        position.isFailing = false
        guard !news.isEmpty, let self, let store, let coordinator else { return }
        let (contexts, posts) = (coordinator.mergingContexts, store.postsRemoteChanges)
        // No context or option needs the watch any longer, so this ends it.
        if contexts.isEmpty, !posts { return self.update(for: coordinator) }
        for context in contexts {
          for changes in news.changes { context.foreign.inbox.add(changes, for: context) }
        }
        if news.isSave, posts { Self.post(engine, store, coordinator) }
      } catch {
        defer { position.isFailing = true }
        // A store that the coordinator is closing cannot be read either. It is no longer in
        // `watches`.
        guard !position.isFailing, let self, let store, self.isWatched(engine) else { return }
        Log.storeError("changes by other connections cannot be read: \(error.localizedDescription)")
        self.failure?(store, error)
      }
    }
  }

  /// Posts a notification for each save of this coordinator, too.
  private func listen(
    to engine: any WatchedEngine, of store: NSPersistentStore,
    _ coordinator: NSPersistentStoreCoordinator
  ) {
    engine.onCommit { [weak store, weak coordinator, weak engine, queue] in
      guard let store, let coordinator, let engine else { return }
      // Asynchronous, because the committing thread is inside a context's save, and an observer may wait
      // for that context.
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
      Log.storeError("the history token cannot be read: \(error.localizedDescription)")
    }
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
  }
}

/// The last reported position in the changes to a store. Used on the queue of the store's watch.
private final class FeedPosition<Token: Sendable>: @unchecked Sendable {
  var token: Token
  /// Whether the last attempt to read the store failed. Only the first failure is reported.
  var isFailing = false

  init(_ token: Token) { self.token = token }
}

extension NSPersistentStoreCoordinator {
  /// Starts or stops watching the stores, as the contexts and the stores' options require now.
  func watchStores() { remoteChanges.update(for: self) }

  /// The contexts that merge saves of other processes and coordinators.
  var mergingContexts: [NSManagedObjectContext] { contexts.current.filter(\.mergesOnItsQueue) }

  /// Calls `body` when a watched store can no longer be read: its file was removed, replaced or emptied, or is
  /// damaged. Calls it on a private queue, and not again until the store could be read in between.
  package func onStoreFailure(_ body: @escaping @Sendable (NSPersistentStore, any Error) -> Void) {
    remoteChanges.failure = body
  }
}

extension NSManagedObjectContext {
  /// Whether the context merges automatically what other contexts save. False for a confined context, because it has no
  /// queue to merge on, and the program may be using it on its own thread.
  var mergesOnItsQueue: Bool { automaticallyMergesChangesFromParent && !queue.isConfined }
}

extension NSPersistentStore {
  /// Whether the option to post `NSPersistentStoreRemoteChange` after each write to the store is set.
  var postsRemoteChanges: Bool { StoreOptions(options).postsRemoteChanges }
}
