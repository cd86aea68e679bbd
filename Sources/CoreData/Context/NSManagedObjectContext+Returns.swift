extension NSManagedObjectContext {
  /// Objects that were deleted are there again as the store has them: who came to own one by a merge meanwhile, and
  /// was read without it, reads its members anew.
  func rejoinOwners(_ objects: [NSManagedObject]) {
    do {
      try readRows(of: objects)
      // Whose row is gone has no owners; that it is gone, live results find out by themselves.
      let there = objects.filter(\.snapshot.isPresent)
      for group in Dictionary(grouping: there, by: { ObjectIdentifier($0.layout) }).values {
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
      Log.contextNotice("owners of what is there again: \(error.localizedDescription)")
    }
  }
}
