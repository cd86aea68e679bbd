extension NSPersistentStoreCoordinator {
  func move(
    _ store: NSPersistentStore, to URL: URL, _ options: [AnyHashable: Any]?, _ storeType: String
  ) throws -> NSPersistentStore {
    guard persistentStores.contains(where: { $0 === store }) else {
      throw CoreDataError.badRequest("the store is not open in this coordinator")
    }
    let move = StoreMove(coordinator: self, store: store, url: URL, options: options)
    let (new, ids) = try move.run(to: storeType)
    // From here on, the method posts the six notifications of Apple's Core Data, in the same order
    // (`StoreNotificationTests`).
    add(new)
    postWillRemove(store)
    postWillRemove(new)
    // The third element has old and new IDs, alternating. It is empty if the objects keep their IDs.
    let change: [Any] = [store, new, ids]
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
      userInfo: [NSUUIDChangedPersistentStoresKey: change])
    // An observer may have removed the store.
    if persistentStores.contains(where: { $0 === store }) {
      postWillRemove(store)
      try closeAndRemove(store, hasMoved: true)
    }
    return new
  }

  /// Moves the objects of a store to a store with another location or type; see
  /// `migratePersistentStore(_:to:options:withType:)`.
  ///
  /// ```swift
  /// let archive = url.deletingLastPathComponent().appendingPathComponent("Archive.sqlite")
  /// if let store = coordinator.persistentStore(for: url) {
  ///   let moved = try coordinator.migratePersistentStore(store, to: archive, type: .sqlite)
  ///   print(moved.url?.lastPathComponent ?? "")  // Archive.sqlite
  /// }
  /// ```
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
  }
}
