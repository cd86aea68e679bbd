public import Foundation

extension NSPersistentStoreCoordinator {
  /// Moves a store's objects to a store of another place or type, and goes on with that: "Save As".
  ///
  /// The new store has a UUID of its own. When it is a new SQLite file, the objects that contexts
  /// have, unsaved changes too, go over to it with their IDs; else they have to be fetched anew, and
  /// `NSUUIDChangedPersistentStoresKey` says which ID became which. The objects of a store that is
  /// there already stay, and the others are added to them. The old file stays where it is.
  ///
  /// Posts, as Apple's Core Data does, `…StoresDidChange` (added), `…WillRemoveStore` for both,
  /// `…StoresDidChange` (UUID changed), `…WillRemoveStore` for the old one, `…StoresDidChange`
  /// (removed).
  ///
  /// - Returns: the new store; the old one is closed.
  /// - Throws: when the new store cannot be made or written. Nothing has changed then.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    guard persistentStores.contains(where: { $0 === store }) else {
      throw CoreDataError.badRequest("the store is not open in this coordinator")
    }
    let move = StoreMove(coordinator: self, store: store, url: URL, options: options)
    let (new, ids) = try move.run(to: storeType)
    add(new)
    postWillRemove(store)
    postWillRemove(new)
    var change: [Any] = [store, new]
    if !ids.isEmpty { change.append(ids) }
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
      userInfo: [NSUUIDChangedPersistentStoresKey: change])
    try remove(store)
    return new
  }

  /// Moves a store's objects to a store of another place or type; see
  /// `migratePersistentStore(_:to:options:withType:)`.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migratePersistentStore(
      store, to: storeURL, options: options, withType: storeType.rawValue)
  }
}
