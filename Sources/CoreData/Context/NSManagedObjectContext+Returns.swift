extension NSManagedObjectContext {
  /// Makes the owners of restored objects read their to-many members again if these lack a restored object.
  ///
  /// This happens if a merge made an object the owner of an object that was deleted in this context: the owner then
  /// read its members without the deleted object.
  func invalidateOwnersMissing(_ objects: [NSManagedObject]) {
    do {
      try readRows(of: objects)
      // An object whose row is gone has no owners. Live results find out that it is gone.
      let existing = objects.filter(\.snapshot.isPresent)
      for group in Dictionary(grouping: existing, by: { ObjectIdentifier($0.layout) }).values {
        for slot in group[0].layout.slots {
          guard let relationship = slot.relationship, let inverse = relationship.inverse,
            relationship.destination.slots[inverse].kind == .toMany
          else { continue }
          if slot.kind == .toMany { try prefetchToMany(slot, of: group) }
          for object in group {
            let owners =
              slot.kind == .toOne
              ? [try object.toOneObject(slot.index)].compactMap { $0 }
              : try object.toManyObjects(slot.index)
            for owner in owners where owner.readContent(inverse)?.contains(object) == false {
              owner.state.forgetReadMembers(inverse)
            }
          }
        }
      }
    } catch {
      Log.contextNotice(
        "owners of restored objects may have outdated members: \(error.localizedDescription)")
    }
  }
}
