import CoreData
import StoreInspection

/// The values that objects had before they were edited or deleted.
///
/// The context merges saves of other processes immediately and keeps its own changes, so a save detects no conflict.
/// Without these values, a user who edits a value for a minute would not notice that another process changed it.
///
/// Use it on the context's queue.
final class EditBases {
  /// An edit that can be undone.
  private final class Step {}

  /// How the change of a property began.
  private struct Beginning {
    /// The stored value before the change; nil for to-many relationships, which have no conflicts.
    var value: Any?
    /// The edit that began the change; nil if the undo or redo of another edit began it.
    let step: Step?
  }

  /// For changed objects, how the change of each property began.
  private var beginnings: [NSManagedObjectID: [String: Beginning]] = [:]
  /// For deleted objects, the stored values of all properties that may conflict.
  private var deletions: [NSManagedObjectID: [String: Any]] = [:]
  /// The base values of properties whose changes were undone, reverted or saved. If an undo or redo changes such a
  /// property again, its base value is this one rather than a value that another process has saved since.
  private var ends: [NSManagedObjectID: [String: Any]] = [:]
  /// The edit that the current undo reverts.
  private var undone: Step?
  /// The edit that the current redo carries out again.
  private var redone: Step?

  /// For changed objects, the original values of the changed properties that may conflict.
  private var values: [NSManagedObjectID: [String: Any]] {
    beginnings.mapValues(Self.values(of:)).filter { !$0.value.isEmpty }
  }

  private static func values(of known: [String: Beginning]) -> [String: Any] {
    known.compactMapValues { $0.value }
  }

  /// Forgets everything. Call it when all changes are discarded.
  func forget() {
    (beginnings, deletions, ends) = ([:], [:], [:])
  }

  /// Forgets the changes that were saved.
  ///
  /// - Parameter inserted: The new objects among the saved ones.
  func noteSave(of inserted: Set<NSManagedObject>, in context: NSManagedObjectContext) {
    for object in inserted { end(object.entity.propertiesByName.keys, of: object) }
    for (id, known) in beginnings {
      if let object = context.registeredObject(for: id) { end(known.keys, of: object) }
    }
    (beginnings, deletions) = ([:], [:])
  }

  // MARK: Following changes

  /// Records the stored values of properties that an edit changed, and forgets the properties that are no longer
  /// changed.
  ///
  /// - Parameter manager: The undo manager with an open group: undoing that group also undoes the changes that begin
  ///   now. Nil if no group is open.
  func follow(_ context: NSManagedObjectContext, in manager: UndoManager? = nil) {
    let step = Step()
    guard note(context, by: step, isReversal: false), let manager else { return }
    endWhenUndone(step, manager)
  }

  /// Follows an undo or a redo: an undone property gets the stored value, which another process may have saved since
  /// the edit.
  func followReversal(in context: NSManagedObjectContext) throws {
    defer { (undone, redone) = (nil, nil) }
    if let undone { try returnToStore(undone, in: context) }
    note(context, by: redone, isReversal: true)
  }

  private func endWhenUndone(_ step: Step, _ manager: UndoManager) {
    // The changes are reverted after this action, so only the step is recorded here.
    manager.registerUndo(withTarget: self) { [weak manager] bases in
      bases.undone = step
      // Redoing makes undoing possible again.
      manager?.registerUndo(withTarget: bases) { [weak manager] bases in
        bases.redone = step
        if let manager { bases.endWhenUndone(step, manager) }
      }
    }
  }

  /// Records the base values of properties that were unchanged before.
  ///
  /// - Parameters:
  ///   - step: The edit that changed the properties.
  ///   - isReversal: Whether to use the base values in ``ends`` instead of the values that are stored now.
  /// - Returns: Whether there was such a property.
  @discardableResult
  private func note(
    _ context: NSManagedObjectContext, by step: Step?, isReversal: Bool
  ) -> Bool {
    // Objects that another process deleted also count as deleted, but the user did not delete them.
    context.releaseObjectsDeletedElsewhere()
    prune(context)
    func stored(_ keys: some Sequence<String>, of object: NSManagedObject) -> [String: Any] {
      let values = Self.committed(object, keys.filter { Self.mayConflict($0, of: object) })
      guard isReversal, let last = ends[object.objectID] else { return values }
      return values.merging(last) { _, end in end }
    }
    var hasBegun = false
    for object in context.updatedObjects {
      let id = object.objectID
      // The first base value counts, because a later one may be another process's value.
      let new = object.changedValues().keys.filter {
        Self.isFollowed($0, of: object) && beginnings[id]?[$0] == nil
      }
      if new.isEmpty { continue }
      hasBegun = true
      let values = stored(new, of: object)
      for key in new {
        beginnings[id, default: [:]][key] = Beginning(value: values[key], step: step)
      }
    }
    let known = values
    for object in context.deletedObjects where deletions[object.objectID] == nil {
      // An object that was never saved has no row that another process could change.
      guard !object.objectID.isTemporaryID else { continue }
      // For an object that was changed before it was deleted, the values before the change count.
      deletions[object.objectID] = stored(object.entity.propertiesByName.keys, of: object)
        .merging(known[object.objectID] ?? [:]) { _, first in first }
    }
    return hasBegun
  }

  /// Returns whether changes of a property are tracked: only if a user can set it and the store contains it.
  private static func isFollowed(_ key: String, of object: NSManagedObject) -> Bool {
    switch object.entity.propertiesByName[key] {
    case let attribute as NSAttributeDescription:
      !attribute.isTransient && !(attribute is NSDerivedAttributeDescription)
    case let relationship as NSRelationshipDescription: !relationship.isTransient
    default: false
    }
  }

  /// Returns whether conflicts are detected for a property. To-many relationships are excluded: conflicts are detected
  /// for each member, and there may be a million members.
  private static func mayConflict(_ key: String, of object: NSManagedObject) -> Bool {
    isFollowed(key, of: object) && object.entity.relationshipsByName[key]?.isToMany != true
  }

  private func prune(_ context: NSManagedObjectContext) {
    for (id, known) in beginnings {
      guard let object = context.registeredObject(for: id), !object.isDeleted,
        // Keep the values of an object that another process deleted: the user has to decide what to do.
        object.hasChanges || !hasNoRow(id, context)
      else { continue }
      let changed = object.changedValues()
      let unchanged = known.keys.filter { changed[$0] == nil }
      end(unchanged, of: object)
      forget(unchanged, of: id)
    }
    for (id, known) in deletions {
      guard let object = context.registeredObject(for: id), !object.isDeleted else { continue }
      ends[id, default: [:]].merge(known) { _, end in end }
      deletions[id] = nil
    }
  }

  /// Records the stored values of properties that are no longer changed, for a later undo or redo.
  private func end(_ keys: some Sequence<String>, of object: NSManagedObject) {
    let keys = keys.filter { Self.mayConflict($0, of: object) }
    if keys.isEmpty { return }
    ends[object.objectID, default: [:]].merge(Self.committed(object, keys)) { _, end in end }
  }

  private func forget(_ keys: some Sequence<String>, of id: NSManagedObjectID) {
    for key in keys { beginnings[id]?[key] = nil }
    if beginnings[id]?.isEmpty == true { beginnings[id] = nil }
  }

  // MARK: Undone changes

  /// Restores the stored values of the properties that an undone edit was the first to change. The undo has set them to
  /// the values from before the edit.
  private func returnToStore(_ step: Step, in context: NSManagedObjectContext) throws {
    var undone: [NSManagedObjectID: [String]] = [:]
    for (id, known) in beginnings {
      let own = known.filter { $0.value.step === step }
      if own.isEmpty { continue }
      undone[id] = Array(own.keys)
      ends[id, default: [:]].merge(Self.values(of: own)) { _, end in end }
      forget(own.keys, of: id)
    }
    if undone.isEmpty { return }
    context.processPendingChanges()
    let restored = restoredKeys(in: context, except: undone)
    // These changes belong to the undo, so they are not a separate undo step.
    context.undoManager?.disableUndoRegistration()
    defer {
      context.processPendingChanges()
      context.undoManager?.enableUndoRegistration()
    }
    // Set to-one relationships before their to-many inverses, because setting them changes the inverses.
    for isToMany in [false, true] {
      for (id, keys) in undone {
        guard let object = context.registeredObject(for: id), !object.isDeleted else { continue }
        try Self.returnToStore(keys, of: object, isToMany: isToMany)
      }
    }
    // As after any other undo, objects without other changes must no longer count as changed. A changed property that
    // is neither restored nor in `beginnings` was set above, or is the to-many inverse of one that was.
    for object in context.updatedObjects {
      let id = object.objectID
      let hasOtherChanges = object.changedValues().keys.contains {
        beginnings[id]?[$0] != nil || restored[id]?.contains($0) == true
      }
      if !hasOtherChanges { context.refresh(object, mergeChanges: false) }
    }
  }

  /// Returns the properties to which the undo has restored earlier changes. They have no beginnings yet, because the
  /// undone edit had set them back to their stored values.
  ///
  /// - Parameter undone: The properties that the undone edit was the first to change.
  private func restoredKeys(
    in context: NSManagedObjectContext, except undone: [NSManagedObjectID: [String]]
  ) -> [NSManagedObjectID: Set<String>] {
    var restored: [NSManagedObjectID: Set<String>] = [:]
    for object in context.updatedObjects {
      let id = object.objectID
      restored[id] = Set(object.changedValues().keys).subtracting(undone[id] ?? [])
        .filter { Self.isFollowed($0, of: object) && beginnings[id]?[$0] == nil }
    }
    return restored
  }

  /// - Parameter isToMany: `true` to set only the to-many relationships, `false` to set only the other properties.
  private static func returnToStore(
    _ keys: [String], of object: NSManagedObject, isToMany: Bool
  ) throws {
    let changed = object.changedValues()
    let different = keys.filter {
      changed[$0] != nil && mayConflict($0, of: object) != isToMany
    }
    if different.isEmpty { return }
    for (key, value) in committed(object, different) { try set(value, forKey: key, of: object) }
  }

  // MARK: Conflicts

  /// Returns the changed objects whose rows no longer exist.
  func changesOfDeletedObjects(in context: NSManagedObjectContext) -> [UnsavedSummary.Change] {
    Self.sorted(values).compactMap { id, known in
      guard hasNoRow(id, context) else { return nil }
      let properties = id.entity.propertiesByName
      let keys = known.sorted { $0.key < $1.key }.map { key, value in
        UnsavedSummary.Key(
          key: key, old: Cell(value, of: properties[key]), new: Cell(value: .null))
      }
      let name = ObjectReference.text(ofKey: id.primaryKey)
      return UnsavedSummary.Change(
        entity: id.entityName, id: name, label: "\(id.entityName) \(name)",
        kind: "deletedElsewhere",
        keys: keys
      )
    }
  }

  /// Returns the objects that another process changed or deleted since the user edited them, and those that it changed
  /// since the user deleted them.
  func conflicts(in context: NSManagedObjectContext) -> [EditConflict] {
    let changed = Self.sorted(values).compactMap { id, known -> EditConflict? in
      let object = context.registeredObject(for: id) ?? context.object(with: id)
      if hasNoRow(id, context) { return EditConflict(object, keys: [], kind: .deletedThere) }
      if deletions[id] != nil { return nil }
      let mine = object.changedValues()
      let theirs = Self.committed(object, Array(known.keys))
      let keys = known.keys.sorted().compactMap { key -> EditConflict.Key? in
        guard let mine = mine[key] else { return nil }
        return Self.conflict(key, of: object, known[key], mine, theirs[key])
      }
      return keys.isEmpty ? nil : EditConflict(object, keys: keys, kind: .changed)
    }
    return changed + deletedHere(in: context)
  }

  /// Returns the objects that the user deleted and another process changed. If the other process deleted an object too,
  /// there is no conflict.
  private func deletedHere(in context: NSManagedObjectContext) -> [EditConflict] {
    Self.sorted(deletions).compactMap { id, known in
      guard let object = context.registeredObject(for: id), object.isDeleted else { return nil }
      let theirs = Self.committed(object, Array(known.keys))
      let keys = known.keys.sorted().compactMap { key in
        Self.conflict(key, of: object, known[key], nil, theirs[key])
      }
      return keys.isEmpty ? nil : EditConflict(object, keys: keys, kind: .deletedHere)
    }
  }

  private func hasNoRow(_ id: NSManagedObjectID, _ context: NSManagedObjectContext) -> Bool {
    // If the user deleted the object as well, nothing is lost. A changed object has a row, because the context releases
    // it if another process deletes the row.
    deletions[id] == nil && context.registeredObject(for: id)?.hasChanges != true
      && (try? context.existingObject(with: id)) == nil
  }

  /// - Parameter mine: Nil for an object that the user deleted.
  private static func conflict(
    _ key: String, of object: NSManagedObject, _ cached: Any?, _ mine: Any?, _ theirs: Any?
  ) -> EditConflict.Key? {
    guard !areEqual(theirs, cached), mine == nil || !areEqual(theirs, mine) else { return nil }
    let property = object.entity.propertiesByName[key]
    return EditConflict.Key(
      key: key, cached: Cell(cached, of: property), mine: Cell(mine, of: property),
      theirs: Cell(theirs, of: property))
  }

  // MARK: Decisions

  /// Keeps the user's changes: their base values become what other processes saved.
  func keepMine(in context: NSManagedObjectContext) {
    for (id, known) in values {
      guard let object = context.registeredObject(for: id) else { continue }
      for (key, value) in Self.committed(object, Array(known.keys)) {
        beginnings[id]?[key]?.value = value
      }
    }
    for (id, known) in deletions {
      guard let object = context.registeredObject(for: id), object.isDeleted else { continue }
      deletions[id] = Self.committed(object, Array(known.keys))
    }
  }

  /// Discards the user's changes that conflict with those of other processes.
  func acceptTheirs(in context: NSManagedObjectContext) throws {
    discardChangesOfDeletedObjects(in: context)
    for conflict in deletedHere(in: context) { try conflict.object.undelete() }
    for (id, known) in values where deletions[id] == nil {
      guard let object = try? context.existingObject(with: id) else { continue }
      let (mine, committed) = (object.changedValues(), Self.committed(object, Array(known.keys)))
      for key in known.keys {
        guard let wanted = mine[key], let theirs = committed[key],
          Self.conflict(key, of: object, known[key], wanted, theirs) != nil
        else { continue }
        try Self.set(theirs, forKey: key, of: object)
      }
    }
    prune(context)
  }

  /// Discards the changes to objects that other processes deleted.
  func discardChangesOfDeletedObjects(in context: NSManagedObjectContext) {
    for id in beginnings.keys where hasNoRow(id, context) { beginnings[id] = nil }
  }

  // MARK: Values

  private static func sorted(
    _ values: [NSManagedObjectID: [String: Any]]
  ) -> [(key: NSManagedObjectID, value: [String: Any])] {
    values.sorted {
      ($0.key.entityName, $0.key.primaryKey) < ($1.key.entityName, $1.key.primaryKey)
    }
  }

  /// Returns the stored values, with `NSNull` for nil.
  private static func committed(_ object: NSManagedObject, _ keys: [String]) -> [String: Any] {
    let known = object.committedValues(forKeys: keys)
    return keys.reduce(into: [:]) { $0[$1] = known[$1] ?? NSNull() }
  }

  /// Sets a property to a value that ``committed(_:_:)`` returned.
  private static func set(_ value: Any, forKey key: String, of object: NSManagedObject) throws {
    try object.setValidatedValue(value is NSNull ? nil : value, forKey: key)
  }

  static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
    // Values of composite attributes are equal if their elements are.
    if let one = one as? [String: Any], let other = other as? [String: Any] {
      return one.count == other.count && one.allSatisfy { areEqual($0.value, other[$0.key]) }
    }
    // Values that are not hashable cannot be compared here, and are considered different.
    guard let one = (one ?? NSNull()) as? AnyHashable,
      let other = (other ?? NSNull()) as? AnyHashable
    else { return false }
    return one == other
  }
}
