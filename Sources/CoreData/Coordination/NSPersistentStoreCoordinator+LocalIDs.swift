extension NSPersistentStoreCoordinator {
  /// Returns the ID that this coordinator uses for the object that an ID identifies. Another coordinator of the same
  /// store, or one with another copy of the model, uses a different ID for the object.
  ///
  /// Returns the passed ID if this coordinator's model has no entity of that name. O(1) for an ID of this coordinator.
  func localID(of id: NSManagedObjectID) -> NSManagedObjectID {
    let isOfOpenStore = id.key < 0 || id.origin.store?.persistentStoreCoordinator === self
    if isOfOpenStore, id.layout.model === layouts { return id }
    guard let layout = layouts.layout(named: id.layout.name) else { return id }
    let store = persistentStores.first { $0.identifier == id.origin.identifier }
    guard let origin = store?.engine.origin else {
      return NSManagedObjectID(layout: layout, key: id.key, origin: id.origin)
    }
    // A custom store has separate keys in each coordinator, but the same reference objects.
    if let references = origin.references, let name = id.origin.references?.reference(of: id.key) {
      return NSManagedObjectID(
        layout: layout, key: references.key(of: name, in: layout), origin: origin)
    }
    return NSManagedObjectID(layout: layout, key: id.key, origin: origin)
  }

  /// Converts the constants of requests to this coordinator's stores.
  var constantConversion: ConstantConversion { ConstantConversion(localID: localID) }
}
