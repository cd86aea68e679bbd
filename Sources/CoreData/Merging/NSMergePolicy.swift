public import Foundation

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

/// What happens when another save changed the objects that are being saved.
open class NSMergePolicy: NSObject, @unchecked Sendable {
  /// The kind of policy.
  public let mergeType: NSMergePolicyType

  /// Makes a policy.
  public init(merge type: NSMergePolicyType) {
    mergeType = type
    super.init()
  }

  /// The save fails with `NSManagedObjectMergeError`.
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

  /// Settles conflicts so that the save can be tried again.
  ///
  /// - Throws: when the policy is not to, or an object's row is gone.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    if mergeType == .errorMergePolicyType { throw Self.error(for: list) }
    for conflict in list { try ConflictResolution(conflict.sourceObject).resolve(mergeType) }
  }

  /// The error of a save that fails because of conflicts.
  static func error(for conflicts: [NSMergeConflict]) -> NSError {
    let first = conflicts.first.map { " (\($0))" } ?? ""
    return CoreDataError.make(
      NSManagedObjectMergeError, "Could not merge changes.\(first)",
      [NSPersistentStoreSaveConflictsErrorKey: conflicts])
  }
}

/// Settles the conflict of one object: afterwards it stands on the store's present row.
private struct ConflictResolution {
  let object: NSManagedObject

  init(_ object: NSManagedObject) { self.object = object }

  func resolve(_ type: NSMergePolicyType) throws {
    guard let context = object.unsafeContext else { return }
    let old = object.snapshot
    let contents = object.contents
    let changed = object.layout.slots.map { !$0.isTransient && object.isChanged($0) }
    object.snapshot = .none
    object.flags.insert(.fault)
    do {
      try context.readRow(of: object)
    } catch {
      object.snapshot = old
      object.flags.remove([.fault, .inaccessible])
      throw error
    }
    object.flags.remove(.fault)
    if object.flags.contains(.deleted) { return }
    for slot in object.layout.slots where !slot.isTransient && !contents.isEmpty {
      let isLocal = changed[slot.index] && slot.kind != .toMany
      let isStored =
        old.value(of: slot, in: object.layout, origin: object.origin)
        != object.committedValue(slot)
      switch (type, isLocal, isStored) {
      case (.rollbackMergePolicyType, _, _):
        if slot.kind != .toMany { object.contents[slot.index] = .unread }
      case (.mergeByPropertyStoreTrumpMergePolicyType, true, true):
        object.contents[slot.index] = .unread
      case (.overwriteMergePolicyType, false, true):
        try overwrite(slot, with: old.value(of: slot, in: object.layout, origin: object.origin))
      case (_, false, true):
        if slot.kind != .toMany { object.contents[slot.index] = .unread }
      default: break
      }
    }
  }

  private func overwrite(_ slot: PropertySlot, with value: StoredValue) throws {
    switch (slot.kind, value) {
    case (.toOne, .reference(let id)):
      object.setContent(slot.index, .writtenObject(object.unsafeContext?.object(with: id)))
    case (.toOne, _): object.setContent(slot.index, .writtenObject(nil))
    case (.attribute, _): object.setContent(slot.index, .written(value))
    default: break
    }
  }
}
