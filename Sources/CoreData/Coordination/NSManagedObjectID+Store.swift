extension NSManagedObjectID {
  /// The store that holds the object; nil for a temporary ID and once the store was removed.
  public var persistentStore: NSPersistentStore? { origin.store }
}

extension StoreOrigin {
  /// The store, while it is open.
  var store: NSPersistentStore? {
    // Nothing else is ever kept there.
    get { owner.map { unsafeDowncast($0, to: NSPersistentStore.self) } }
    set { owner = newValue }
  }
}
