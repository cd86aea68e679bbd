/// The slots of changed objects whose values differ from those before the change.
///
/// An instance from `init()` compares objects on demand, while their context is announcing the change. `init(of:)`
/// compares the objects immediately and records the result, for a change that is processed later. A comparison reads
/// nothing from the store and iterates only over changed members.
struct ChangedSlots {
  /// The recorded slots by object; nil for an object whose changes are unknown.
  private var kept: [ObjectIdentifier: Set<Int>?]?

  /// Creates an instance that compares objects on demand.
  init() {}

  /// Creates an instance that records the changed slots of objects now.
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

/// Compares an object with its state before the event that its context is announcing.
private struct EventComparison {
  private let object: NSManagedObject
  private let context: NSManagedObjectContext
  private let former: RecordedState

  /// - Returns: Nil if the object's changes are unknown: if the context is not announcing a change, if the object is
  ///   new, deleted or was read from a store again, or if another observer has already saved the context.
  init?(_ object: NSManagedObject) {
    guard let context = object.unsafeContext, let event = context.announcing.event,
      event.saveCount == context.session.count, event.changes.updated.contains(object),
      // An object whose deletion was reverted counts as inserted, because it reappears in the relationships of other
      // objects.
      !event.changes.inserted.contains(object), !event.changes.deleted.contains(object),
      !event.changes.isRefreshed(object), !object.contents.isEmpty,
      object.flags.isDisjoint(with: [.inserted, .deleted, .fault])
    else { return nil }
    self.object = object
    self.context = context
    former =
      event.baselines[ObjectIdentifier(object)]?.state
      // An object without a baseline had no unsaved changes before the event, so its row is its former state.
      ?? RecordedState(isPresent: true, snapshot: object.snapshot)
  }

  func isChanged(_ slot: Int) -> Bool {
    let (old, new) = (former.content(slot), object.content(slot))
    let property = object.layout.slots[slot]
    switch property.kind {
    case .attribute:
      guard old.isWritten || new.isWritten else { return false }
      // A value that cannot be read counts as changed: a needless check only costs time, but a missed change leaves
      // live results outdated.
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
      // Reading the members is not a change.
      guard case .toMany(let before) = old else { return now.isChanged }
      return !now.hasSameChanges(as: before)
    case .composite: return property.elements.contains(where: isChanged)
    case .fetched: return false
    }
  }
}

extension PendingChanges {
  /// Returns whether the object's values were read from a store again, so that it is unknown which of them changed.
  fileprivate func isRefreshed(_ object: NSManagedObject) -> Bool {
    refreshed.contains(object) || outdated.contains(object) || merged.contains(object)
  }
}
