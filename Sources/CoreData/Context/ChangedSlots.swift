/// The slots of changed objects whose values differ from those before the change.
///
/// While a context announces a change, `init()` compares the objects on demand. `init(of:)` records
/// the comparison of a change that is processed later. Comparing reads nothing from the store and
/// iterates only over changed members.
struct ChangedSlots {
  /// The recorded slots by object; nil for an object whose changes are unknown.
  private var kept: [ObjectIdentifier: Set<Int>?]?

  /// Makes an instance that compares objects on demand.
  init() {}

  /// Makes an instance that records the changed slots of objects now.
  init(of objects: [NSManagedObject]) {
    kept = Dictionary(
      objects.map { object in
        let comparison = EventComparison(object)
        return (
          ObjectIdentifier(object),
          comparison.map { Set(object.layout.slots.indices.filter($0.isChanged)) }
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns whether any of these slots may have a new value. True for inserted and deleted objects,
  /// and for objects that were read from a store again.
  func mayHaveChanged(_ slots: some Sequence<Int>, of object: NSManagedObject) -> Bool {
    if let kept {
      guard case .some(.some(let changed)) = kept[ObjectIdentifier(object)] else { return true }
      return slots.contains(where: changed.contains)
    }
    guard let comparison = EventComparison(object) else { return true }
    return slots.contains(where: comparison.isChanged)
  }
}

/// An object and its state before the event that its context announces.
private struct EventComparison {
  private let object: NSManagedObject
  private let context: NSManagedObjectContext
  private let former: RecordedState

  /// - Returns: Nil if the changes are unknown: outside of an announcement, for objects that are
  ///   new, deleted or read from a store again, and after another observer has saved the context.
  init?(_ object: NSManagedObject) {
    guard let context = object.unsafeContext, let event = context.announcing.event,
      event.saveCount == context.session.count, event.changes.updated.contains(object),
      // An object whose deletion was reverted is among the inserted objects, because it reappears in the objects that
      // refer to it.
      !event.changes.inserted.contains(object), !event.changes.deleted.contains(object),
      !event.changes.isRefreshed(object), !object.contents.isEmpty,
      object.flags.isDisjoint(with: [.inserted, .deleted, .fault])
    else { return nil }
    self.object = object
    self.context = context
    former =
      event.baselines[ObjectIdentifier(object)]?.state
      // An object without a baseline had no unsaved changes before the event: its row is its former
      // state.
      ?? RecordedState(isPresent: true, snapshot: object.snapshot)
  }

  func isChanged(_ slot: Int) -> Bool {
    let (old, new) = (former.content(slot), object.content(slot))
    let property = object.layout.slots[slot]
    switch property.kind {
    case .attribute:
      guard old.isWritten || new.isWritten else { return false }
      // A value that cannot be read counts as changed: a needless check costs time, a missed one
      // leaves live results outdated.
      guard let value = try? object.storedValue(slot) else { return true }
      return former.valueOrMark(property, of: object) != value
    case .toOne:
      guard old.isWritten || new.isWritten else { return false }
      guard let destination = try? object.toOneObject(slot) else {
        return former.destination(property, of: object, in: context) != nil
      }
      return former.destination(property, of: object, in: context) !== destination
    case .toMany:
      guard case .toMany(let now) = new else { return false }
      // Members that were only read are not a change.
      guard case .toMany(let before) = old else { return now.isChanged }
      return !now.hasSameChanges(as: before)
    case .composite: return property.elements.contains(where: isChanged)
    case .fetched: return false
    }
  }
}

extension PendingChanges {
  /// Returns whether the object's values come from a store, so it is unknown which of them changed.
  fileprivate func isRefreshed(_ object: NSManagedObject) -> Bool {
    refreshed.contains(object) || outdated.contains(object) || merged.contains(object)
  }
}
