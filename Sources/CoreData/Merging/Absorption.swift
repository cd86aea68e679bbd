/// Replaces an object with another one, and deletes the replaced object.
struct Absorption {
  let kept: NSManagedObject
  let object: NSManagedObject

  init(_ kept: NSManagedObject, _ object: NSManagedObject) {
    self.kept = kept
    self.object = object
  }

  /// - Parameter withValues: Whether to copy attributes, and to-one relationships that were set in the
  ///   deleted object. In any case, a to-one relationship is copied if the kept object has no destination, and
  ///   members of to-many relationships are added to those of the kept object.
  func run(withValues: Bool) throws {
    guard let context = kept.unsafeContext else { return }
    // Both rows are read first, so that an error changes neither object.
    try kept.fire()
    try object.fire()
    for slot in object.layout.slots where isShared(slot) {
      switch slot.kind {
      case .attribute where withValues: try copyAttribute(slot)
      case .toOne: try copyToOne(slot, withValues: withValues)
      case .toMany: try copyToMany(slot)
      default: break
      }
    }
    context.wake(kept, .mergePolicy)
    // Live results that contained the deleted object may not contain the kept one yet.
    context.pending.refresh(kept)
    try nullifyDenied()
    context.delete(object)
  }

  /// Nullifies the discarded object's relationships with a Deny rule. The rule restricts deletions by the program, not
  /// those by a merge policy.
  private func nullifyDenied() throws {
    for slot in object.layout.slots
    where slot.relationship?.deleteRule == .denyDeleteRule && slot.relationship?.inverse != nil {
      if slot.kind == .toMany {
        try object.removeMembers(slot.index, object.toManyObjects(slot.index))
      } else {
        try object.setToOne(slot.index, nil)
      }
    }
  }

  /// Returns whether both objects have the property. They may have different entities of a hierarchy, which share only
  /// inherited properties: other properties with the same name may have another type.
  private func isShared(_ slot: PropertySlot) -> Bool {
    kept.layout.slots[safe: slot.index] === slot
  }

  private func copyAttribute(_ slot: PropertySlot) throws {
    // A derived value depends on the kept object's other values.
    if slot.property is NSDerivedAttributeDescription { return }
    let value = try object.storedValue(slot.index)
    // Setting an equal value would count as a change.
    if try kept.storedValue(slot.index) != value { kept.setStoredValue(slot.index, value) }
  }

  private func copyToOne(_ slot: PropertySlot, withValues: Bool) throws {
    var destination = try object.toOneObject(slot.index)
    if destination === object { destination = kept }
    if destination?.flags.contains(.deleted) == true { destination = nil }
    var wasSet = false
    if case .writtenObject = object.content(slot.index) { wasSet = true }
    let present = try kept.toOneObject(slot.index)
    if present === destination { return }
    guard withValues && wasSet || present == nil else { return }
    try kept.setToOne(slot.index, destination)
  }

  private func copyToMany(_ slot: PropertySlot) throws {
    let members = try object.toManyObjects(slot.index)
      .filter { !$0.flags.contains(.deleted) }
      .map { $0 === object ? kept : $0 }
    if !members.isEmpty { try kept.addMembers(slot.index, members) }
  }
}

extension NSManagedObjectContext {
  /// Replaces discarded objects in unsaved changes of relationships without an inverse.
  /// Relationships with an inverse are updated by the deletion.
  func replaceReferences(_ replaced: ConstraintResolution.Replacements) {
    if replaced.isEmpty { return }
    for owner in Array(unsaved.inserted) + Array(unsaved.updated) {
      for slot in owner.layout.slots {
        guard let relationship = slot.relationship, relationship.inverse == nil else { continue }
        switch owner.content(slot.index) {
        case .writtenObject(let destination?):
          guard let new = replaced[ObjectIdentifier(destination)] else { continue }
          owner.setContent(slot.index, .writtenObject(new.by))
        case .toMany(let content):
          var hasReplaced = false
          for member in content.added {
            if let new = replaced[ObjectIdentifier(member)] {
              let index = content.index(of: member)
              content.remove(member)
              if let other = new.by { content.insert(other, at: index) }
              hasReplaced = true
            } else if hasReplaced, content.isOrdered, !content.isRead {
              // Members that were not read have no index. Members that were added later must stay
              // behind the replacement.
              content.remove(member)
              content.insert(member)
            }
          }
        default: continue
        }
        noteChange(owner)
      }
    }
  }
}
