public import Foundation

extension NSManagedObjectContext {
  /// Merges what another context saved: its `NSManagedObjectContextDidSave` notification.
  ///
  /// Updated objects that are in use get the store's present values under their unsaved changes;
  /// inserted ones become known; deleted ones are deleted here too.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    func ids(_ key: String) -> [NSManagedObjectID] {
      (notification.userInfo?[key] as? Set<NSManagedObject>)?.map(\.objectID) ?? []
    }
    merge(
      SavedIDs(
        inserted: ids(NSInsertedObjectsKey), updated: ids(NSUpdatedObjectsKey),
        deleted: ids(NSDeletedObjectsKey)))
    processPendingChanges()
  }

  /// Takes over what was saved elsewhere.
  func merge(_ saved: SavedIDs) {
    takeOverIdentities()
    // A row of a store that is not open here is none of this context's business.
    func isKnown(_ id: NSManagedObjectID) -> Bool {
      source?.mayHaveRow(of: id, for: self) ?? false
    }
    for id in saved.inserted.map(own) where isKnown(id) {
      let object = object(with: id)
      refreshContents(of: object)
      pending.inserted.insert(object)
    }
    for id in saved.updated.map(own) where isKnown(id) {
      guard let object = registeredObject(for: id) else {
        // Live results may show the row by its ID alone.
        if !observers.current.isEmpty { pending.refreshed.insert(self.object(with: id)) }
        continue
      }
      refreshContents(of: object)
      pending.refreshed.insert(object)
    }
    for id in saved.deleted {
      guard let object = registeredObject(for: id) else { continue }
      inserted.remove(object)
      updated.remove(object)
      deleted.remove(object)
      object.flags.remove([.inserted, .updated])
      object.flags.formUnion([.deleted, .propagated])
      pending.deleted.insert(object)
    }
    scheduleProcessing()
  }

  private func refreshContents(of object: NSManagedObject) {
    if object.flags.contains(.updated) || object.flags.contains(.deleted) {
      rebase(object)
    } else if !object.flags.contains(.inserted) {
      object.turnIntoFault()
    }
  }
}
