import OrderedCollections

// A custom accessor announces a change, makes it through primitive values, and reports that it is
// done. The primitive change then becomes an ordinary change, which also updates the inverse.

extension NSManagedObjectContext {
  /// The state of a relationship before an accessor changes it.
  ///
  /// `didChangeValue` restores this state. Then it makes an ordinary change to the value that the
  /// primitive setters stored in the slot, which updates the inverses.
  struct AnnouncedChange {
    let object: NSManagedObject
    let slot: Int
    let before: SlotContent
    /// The mutable collection that the accessor received to change.
    var mutableCollection: NSObject?
  }
}

extension NSManagedObject {
  /// Records the state of a relationship, so that its inverse can be updated after the change.
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
        // A copy, because primitive setters change the content itself.
        before = .toMany(content.copy())
      }
      context.announcing.announce(
        NSManagedObjectContext.AnnouncedChange(object: self, slot: slot.index, before: before))
    } catch {
      _ = inaccessible(error)
    }
  }

  /// Records the collection that an accessor is going to change.
  final func noteMutableCollection(_ collection: NSObject?, _ slot: Int) {
    guard let context = unsafeContext, let index = announcedIndex(slot, in: context) else { return }
    context.announcing.setMutableCollection(collection, at: index)
  }

  private func announcedIndex(_ slot: Int, in context: NSManagedObjectContext) -> Int? {
    context.announcing.announcedChanges.lastIndex { $0.object === self && $0.slot == slot }
  }

  /// Turns the primitive changes that were made to a slot since the announcement into an ordinary change.
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
      // The accessor changed the collection that `primitiveValue(forKey:)` returned, not the slot.
      if let collection = announced.mutableCollection { try setPrimitive(collection, slot.index) }
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
      // `didChangeValue(forKey:)` cannot throw.
      Log.contextNotice("\(layout.name).\(key) cannot be changed: \(error.localizedDescription)")
    }
  }

  private func completeMembers(_ slot: Int, before: ToManyContent) throws {
    let present = unreadContent(slot)
    if !present.isRead, !before.isRead {
      // The members were not read, so the added and removed ones are the whole change.
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
  /// Announces a change to the property at a key path. Does nothing for a key path without a name, such as that of a
  /// computed property.
  public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    if let name = KeyPathProbe.name(of: keyPath) { willChangeValue(forKey: name) }
  }

  /// Reports that the announced change to the property at a key path is done. Does nothing for a key path without a
  /// name.
  public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    if let name = KeyPathProbe.name(of: keyPath) { didChangeValue(forKey: name) }
  }
}
