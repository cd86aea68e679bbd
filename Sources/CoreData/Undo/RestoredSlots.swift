import ObjectModel

/// The relationships that an undo step put back.
struct RestoredSlots {
  private var slots: Set<Name> = []
  private var membersTaken: Set<Link> = []

  private struct Name: Hashable {
    let object: ObjectIdentifier
    let slot: Int
  }

  private struct Link: Hashable {
    let owner: Name
    let member: ObjectIdentifier
  }

  init(_ step: UndoStep) {
    for change in step.objects where change.wasPresent {
      for slot in change.destinations.map(\.slot) + change.members.map(\.slot) {
        slots.insert(Name(object: ObjectIdentifier(change.object), slot: slot))
      }
      for members in change.members {
        let owner = Name(object: ObjectIdentifier(change.object), slot: members.slot)
        for member in members.added {
          membersTaken.insert(Link(owner: owner, member: ObjectIdentifier(member)))
        }
      }
    }
  }

  var isEmpty: Bool { slots.isEmpty }

  /// Whether the step itself takes a member out of an owner's relationship.
  func takesBack(_ member: NSManagedObject, from owner: NSManagedObject, _ slot: Int) -> Bool {
    let name = Name(object: ObjectIdentifier(owner), slot: slot)
    guard owner.layout.slots[slot].kind == .toMany else { return slots.contains(name) }
    return membersTaken.contains(Link(owner: name, member: ObjectIdentifier(member)))
  }

  /// Whether an object's relationship was put back.
  func contains(_ object: NSManagedObject, _ slot: Int) -> Bool {
    slots.contains(Name(object: ObjectIdentifier(object), slot: slot))
  }
}

extension NSManagedObject {
  /// Takes out of a new object's relationships those whose own side was put back, and those that
  /// have no side of their own.
  func letGo(of restored: RestoredSlots) throws {
    for slot in layout.slots {
      guard let relationship = slot.relationship else { continue }
      func isGone(_ member: NSManagedObject) -> Bool {
        relationship.inverse.map { restored.contains(member, $0) } ?? true
      }
      if relationship.inverse != nil, restored.isEmpty { continue }
      if slot.kind == .toOne {
        guard let destination = try toOneObject(slot.index), isGone(destination) else { continue }
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
}
