extension NSManagedObject {
  /// The object's ID. Unlike `objectID`, a subclass cannot override it.
  package final var ownID: NSManagedObjectID {
    if key > 0 { return NSManagedObjectID(layout: layout, key: key, origin: origin) }
    return unsavedID
  }

  @inline(never)
  private final var unsavedID: NSManagedObjectID {
    // The temporary ID is made first: permanent IDs that are published from now on reach it directly, and the context's
    // inbox contains those that were published before.
    let id = NSManagedObjectID(layout: layout, key: primaryKey, origin: origin)
    return unsafeContext?.foreign.permanentIDs.currentID(of: id) ?? id
  }

  /// The primary key of the object's ID, without making the ID: negative while the ID is temporary.
  /// Assigns a temporary key on first use if the object has no context.
  package final var primaryKey: Int64 {
    if key == 0, origin === layout.temporaryOrigin { key = StoreOrigin.nextTemporaryKey() }
    return key
  }
}

// In a predicate, an object equals its ID and the objects of the same row in other contexts, because a fetch compares
// keys and cannot distinguish these.

extension NSManagedObject: IdentityComparable {
  package var comparableIdentity: AnyHashable { ownID }
  package var mayChangeIdentity: Bool { key <= 0 }
}

extension NSManagedObjectID: IdentityComparable {
  package var comparableIdentity: AnyHashable { current }
  package var mayChangeIdentity: Bool { key < 0 }
}
