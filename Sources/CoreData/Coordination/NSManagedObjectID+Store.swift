extension NSManagedObjectID {
  /// The store that contains the object; nil for a temporary ID, and after the store was removed.
  ///
  /// Compared to Apple's Core Data: a subclass cannot override it.
  ///
  /// ```swift
  /// let file = person.objectID.persistentStore?.url
  /// print(file?.lastPathComponent ?? "not saved yet")  // Contacts.sqlite
  /// ```
  public var persistentStore: NSPersistentStore? { origin.store }
}

extension StoreOrigin {
  /// The store, while it is open.
  var store: NSPersistentStore? {
    // Only stores are ever assigned to `owner`.
    get { owner.map { unsafeDowncast($0, to: NSPersistentStore.self) } }
    set { owner = newValue }
  }
}
