/// The relationships that an undo step has restored.
struct RestoredSlots {
  private var slots: Set<Key> = []

  private struct Key: Hashable {
    let object: ObjectIdentifier
    let slot: Int
  }

  init(_ step: UndoStep) {
    for change in step.objects where change.wasPresent {
      for slot in change.destinations.map(\.slot) + change.members.map(\.slot) {
        slots.insert(Key(object: ObjectIdentifier(change.object), slot: slot))
      }
    }
  }

  var isEmpty: Bool { slots.isEmpty }

  /// Returns whether an object's relationship was restored.
  func contains(_ object: NSManagedObject, _ slot: Int) -> Bool {
    slots.contains(Key(object: ObjectIdentifier(object), slot: slot))
  }
}

extension NSManagedObject {
  /// Removes destinations from an object whose insertion is undone: those whose inverse relationship an undo step has
  /// restored, and those of relationships without an inverse.
  func disconnect(from restored: RestoredSlots) throws {
    for slot in layout.slots {
      guard let relationship = slot.relationship else { continue }
      func isGone(_ member: NSManagedObject) throws -> Bool {
        guard let inverse = relationship.inverse else { return true }
        // The member may lead to this object again, because of another change.
        return try restored.contains(member, inverse) && !member.leadsTo(self, inverse)
      }
      if relationship.inverse != nil, restored.isEmpty { continue }
      if slot.kind == .toOne {
        guard let destination = try toOneObject(slot.index), try isGone(destination) else {
          continue
        }
        willChangeContent(slot.index)
        setContent(slot.index, .writtenObject(nil))
      } else if slot.kind == .toMany {
        let members = try toManyObjects(slot.index).filter(isGone)
        if members.isEmpty { continue }
        willChangeContent(slot.index)
        let content = try toManyContent(slot.index)
        for member in members { content.remove(member) }
      }
    }
  }

  /// Returns whether a relationship of this object leads to another one.
  private func leadsTo(_ other: NSManagedObject, _ slot: Int) throws -> Bool {
    if layout.slots[slot].kind == .toOne { return try toOneObject(slot) === other }
    let content = unreadContent(slot)
    // An object that was never saved is not among the stored members.
    if content.isRead || other.key < 0 { return content.contains(other) }
    return try toManyContent(slot).contains(other)
  }
}
