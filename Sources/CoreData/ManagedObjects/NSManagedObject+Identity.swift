extension NSManagedObject {
  /// The context of the object; nil after the object was deleted and saved, or the context was reset.
  public final var managedObjectContext: NSManagedObjectContext? { unsafeContext }

  /// The object's entity.
  public final var entity: NSEntityDescription { layout.entity }

  /// The object's ID. It is temporary until the object is first saved to a store, or until
  /// `NSManagedObjectContext.obtainPermanentIDs(for:)` assigns a permanent one.
  ///
  /// In a context and its parents and children, the objects of one row have the same ID at all times.
  ///
  /// ```swift
  /// let link = person.objectID.uriRepresentation()
  /// if let id = coordinator.managedObjectID(forURIRepresentation: link) {
  ///   print(id == person.objectID)  // true
  /// }
  /// ```
  public final var objectID: NSManagedObjectID {
    if key > 0 { return NSManagedObjectID(layout: layout, key: key, origin: origin) }
    return unsavedID
  }

  @inline(never)
  private final var unsavedID: NSManagedObjectID {
    // The order matters. Permanent IDs that are published from now on reach the new ID directly; the context's inbox
    // contains those that were published before.
    let id = NSManagedObjectID(layout: layout, key: primaryKey, origin: origin)
    return unsafeContext?.foreign.permanentIDs.currentID(of: id) ?? id
  }

  /// The primary key of the object's ID, without making the ID: negative before the first save.
  /// Assigns a temporary key on first use if the object has no context.
  package final var primaryKey: Int64 {
    if key == 0, origin === layout.temporaryOrigin { key = StoreOrigin.nextTemporaryKey() }
    return key
  }
}

// In a predicate, an object equals its ID and the objects of the same row in other contexts, because a fetch compares
// keys and cannot distinguish these.

extension NSManagedObject: IdentityComparable {
  package var comparableIdentity: AnyHashable { objectID }
  package var mayChangeIdentity: Bool { key <= 0 }
}

extension NSManagedObjectID: IdentityComparable {
  package var comparableIdentity: AnyHashable { current }
  package var mayChangeIdentity: Bool { key < 0 }
}
