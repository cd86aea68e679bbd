/// Determines the changes of each event in a context with an undo manager.
///
/// The recorder keeps the state that each object with unsaved changes had when changes were last
/// processed, and compares it with the current state. Setting a value therefore records nothing, and
/// a context without an undo manager has no cost.
///
/// An undo makes ordinary changes, so recording these registers the redo.
final class UndoRecorder {
  /// The states of objects with unsaved changes after the last event.
  private var baselines: [ObjectIdentifier: EventBaseline] = [:]

  /// The objects to insert again because their deletion was undone after it had been saved.
  private(set) var returned = ChangeList()

  /// Starts with the context's current changes, which cannot be undone.
  init(in context: NSManagedObjectContext) {
    for list in [context.unsaved.inserted, context.unsaved.updated, context.unsaved.deleted] {
      for object in list { note(object, in: context) }
    }
  }

  /// Records the present state of an object as its baseline.
  func note(_ object: NSManagedObject, in context: NSManagedObjectContext) {
    baselines[ObjectIdentifier(object)] = EventBaseline(
      object: object, state: RecordedState(of: object, in: context))
  }

  /// Forgets the baselines after a save or rollback, because objects then have the values of their
  /// rows. Keeps baselines for objects with transient values, which no row contains, and for objects
  /// that a save to several stores has not saved.
  func forgetSaved(_ saved: SavedObjects? = nil, in context: NSManagedObjectContext) {
    let objects = baselines.values.map(\.object)
    var unsaved: Set<NSManagedObject> = []
    if let saved {
      for (_, list, _) in context.unsaved.flaggedLists { unsaved.formUnion(list) }
      unsaved.subtract(saved.inserted + saved.updated + saved.deleted)
    }
    baselines = baselines.filter { unsaved.contains($0.value.object) }
    returned.removeAll { !unsaved.contains($0) }
    for object in objects where object.unsafeContext === context && !unsaved.contains(object) {
      if object.hasTransientValues { note(object, in: context) }
    }
  }

  func forget(_ object: NSManagedObject) { baselines[ObjectIdentifier(object)] = nil }

  /// Records that the next save has to insert an object again, because an undo reverted its saved deletion.
  func noteReturn(of object: NSManagedObject) { returned.insert(object) }

  /// Updates the baselines after changes that are not registered for undo.
  func pass(_ batch: PendingChanges, in context: NSManagedObjectContext) {
    for list in [batch.inserted, batch.updated, batch.deleted, batch.refreshed] {
      for object in list {
        if object.flags.isDisjoint(with: [.inserted, .updated, .deleted]),
          !object.hasTransientValues
        {
          forget(object)
        } else {
          note(object, in: context)
        }
      }
    }
  }

  /// Compares the objects of a batch with their baselines, and updates the baselines.
  ///
  /// - Returns: Nil if nothing has changed.
  func record(_ batch: PendingChanges, in context: NSManagedObjectContext) throws -> UndoStep? {
    for object in batch.refreshed {
      if object.flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
        forget(object)
      } else if !batch.updated.contains(object), !batch.inserted.contains(object),
        !batch.deleted.contains(object)
      {
        // Changes made in the same event still have to be compared with the earlier baseline.
        note(object, in: context)
      }
    }
    var objects = ChangeList()
    // An object may be in several lists, but is compared only once.
    for list in [batch.inserted, batch.updated, batch.deleted] {
      for object in list { objects.insert(object) }
    }
    var step = UndoStep()
    for object in objects {
      let before =
        baselines[ObjectIdentifier(object)]?.state
        // Without a baseline, an object had no unsaved changes before: it had the values of its
        // row, or did not exist.
        ?? RecordedState(isPresent: !batch.inserted.contains(object), snapshot: object.snapshot)
      let now = RecordedState(of: object, in: context)
      if let change = try ObjectUndo(object, from: before, to: now, in: context) {
        step.objects.append(change)
      }
      baselines[ObjectIdentifier(object)] = EventBaseline(object: object, state: now)
    }
    return step.objects.isEmpty ? nil : step
  }

  /// Returns a description of an inconsistency in the baselines or the returned objects, or nil. Changes nothing.
  func checkInvariants() -> String? {
    for (key, baseline) in baselines where key != ObjectIdentifier(baseline.object) {
      return "the baseline of \(baseline.object.ownID) is that of another object"
    }
    return ChangeList.checkInvariants(of: ["returned": returned])
  }
}

/// The state of an object at one time: whether it was present, and its values.
struct RecordedState {
  let isPresent: Bool
  private var contents: [SlotContent] = []
  private let snapshot: RowSnapshot

  init(isPresent: Bool, snapshot: RowSnapshot) {
    self.isPresent = isPresent
    self.snapshot = snapshot
  }

  init(of object: NSManagedObject, in context: NSManagedObjectContext) {
    isPresent = object.unsafeContext === context && !object.flags.contains(.deleted)
    // Later changes modify the content of a to-many relationship in place, so it is copied.
    contents = object.contents.map(\.frozen)
    snapshot = object.snapshot
  }

  func content(_ slot: Int) -> SlotContent { contents.isEmpty ? .unread : contents[slot] }

  /// Returns the row that the recorded values override. If the object was a fault, this is the row
  /// that it read later.
  private func row(of object: NSManagedObject) -> RowSnapshot {
    snapshot.isPresent ? snapshot : object.snapshot
  }

  /// Returns the value of an attribute.
  func value(_ slot: PropertySlot, of object: NSManagedObject) -> StoredValue {
    switch content(slot.index) {
    case .written(let value), .cached(let value): value
    default:
      slot.isTransient || !row(of: object).isPresent
        ? AttributeCodec.defaultValue(slot)
        : row(of: object).value(of: slot, in: object.layout, origin: object.origin)
    }
  }

  /// Returns the value of an attribute; ``StoredValue/unreadable`` if none was set and the row has
  /// a value that cannot be read.
  func valueOrMark(_ slot: PropertySlot, of object: NSManagedObject) -> StoredValue {
    let value = value(slot, of: object)
    guard value.isNull, !slot.isTransient, !content(slot.index).isWritten,
      row(of: object).hasValue(of: slot, in: object.layout)
    else { return value }
    return .unreadable
  }

  /// Returns the destination of a to-one relationship; nil if there is none.
  func destination(
    _ slot: PropertySlot, of object: NSManagedObject, in context: NSManagedObjectContext
  ) -> NSManagedObject? {
    switch content(slot.index) {
    case .writtenObject(let destination): return destination
    case .cachedObject(let destination): return destination
    default:
      guard
        case .reference(let id) = row(of: object).value(
          of: slot, in: object.layout, origin: object.origin)
      else { return nil }
      return context.object(with: id)
    }
  }
}

extension NSManagedObject {
  /// Whether a transient attribute was set. No row contains its value.
  fileprivate var hasTransientValues: Bool {
    layout.attributeSlots.contains { layout.slots[$0].isTransient && content($0).isWritten }
  }
}

extension SlotContent {
  /// A copy that does not change with the object.
  fileprivate var frozen: SlotContent {
    if case .toMany(let content) = self { .toMany(content.copy()) } else { self }
  }
}

/// The changes to revert for one event.
struct UndoStep {
  var objects: [ObjectUndo] = []

  /// Assigns permanent IDs to objects that the root context saved while they were not in this context.
  func adoptPermanentIDs() {
    for change in objects {
      let object = change.object
      guard let id = change.unsavedID?.current, id.key > 0, object.key < 0,
        object.unsafeContext == nil
      else { continue }
      object.key = id.key
      object.origin = id.origin
    }
  }
}

/// The changes of one object to revert.
struct ObjectUndo {
  let object: NSManagedObject
  let wasPresent: Bool
  let isPresent: Bool
  /// The object's last state before it was deleted, if this event deleted it.
  let last: RecordedState?
  /// The temporary ID of an object that was deleted from a child context before the root context saved it; otherwise
  /// nil. The root context may save the object while it is deleted here.
  let unsavedID: NSManagedObjectID?
  var values: [(slot: Int, value: StoredValue)] = []
  var destinations: [(slot: Int, object: NSManagedObject?)] = []
  var members: [MembersUndo] = []

  struct MembersUndo {
    let slot: Int
    var added: [NSManagedObject] = []
    var removed: [NSManagedObject] = []
    /// The former members in order, if the relationship is ordered and its order changed.
    var order: [NSManagedObject]?
  }

  /// - Returns: Nil if nothing has changed.
  init?(
    _ object: NSManagedObject, from before: RecordedState, to now: RecordedState,
    in context: NSManagedObjectContext
  ) throws {
    // An object that was inserted and deleted again in one event has nothing to revert.
    if !before.isPresent, !now.isPresent { return nil }
    self.object = object
    wasPresent = before.isPresent
    isPresent = now.isPresent
    // The relationships of a fault can be changed from the other side. Their former values are in
    // the row, which is read now, because it may be gone when a deletion is undone.
    do { try object.readRow() } catch let error where CoreDataError.isRowGone(error) {}
    if before.isPresent, !now.isPresent {
      last = RecordedState(of: object, in: context)
      unsavedID = context.isChild && object.key < 0 ? object.ownID : nil
    } else {
      last = nil
      unsavedID = nil
    }
    if before.isPresent {
      for slot in object.layout.slots {
        let (old, new) = (before.content(slot.index), now.content(slot.index))
        switch slot.kind {
        case .attribute where slot.composite == nil, .composite:
          values += Self.formerValues(slot, object, before, now)
        case .toOne where old.isWritten || new.isWritten:
          let destination = before.destination(slot, of: object, in: context)
          if destination !== now.destination(slot, of: object, in: context) {
            destinations.append((slot.index, destination))
          }
        case .toMany:
          if let change = try Self.members(slot, object, old, new, in: context) {
            members.append(change)
          }
        default: break
        }
      }
    }
    if wasPresent == isPresent, values.isEmpty, destinations.isEmpty, members.isEmpty {
      return nil
    }
  }

  /// Returns the former value of a changed attribute; for a composite attribute, those of all elements if one of them
  /// changed.
  private static func formerValues(
    _ slot: PropertySlot, _ object: NSManagedObject, _ before: RecordedState, _ now: RecordedState
  ) -> [(slot: Int, value: StoredValue)] {
    let slots = object.slotsOfProperty(slot)
    let isChanged = slots.contains {
      // A value that was only read is the same as in the row, so it is not a change.
      (before.content($0.index).isWritten || now.content($0.index).isWritten)
        && before.valueOrMark($0, of: object) != now.valueOrMark($0, of: object)
    }
    return isChanged ? slots.map { ($0.index, before.valueOrMark($0, of: object)) } : []
  }

  private static func members(
    _ slot: PropertySlot, _ object: NSManagedObject, _ old: SlotContent, _ new: SlotContent,
    in context: NSManagedObjectContext
  ) throws -> MembersUndo? {
    guard case .toMany(let new) = new else { return nil }
    var before = ToManyContent(isOrdered: new.isOrdered)
    if case .toMany(let old) = old { before = old }
    guard before.isChanged || new.isChanged else { return nil }
    var change = MembersUndo(slot: slot.index)
    let (oldAdded, newAdded) = (before.added.set, new.added.set)
    change.added =
      new.added.filter { !oldAdded.contains($0) } + before.removed.subtracting(new.removed)
    change.removed =
      before.added.filter { !newAdded.contains($0) } + new.removed.subtracting(before.removed)
    if new.isOrdered {
      func order(_ content: ToManyContent) throws -> [NSManagedObject] {
        if content.isRead { return content.objects }
        // A copy, because recording a change must not read members into the object itself.
        let copy = content.copy()
        copy.setStored(
          object.snapshot.isPresent
            ? try context.readMembers(of: object, slot.index, withDeleted: true) : [])
        return copy.objects
      }
      let former = try order(before)
      if try former != order(new) { change.order = former }
    }
    return change.added.isEmpty && change.removed.isEmpty && change.order == nil ? nil : change
  }
}
