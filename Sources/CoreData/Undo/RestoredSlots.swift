import ObjectModel

/// The relationships that an undo step put back.
struct RestoredSlots {
  private var slots: Set<Name> = []

  private struct Name: Hashable {
    let object: ObjectIdentifier
    let slot: Int
  }

  init(_ step: UndoStep) {
    for change in step.objects where change.wasPresent {
      for slot in change.destinations.map(\.slot) + change.members.map(\.slot) {
        slots.insert(Name(object: ObjectIdentifier(change.object), slot: slot))
      }
    }
  }

  var isEmpty: Bool { slots.isEmpty }

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
