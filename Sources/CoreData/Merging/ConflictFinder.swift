/// The identity of a conflict, which shows whether an earlier attempt of the save found the same one.
struct ConflictKey: Hashable {
  private let objects: Set<ObjectIdentifier>
  private let version: Int
  private let constraint: [String]

  init?(_ conflict: NSObject) {
    switch conflict {
    case let conflict as NSMergeConflict:
      objects = [ObjectIdentifier(conflict.sourceObject)]
      // A newer version of the row is a new conflict: the policy has resolved the earlier conflict,
      // and another save came in between.
      version = conflict.newVersionNumber
      constraint = []
    case let conflict as NSConstraintConflict:
      objects = Set(
        (conflict.conflictingObjects + [conflict.databaseObject].compactMap { $0 })
          .map(ObjectIdentifier.init))
      version = 0
      constraint = conflict.constraint
    default: return nil
    }
  }
}

/// Finds the conflicting objects after a store rejected a change set.
struct ConflictFinder {
  let context: NSManagedObjectContext
  let store: NSPersistentStore

  private func row(_ layout: EntityLayout, _ key: Int64) -> RowKey {
    RowKey(layout, key, store.engine.origin)
  }

  /// Returns conflicts for changed objects that were never read, and whose rows are gone.
  func missingRows(of objects: [NSManagedObject]) -> [NSMergeConflict] {
    objects.map {
      NSMergeConflict($0, oldVersion: 0, read: .none, present: .none, isForeign: false)
    }
  }

  /// Returns conflicts for objects whose rows no longer have the versions that the objects were read with.
  func conflicts(
    _ conflicts: [RowConflict], isForeign: Bool, in part: SavedObjects
  ) throws -> [NSMergeConflict] {
    var objects: [RowKey: NSManagedObject] = [:]
    for object in part.updated + part.deleted + part.checked {
      objects[row(object.layout, object.key)] = object
    }
    let found = conflicts.compactMap { conflict in
      objects[row(conflict.layout, conflict.key)].map { (object: $0, conflict: conflict) }
    }
    let present = try context.presentRows(of: found.map(\.object), in: store)
    return found.map { object, conflict in
      NSMergeConflict(
        object, oldVersion: conflict.expectedVersion, read: object.snapshot,
        present: present[ObjectIdentifier(object)] ?? .none, isForeign: isForeign)
    }
  }

  /// Returns conflicts for objects with equal unique values, one for each constraint and
  /// combination of values. If several objects of the save have the values, the conflict is among
  /// these objects. A further conflict with an existing row is found after this one was resolved.
  ///
  /// - Parameter keys: The keys of the inserted objects, in their order.
  func conflicts(
    _ violations: [ConstraintViolation], in part: SavedObjects, keys: [Int64]
  ) throws -> [NSConstraintConflict] {
    var objects: [RowKey: NSManagedObject] = [:]
    for (object, key) in zip(part.inserted, keys) {
      objects[row(object.layout, key)] = object
    }
    for object in part.updated { objects[row(object.layout, object.key)] = object }
    var groups: [Group] = []
    var groupsByKey: [ConstraintKey: Int] = [:]
    // A violation that is the consequence of another one disappears with it.
    let original = violations.filter { !isConsequence($0, objects) }
    // In a cycle, each violation is the consequence of another one. Then all are reported.
    for violation in original.isEmpty ? violations : original {
      guard let object = objects[row(violation.layout, violation.key)] else { continue }
      let existing = row(violation.existingLayout, violation.existingKey)
      let key = ConstraintKey(row: existing, constraint: violation.constraint)
      if let known = groupsByKey[key] {
        groups[known].objects.append(object)
        continue
      }
      groupsByKey[key] = groups.count
      let names = violation.names
      if let other = objects[existing] {
        rebaseOntoPresentRow(other, unlessEqualTo: object, names)
        groups.append(Group(constraint: names, objects: [other, object], database: nil))
      } else {
        let database = context.object(
          violation.existingLayout, key: violation.existingKey, origin: store.engine.origin, .none)
        groups.append(Group(constraint: names, objects: [object], database: database))
      }
    }
    let databases = groups.compactMap(\.database)
    let rows = databases.isEmpty ? [:] : try context.presentRows(of: databases, in: store)
    return groups.map { group in
      guard group.objects.count == 1, let database = group.database else {
        return NSConstraintConflict(group.constraint, group.objects)
      }
      let present = rows[ObjectIdentifier(database)] ?? .none
      // The program may save or delete the object with this save, so it must have its current row.
      if database.flags.isDisjoint(with: [.updated, .deleted, .inserted]), present.isPresent {
        context.rebase(database, onto: present)
      }
      return NSConstraintConflict(
        group.constraint, group.objects, database: database, present: present)
    }
  }

  /// Returns whether the existing row has the values only because it could not be written: its object has
  /// other values now, and these are in conflict with another object.
  private func isConsequence(
    _ violation: ConstraintViolation, _ objects: [RowKey: NSManagedObject]
  ) -> Bool {
    guard let object = objects[row(violation.layout, violation.key)],
      let other = objects[row(violation.existingLayout, violation.existingKey)],
      !other.flags.contains(.inserted)
    else { return false }
    let names = violation.names
    return !haveEqualValues(object, other, names)
      && names.contains { other.layout.slot(determining: $0).map(other.isChanged) ?? false }
  }

  private func haveEqualValues(
    _ object: NSManagedObject, _ other: NSManagedObject, _ names: [String]
  ) -> Bool {
    let (values, others) = (object.values(ofConstraint: names), other.values(ofConstraint: names))
    return names.allSatisfy { ValueEquality.areEqual(values[$0], others[$0]) }
  }

  /// Rebases an object of the save onto its current row. If only members of its relationships
  /// changed, the object may be older than its row, and only the row may have the values.
  private func rebaseOntoPresentRow(
    _ other: NSManagedObject, unlessEqualTo object: NSManagedObject, _ names: [String]
  ) {
    if other.flags.contains(.inserted) || haveEqualValues(object, other, names) { return }
    context.rebase([other])
    context.pending.refresh(other)
  }

  private struct Group {
    let constraint: [String]
    var objects: [NSManagedObject]
    let database: NSManagedObject?
  }

  private struct ConstraintKey: Hashable {
    let row: RowKey
    let constraint: [Int]
  }
}

extension NSManagedObjectContext {
  /// Rebases an object without changes onto a row that was just read.
  func rebase(_ object: NSManagedObject, onto row: RowSnapshot) {
    if object.snapshot.isPresent, object.snapshot.version == row.version { return }
    if !object.flags.contains(.fault) {
      if object.flags.contains(.observed) { object.notifyObserversOfAllKeys() }
      pending.refresh(object)
    } else {
      noteReplacement(ofRowOf: object)
    }
    object.state.returnedToItsRow()
    object.state.rowWasRead(row)
  }
}
