// An incremental store is told which of its objects are in use. Other stores pay for it with one
// look at where an object's ID comes from.

extension NSManagedObject {
  /// Tells the object's store that a context has taken it in.
  @inline(__always)
  final func notifyStoreOfRegistration() {
    if origin.references != nil {
      notifyStore { $0.managedObjectContextDidRegisterObjects(with: $1) }
    }
  }

  /// Tells the object's store that its context lets go of it.
  @inline(__always)
  final func notifyStoreOfUnregistration() {
    if unsafeContext != nil { notifyStoreOfEnd() }
  }

  /// Notifies the object's store that an object ends that was registered with a context.
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
