/// The kinds of merge policy.
public enum NSMergePolicyType: UInt, Sendable {
  /// The save fails.
  case errorMergePolicyType = 0
  /// For each property, the other save's change wins.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// For each property, this save's change wins.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The object's values overwrite those of the other save.
  case overwriteMergePolicyType = 3
  /// The object's changes are discarded.
  case rollbackMergePolicyType = 4
}

/// A policy that resolves conflicts with other saves, and violations of uniqueness constraints.
///
/// A save that finds conflicts writes nothing. The context's policy resolves them in memory, and the save is repeated,
/// in one transaction, until there are none. If the policy does not resolve a conflict, the save fails with
/// `NSPersistentStoreSaveConflictsError`.
///
/// The table shows which value a property gets, by where it was changed: that of the saving
/// context, that of the store, or the value that was read:
///
/// | policy | only in the context | only in the store | in both |
/// | --- | --- | --- | --- |
/// | `mergeByPropertyStoreTrump` | context | store | store |
/// | `mergeByPropertyObjectTrump` | context | store | context |
/// | `overwrite` | context | as it was read | context |
/// | `rollback` | store | store | store |
///
/// Members of to-many relationships that were added or removed in the context are added to or
/// removed from the members in the store. Only `rollback` discards these changes, and only if the
/// inverse is not a to-one relationship: otherwise they are changes of the members' own rows.
///
/// If the row of a changed object is gone, `mergeByPropertyStoreTrump` and `rollback` delete the object, and
/// `mergeByPropertyObjectTrump` and `overwrite` insert the row again. If the row of a deleted object was changed,
/// `mergeByPropertyStoreTrump` and `rollback` restore the object, and the other two policies delete it.
///
/// Of objects with equal unique values, one is kept, and references to the others are redirected to it.
/// With `mergeByPropertyObjectTrump` and `overwrite`, it gets the new object's attributes. With
/// `mergeByPropertyStoreTrump` and `rollback`, it keeps the row's attributes, and only new objects are
/// discarded: an object that already has a row gets its former unique values back, or with `rollback` all
/// its former values.
///
/// A subclass overrides one of the `resolve` methods, calls `super`, which resolves the conflicts
/// by the policy's type, and then changes the objects. The save rethrows the errors of the override.
///
/// ```swift
/// final class LoggingPolicy: NSMergePolicy, @unchecked Sendable {
///   override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
///     for conflict in list { print(conflict) }
///     try super.resolve(optimisticLockingConflicts: list)
///   }
/// }
/// context.mergePolicy = LoggingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// ```
nonisolated open class NSMergePolicy: NSObject, @unchecked Sendable {
  /// The kind of policy.
  public let mergeType: NSMergePolicyType

  /// Creates a policy of a type.
  ///
  /// ```swift
  /// let importer = container.newBackgroundContext()
  /// importer.mergePolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// ```
  public init(merge type: NSMergePolicyType) {
    mergeType = type
    super.init()
  }

  /// The save fails with `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`.
  public static let error = NSMergePolicy(merge: .errorMergePolicyType)
  /// For each property, the other save's change wins.
  ///
  /// ```swift
  /// let importer = container.newBackgroundContext()
  /// importer.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
  /// ```
  public static let mergeByPropertyStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// For each property, this save's change wins.
  ///
  /// ```swift
  /// container.viewContext.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  /// ```
  public static let mergeByPropertyObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// The object's values overwrite those of the other save.
  public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
  /// The object's changes are discarded.
  ///
  /// ```swift
  /// context.mergePolicy = NSMergePolicy.rollback
  /// person.age = 37
  /// try context.save()  // if another save changed the person, its values win
  /// ```
  public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)

  /// Resolves conflicts of both kinds so that the save can be repeated.
  ///
  /// Called by a save. Calls `resolve(optimisticLockingConflicts:)` and then
  /// `resolve(constraintConflicts:)`, each if there are such conflicts.
  ///
  /// - Parameter list: `NSMergeConflict`s and `NSConstraintConflict`s.
  /// - Throws: The errors of these two methods.
  ///
  /// ```swift
  /// final class LoggingPolicy: NSMergePolicy, @unchecked Sendable {
  ///   override func resolve(mergeConflicts list: [Any]) throws {
  ///     print(list.count, "conflicts")
  ///     try super.resolve(mergeConflicts: list)
  ///   }
  /// }
  /// context.mergePolicy = LoggingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// ```
  open func resolve(mergeConflicts list: [Any]) throws {
    let locking = list.compactMap { $0 as? NSMergeConflict }
    if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
    let constraints = list.compactMap { $0 as? NSConstraintConflict }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Resolves conflicts with objects that another save has changed or deleted.
  ///
  /// - Throws: `NSManagedObjectMergeError` from the error policy; errors of reading the store.
  ///
  /// ```swift
  /// final class NewestWins: NSMergePolicy, @unchecked Sendable {
  ///   override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
  ///     for conflict in list {
  ///       let stored = conflict.persistedSnapshot ?? conflict.cachedSnapshot
  ///       let changed = conflict.sourceObject.value(forKey: "changed") as? Date ?? .distantPast
  ///       let isNewer = changed > stored?["changed"] as? Date ?? .distantPast
  ///       let winner = isNewer ? NSMergePolicy.mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump
  ///       try winner.resolve(optimisticLockingConflicts: [conflict])
  ///     }
  ///   }
  /// }
  /// ```
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    if mergeType == .errorMergePolicyType { throw CoreDataError.conflicts(list) }
    try ConflictResolution.resolve(list, mergeType)
  }

  /// Resolves conflicts of objects with equal unique values.
  ///
  /// - Throws: `NSManagedObjectConstraintMergeError` from the error policy; errors of reading the store.
  ///
  /// ```swift
  /// final class ReportingPolicy: NSMergePolicy, @unchecked Sendable {
  ///   override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
  ///     for conflict in list { print("not unique:", conflict.constraintValues) }
  ///     try super.resolve(constraintConflicts: list)
  ///   }
  /// }
  /// ```
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    if mergeType == .errorMergePolicyType { throw CoreDataError.conflicts(list) }
    try ConstraintResolution.resolve(list, mergeType)
  }
}
