// A to-one relationship is part of the row, like an attribute. The other side has to be updated in
// memory, because both sides contain the values that were set in this context.

extension ConflictResolution {
  func resolveToOne(_ slot: PropertySlot, _ winner: Winner, _ old: StoredValue) throws {
    let now = object.committedValue(slot)
    switch winner {
    case .local(let overStored):
      guard overStored, case .writtenObject(let mine) = object.content(slot.index) else { return }
      try releaseStored(slot, now, except: mine)
    case .old:
      object.state.forget(slot.index)
      invalidateDestinations(slot, [old, now])
      var destination: NSManagedObject?
      if case .reference(let id) = old { destination = context.object(with: id) }
      try object.setToOne(slot.index, destination)
    case .store:
      if case .writtenObject(let mine) = object.content(slot.index) {
        if let mine { try detach(slot, from: mine) }
      } else if old == now {
        // The relationship was set neither here nor in the store, so the other side has not changed.
        return object.state.forget(slot.index)
      }
      object.state.forget(slot.index)
      invalidateDestinations(slot, [old, now])
      try leadBack(slot, now)
    }
  }

  private func invalidateDestinations(_ slot: PropertySlot, _ values: [StoredValue]) {
    for value in values {
      if case .reference(let id) = value, let known = context.registeredObject(for: id) {
        invalidate(slot, known)
      }
    }
  }

  /// Restores the inverse of the stored destination if the inverse is a to-one relationship, which has its own column
  /// and was set to another object in this context.
  private func leadBack(_ slot: PropertySlot, _ stored: StoredValue) throws {
    guard case .reference(let id) = stored, let inverse = slot.relationship?.inverse,
      id.layout.slots[inverse].kind == .toOne,
      let destination = context.registeredObject(for: id),
      !destination.flags.contains(.deleted)
    else { return }
    do {
      if try destination.toOneObject(inverse) === object { return }
      try destination.setToOne(inverse, object)
    } catch let error where CoreDataError.isRowGone(error) {}
    object.state.forget(slot.index)
  }

  /// Removes the object from a destination that another save set. This is a change to the
  /// destination, including for contexts that merge this save.
  private func releaseStored(
    _ slot: PropertySlot, _ stored: StoredValue, except mine: NSManagedObject?
  ) throws {
    guard case .reference(let id) = stored, let inverse = slot.relationship?.inverse,
      mine.map({ !id.identifies($0) }) ?? true
    else { return }
    let destination = context.object(with: id)
    if destination.layout.slots[inverse].kind == .toMany {
      if destination.flags.contains(.deleted) { return }
      invalidate(slot, destination)
    } else {
      context.refreshContents(of: [destination])
    }
    try destination.removeDestination(inverse, object)
  }

  /// Removes the object from a destination that was set in this context.
  private func detach(_ slot: PropertySlot, from destination: NSManagedObject) throws {
    guard let inverse = slot.relationship?.inverse else { return }
    if destination.layout.slots[inverse].kind == .toMany {
      invalidate(slot, destination)
    } else {
      try destination.removeDestination(inverse, object)
    }
  }

  /// Invalidates a destination's side of a relationship. The next access reads it from the store.
  private func invalidate(_ slot: PropertySlot, _ destination: NSManagedObject) {
    guard let inverse = slot.relationship?.inverse, destination !== object else { return }
    if destination.flags.contains(.observed) { destination.notifyObservers(ofChangeIn: inverse) }
    if destination.layout.slots[inverse].kind == .toMany {
      if !destination.flags.contains(.deleted) {
        destination.state.forgetMember(object, of: inverse)
      }
    } else if destination.flags.isDisjoint(with: [.inserted, .deleted]),
      // A destination with a changed row has its own conflict.
      !destination.layout.slots.contains(where: { $0.kind != .toMany && destination.isChanged($0) })
    {
      // The save that set this object's column has set the destination's, too.
      context.refreshContents(of: [destination])
    }
  }

  /// Discards the pairs of a many-to-many relationship that were added and removed in this context, on the side of the
  /// members. The caller discards them on the side of the object.
  func forgetPairs(_ slot: PropertySlot, _ content: ToManyContent) {
    // In a one-to-many relationship, the pairs are changes to the members, and these changes stay.
    guard let relationship = slot.relationship, let inverse = relationship.inverse,
      relationship.destination.slots[inverse].kind == .toMany
    else { return }
    for member in content.added + Array(content.removed) {
      if member !== object { member.state.forgetMember(object, of: inverse) }
    }
  }
}
