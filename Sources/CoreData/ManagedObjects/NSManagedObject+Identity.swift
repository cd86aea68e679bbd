// In a predicate, an object equals its ID and the objects of the same row in other contexts: a
// fetch compares keys and cannot distinguish them.

extension NSManagedObject: IdentityComparable {
  package var comparableIdentity: AnyHashable { objectID }
  package var mayChangeIdentity: Bool { key <= 0 }
}

extension NSManagedObjectID: IdentityComparable {
  package var comparableIdentity: AnyHashable { current }
  package var mayChangeIdentity: Bool { key < 0 }
}
