import OrderedCollections

// Accessors that a program writes itself announce a change, make it by primitive values, and say
// that it is made. What was primitive is then made a change like any other: the inverse follows.

extension NSManagedObjectContext {
  /// A relationship that an accessor announced to change, as it was.
  ///
  /// `didChangeValue` puts it back and sets what primitive setters made of it as an ordinary change, so that the
  /// inverses follow.
  struct AnnouncedChange {
    let object: NSManagedObject
    let slot: Int
    let before: SlotContent
    /// The mutable collection that the accessor got to change.
    var handedOut: NSObject?
  }
}

extension NSManagedObject {
  /// Keeps in mind what a relationship was, so that the inverses can follow.
  final func announceChange(forKey key: String) {
    requireQueue()
    guard let slot = layout.slot(named: key) else { return }
    do {
      try fire()
      willChangeContent(slot.index)
      guard slot.relationship != nil, let context = unsafeContext, context.registry.quietDepth == 0
      else {
        return
      }
      let before: SlotContent
      if slot.kind == .toOne {
        before = .writtenObject(try toOneObject(slot.index))
      } else {
        let content = unreadContent(slot.index)
        content.makeMembers(in: context)
        before = .toMany(content.copy())
      }
      context.announcing.announce(
        NSManagedObjectContext.AnnouncedChange(object: self, slot: slot.index, before: before))
    } catch {
      _ = inaccessible(error)
    }
  }

  /// Keeps in mind the collection that an accessor is going to change.
  final func noteHandedOut(_ collection: NSObject?, _ slot: Int) {
    guard let context = unsafeContext, let index = announcedIndex(slot, in: context) else { return }
    context.announcing.setHandedOut(collection, at: index)
  }

  private func announcedIndex(_ slot: Int, in context: NSManagedObjectContext) -> Int? {
    context.announcing.announcedChanges.lastIndex { $0.object === self && $0.slot == slot }
  }

  /// Makes what was done to a slot since it was announced a change like any other.
  final func completeChange(forKey key: String) {
    requireQueue()
    guard let slot = layout.slot(named: key) else {
      if !type(of: self).contextShouldIgnoreUnmodeledPropertyChanges {
        noteChange()
      }
      return
    }
    guard let context = unsafeContext,
      let index = announcedIndex(slot.index, in: context)
    else {
      noteChange()
      return
    }
    let announced = context.announcing.removeAnnouncedChange(at: index)
    let before = announced.before
    do {
      if let collection = announced.handedOut { try setPrimitive(collection, slot.index) }
      switch before {
      case .writtenObject(let object):
        let now = try toOneObject(slot.index)
        if now !== object {
          setContent(slot.index, before)
          try setToOne(slot.index, now)
        }
      case .toMany(let content):
        try completeMembers(slot.index, before: content)
      default: break
      }
      context.noteChange(self)
    } catch {
      Log.contextNotice("\(layout.name).\(key) is not changed: \(error.localizedDescription)")
    }
  }

  private func completeMembers(_ slot: Int, before: ToManyContent) throws {
    let present = unreadContent(slot)
    if !present.isRead, !before.isRead {
      // Neither was read: what was added and removed says everything.
      let (added, removed) = (present.added.set, present.removed)
      setContent(slot, .toMany(before))
      for object in present.added where !before.added.contains(object) { try relate(slot, object) }
      for object in before.removed where !removed.contains(object) { try relate(slot, object) }
      for object in removed where !before.removed.contains(object) { try unrelate(slot, object) }
      for object in Array(before.added) where !added.contains(object) { try unrelate(slot, object) }
      return
    }
    let objects = OrderedSet(try toManyObjects(slot))
    setContent(slot, .toMany(before))
    try setToMany(slot, objects)
  }
}

extension NSKeyValueCoding where Self: NSManagedObject {
  /// Announces a change of the property at a key path.
  public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    if let name = KeyPathProbe.name(of: keyPath) { willChangeValue(forKey: name) }
  }

  /// Says that the announced change of the property at a key path is made.
  public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    if let name = KeyPathProbe.name(of: keyPath) { didChangeValue(forKey: name) }
  }
}
