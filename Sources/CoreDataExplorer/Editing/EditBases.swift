import CoreData
import StoreInspection

/// The values that objects had before they were edited or deleted.
///
/// The context merges saves of other processes immediately and keeps its own changes, so that saving finds no conflict.
/// Without these values, a user who edits a value for a minute would not notice that another process changed it.
///
/// Use it on the context's queue.
final class EditBases {
  /// For changed objects, the stored values of the changed properties.
  private var values: [NSManagedObjectID: [String: Any]] = [:]
  /// For deleted objects, the stored values of all properties.
  private var deletions: [NSManagedObjectID: [String: Any]] = [:]

  func forget() {
    values = [:]
    deletions = [:]
  }

  // MARK: Following changes

  /// Records the stored values of newly changed properties, and forgets those that are no longer changed.
  ///
  /// - Parameter manager: The undo manager with an open group: undoing that group also removes the values recorded
  ///   now, because it may remove the object. Nil if no group is open.
  func follow(_ context: NSManagedObjectContext, in manager: UndoManager? = nil) {
    // Objects that another process deleted also count as deleted, but the user did not delete them.
    context.releaseObjectsDeletedElsewhere()
    prune(context)
    var noted: [NSManagedObjectID: [String]] = [:]
    for object in context.updatedObjects {
      let keys = object.changedValues().keys.filter { Self.isOwn($0, of: object) }
      let new = keys.filter { values[object.objectID]?[$0] == nil }
      if new.isEmpty { continue }
      // The first base value counts, because a later one may be another process's value.
      values[object.objectID, default: [:]].merge(Self.committed(object, new)) { old, _ in old }
      noted[object.objectID] = new
    }
    for object in context.deletedObjects where deletions[object.objectID] == nil {
      // An object that was never saved has no row that another process could change.
      guard !object.objectID.isTemporaryID else { continue }
      let keys = object.entity.propertiesByName.keys.filter { Self.isOwn($0, of: object) }
      // For an object that was changed before it was deleted, the values before the change count.
      deletions[object.objectID] = Self.committed(object, Array(keys))
        .merging(values[object.objectID] ?? [:]) { _, first in first }
    }
    guard let manager, !noted.isEmpty else { return }
    forgetWhenUndone(noted, manager)
  }

  private func forgetWhenUndone(_ noted: [NSManagedObjectID: [String]], _ manager: UndoManager) {
    manager.registerUndo(withTarget: self) { [weak manager] bases in
      bases.forget(noted)
      // Redoing makes undoing possible again.
      manager?.registerUndo(withTarget: bases) { [weak manager] bases in
        if let manager { bases.forgetWhenUndone(noted, manager) }
      }
    }
  }

  /// Returns whether conflicts are detected for a property. To-many relationships are excluded: each member has its own
  /// conflict, and there may be a million.
  private static func isOwn(_ key: String, of object: NSManagedObject) -> Bool {
    switch object.entity.propertiesByName[key] {
    case let attribute as NSAttributeDescription:
      !attribute.isTransient && !(attribute is NSDerivedAttributeDescription)
    case let relationship as NSRelationshipDescription:
      !relationship.isToMany && !relationship.isTransient
    default: false
    }
  }

  private func prune(_ context: NSManagedObjectContext) {
    for (id, known) in values {
      guard let object = context.registeredObject(for: id), !object.isDeleted,
        // Keep the values of an object that another process deleted: the user has to decide.
        object.hasChanges || !hasNoRow(id, context)
      else { continue }
      let changed = object.changedValues()
      let left = known.filter { changed[$0.key] != nil }
      values[id] = left.isEmpty ? nil : left
    }
    for id in deletions.keys {
      guard let object = context.registeredObject(for: id), !object.isDeleted else { continue }
      deletions[id] = nil
    }
  }

  private func forget(_ noted: [NSManagedObjectID: [String]]) {
    for (id, keys) in noted {
      for key in keys { values[id]?[key] = nil }
      if values[id]?.isEmpty == true { values[id] = nil }
    }
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

  /// Returns the objects that another process changed since the user edited them.
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
    // If the user deleted the object as well, nothing is lost. The context keeps a changed object as long as its row
    // exists.
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
      values[id] = Self.committed(object, Array(known.keys))
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
        try object.setValidatedValue(theirs is NSNull ? nil : theirs, forKey: key)
      }
    }
    prune(context)
  }

  /// Discards the changes to objects that other processes deleted.
  func discardChangesOfDeletedObjects(in context: NSManagedObjectContext) {
    for id in values.keys where hasNoRow(id, context) { values[id] = nil }
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

  private static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
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
