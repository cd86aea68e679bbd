/// The kinds of merge policy.
public enum NSMergePolicyType: UInt, Sendable {
  /// The save fails.
  case errorMergePolicyType = 0
  /// Property by property, what the other save changed wins.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Property by property, what this save changes wins.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The object is saved as it is, over what the other save wrote.
  case overwriteMergePolicyType = 3
  /// The object's changes are dropped.
  case rollbackMergePolicyType = 4
}

/// What happens when a save meets what another save did, or breaks a uniqueness constraint.
///
/// A save that finds conflicts writes nothing. Its context's policy settles them in memory, and the
/// save is tried again, as one transaction, until there are none.
///
/// | changed | here only | in the store only | in both |
/// | --- | --- | --- | --- |
/// | `mergeByPropertyStoreTrump` | here | store | store |
/// | `mergeByPropertyObjectTrump` | here | store | here |
/// | `overwrite` | here | as it was read | here |
/// | `rollback` | store | store | store |
///
/// Members of to-many relationships that were added and removed here are added to and removed from
/// those that the store has, except by `rollback`, which drops these changes. An object whose row
/// is gone is deleted here by `mergeByPropertyStoreTrump` and `rollback`, and gets its row back with
/// the others; one that was deleted here and changed there stays, respectively is deleted.
///
/// Of objects that share unique values one is left: with `mergeByPropertyObjectTrump` and
/// `overwrite` it has the new object's attributes, with the others the row's; whatever referred to
/// the others refers to it.
///
/// A subclass overrides one of the `resolve` methods, calls `super`, which settles the conflicts as
/// its type says, and changes the objects then. What it throws is thrown by the save.
nonisolated open class NSMergePolicy: NSObject, @unchecked Sendable {
  /// The kind of policy.
  public let mergeType: NSMergePolicyType

  /// Makes a policy.
  public init(merge type: NSMergePolicyType) {
    mergeType = type
    super.init()
  }

  /// The save fails with `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`; all
  /// changes stay.
  public static let error = NSMergePolicy(merge: .errorMergePolicyType)
  /// Property by property, what the other save changed wins.
  public static let mergeByPropertyStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// Property by property, what this save changes wins.
  public static let mergeByPropertyObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// The object is saved as it is, over what the other save wrote.
  public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
  /// The object's changes are dropped.
  public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)

  /// Settles conflicts of both kinds so that the save can be tried again. What a save calls: it
  /// calls `resolve(optimisticLockingConflicts:)` first, then `resolve(constraintConflicts:)`, each
  /// if there are any.
  ///
  /// - Parameter list: `NSMergeConflict`s and `NSConstraintConflict`s.
  open func resolve(mergeConflicts list: [Any]) throws {
    let locking = list.compactMap { $0 as? NSMergeConflict }
    if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
    let constraints = list.compactMap { $0 as? NSConstraintConflict }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Settles conflicts with what another save changed or deleted.
  ///
  /// - Throws: `NSManagedObjectMergeError` if the policy settles nothing; what reading the store
  ///   throws.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    if mergeType == .errorMergePolicyType { throw CoreDataError.conflicts(list) }
    try ConflictResolution.settle(list, mergeType)
  }

  /// Settles conflicts of objects that have the same unique values.
  ///
  /// - Throws: `NSManagedObjectConstraintMergeError` if the policy settles nothing; what reading the
  ///   store throws.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    if mergeType == .errorMergePolicyType { throw CoreDataError.conflicts(list) }
    try ConstraintResolution.settle(list, mergeType)
  }
}
