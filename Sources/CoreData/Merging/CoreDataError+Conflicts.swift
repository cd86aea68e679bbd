extension CoreDataError {
  /// Returns whether an error reports conflicts of a save.
  static func isConflict(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && [
        NSManagedObjectMergeError, NSManagedObjectConstraintMergeError,
        NSPersistentStoreSaveConflictsError,
      ].contains(error.code)
  }

  /// Returns the error of a save that fails because of conflicts.
  ///
  /// - Parameter isUnresolved: Whether a policy was called and left the conflicts as they were.
  static func conflicts(_ conflicts: [NSObject], isUnresolved: Bool = false) -> NSError {
    let constraints = conflicts.compactMap { $0 as? NSConstraintConflict }
    let locking = conflicts.compactMap { $0 as? NSMergeConflict }
    let objects = locking.map(\.sourceObject) + constraints.flatMap(\.conflictingObjects)
    var info: [String: Any] = [NSPersistentStoreSaveConflictsErrorKey: conflicts]
    // Apple documents these keys for the error policy. The values are object IDs.
    let inserted = objects.filter { $0.flags.contains(.inserted) }.map(\.ownID)
    let updated = objects.filter { !$0.flags.contains(.inserted) }.map(\.ownID)
    if !inserted.isEmpty { info[NSInsertedObjectsKey] = inserted }
    if !updated.isEmpty { info[NSUpdatedObjectsKey] = updated }
    let first = locking.first?.summary ?? constraints.first?.summary
    let detail = first.map { " (\($0)\(conflicts.count > 1 ? ", …" : ""))" } ?? ""
    if isUnresolved {
      return make(
        NSPersistentStoreSaveConflictsError,
        "The merge policy did not resolve all conflicts.\(detail)", info)
    }
    if locking.isEmpty, !constraints.isEmpty {
      return make(
        NSManagedObjectConstraintMergeError,
        "Objects have the same values for a uniqueness constraint.\(detail)", info)
    }
    return make(NSManagedObjectMergeError, "Could not merge changes.\(detail)", info)
  }

  /// Returns the conflicts in an error that a custom store threw; nil if it contains none.
  static func thrownConflicts(_ error: NSError) -> [NSMergeConflict]? {
    guard error.domain == NSCocoaErrorDomain,
      error.code == NSPersistentStoreSaveConflictsError || error.code == NSManagedObjectMergeError,
      let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict],
      !list.isEmpty
    else { return nil }
    return list
  }
}
