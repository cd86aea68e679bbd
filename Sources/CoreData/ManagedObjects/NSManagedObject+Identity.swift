// In a predicate an object and its ID are the same thing, and so are the objects of two contexts
// for one row: a fetch compares keys and cannot tell them apart.

extension NSManagedObject: IdentityComparable {
  package var comparableIdentity: AnyHashable { objectID }
  package var mayChangeIdentity: Bool { key <= 0 }
}

extension NSManagedObjectID: IdentityComparable {
  package var comparableIdentity: AnyHashable { current }
  package var mayChangeIdentity: Bool { key < 0 }
}
