/// Which slots of changed objects are other than before the change.
///
/// Objects can be asked while the change is announced; of a change that waits it is kept. Nothing is read to
/// tell, and no members are gone through that did not change.
struct ChangedSlots {
  /// By object; nil for one of which it is not known.
  private var kept: [ObjectIdentifier: Set<Int>?]?

  /// Asks the objects.
  init() {}

  /// Keeps what objects say now.
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

  /// Whether one of some slots may be other than before: new and deleted objects are in all, and those that were
  /// taken anew from a store may be.
  func mayBeOther(_ slots: some Sequence<Int>, of object: NSManagedObject) -> Bool {
    if let kept {
      guard case .some(.some(let changed)) = kept[ObjectIdentifier(object)] else { return true }
      return slots.contains(where: changed.contains)
    }
    guard let comparison = EventComparison(object) else { return true }
    return slots.contains(where: comparison.isChanged)
  }
}

/// An object beside what it was before the event that observers are told of.
private struct EventComparison {
  private let object: NSManagedObject
  private let context: NSManagedObjectContext
  private let former: RecordedState

  /// - Returns: nil where it is not known what changed: outside an announcement, of objects that are new, deleted
  ///   or taken anew from a store, and once somebody has saved who was told before.
  init?(_ object: NSManagedObject) {
    guard let context = object.unsafeContext, let event = context.announcing.event,
      event.saveCount == context.session.count, event.changes.updated.contains(object),
      // Where a deletion was taken back, whoever refers to the object sees it again.
      !event.changes.inserted.contains(object), !event.changes.deleted.contains(object),
      !event.changes.isRefreshed(object), !object.contents.isEmpty,
      object.flags.isDisjoint(with: [.inserted, .deleted, .fault])
    else { return nil }
    self.object = object
    self.context = context
    former =
      event.baselines[ObjectIdentifier(object)]?.state
      ?? RecordedState(isPresent: true, snapshot: object.snapshot)
  }

  func isChanged(_ slot: Int) -> Bool {
    let (old, new) = (former.content(slot), object.content(slot))
    let property = object.layout.slots[slot]
    switch property.kind {
    case .attribute:
      guard old.isWritten || new.isWritten else { return false }
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
      guard case .toMany(let before) = old else { return now.isChanged }
      return !now.hasSameChanges(as: before)
    case .composite: return property.elements.contains(where: isChanged)
    case .fetched: return false
    }
  }
}

extension PendingChanges {
  /// Whether an object's values come from a store, so that nobody knows which are others.
  fileprivate func isRefreshed(_ object: NSManagedObject) -> Bool {
    refreshed.contains(object) || outdated.contains(object) || merged.contains(object)
  }
}
