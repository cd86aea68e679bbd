// Only incremental stores are notified of the objects that contexts use. For objects of other stores, each call costs
// only a check of the origin of the object's ID.

extension NSManagedObject {
  /// Notifies the object's store that a context has registered the object.
  @inline(__always)
  final func notifyStoreOfRegistration() {
    if origin.references != nil {
      notifyStore { $0.managedObjectContextDidRegisterObjects(with: $1) }
    }
  }

  /// Notifies the object's store that its context releases the object.
  @inline(__always)
  final func notifyStoreOfUnregistration() {
    if unsafeContext != nil { notifyStoreOfEnd() }
  }

  /// Notifies the object's store that the object is no longer registered with a context. The caller checks that it
  /// was registered.
  @inline(__always)
  final func notifyStoreOfEnd() {
    if origin.references != nil {
      notifyStore { $0.managedObjectContextDidUnregisterObjects(with: $1) }
    }
  }

  private func notifyStore(_ body: (NSIncrementalStore, [NSManagedObjectID]) -> Void) {
    guard let store = origin.store as? NSIncrementalStore else { return }
    body(store, [NSManagedObjectID(layout: layout, key: key, origin: origin)])
  }
}
