/// The changes that a save of a context would write, and the deletions whose delete rules are still to be carried out.
///
/// The flags of an object (``ObjectState``) record the same changes; `checkInvariants()` compares them.
///
/// Here and in the context's other parts, a method that removes objects returns them, unless its caller retains them.
/// Otherwise the method might release the last reference to an object, and code that runs on its deallocation could
/// access the same part while the method is still changing it.
struct UnsavedChanges {
  private(set) var inserted = ChangeList()
  private(set) var updated = ChangeList()
  private(set) var deleted = ChangeList()
  /// Deleted objects whose delete rules may not have been carried out yet.
  private(set) var deletionsToPropagate = ChangeList()
  /// Deleted objects whose deletion another context saved.
  private(set) var deletedElsewhere = ChangeList()
  /// Objects that a merge or refresh changed while deletions were unsaved. They may refer to deleted objects.
  private(set) var arrived = ChangeList()

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  // MARK: Insertions and updates

  /// - Parameter isKnownToBeNew: Whether the object cannot be in the list yet.
  mutating func insert(_ object: NSManagedObject, isKnownToBeNew: Bool = false) {
    if isKnownToBeNew { inserted.append(object) } else { inserted.insert(object) }
  }

  mutating func update(_ object: NSManagedObject) { updated.insert(object) }

  /// Removes an object that no longer has unsaved changes from the updates.
  mutating func withdrawUpdate(_ object: NSManagedObject) { updated.remove(object) }

  /// Replaces the insertion of an object with an update, because the object turned out to have a row.
  mutating func updateInsteadOfInserting(_ object: NSManagedObject) {
    inserted.remove(object)
    updated.insert(object)
  }

  /// Removes an object from all changes.
  mutating func forget(_ object: NSManagedObject) {
    inserted.remove(object)
    updated.remove(object)
    deleted.remove(object)
  }

  /// Removes insertions that were saved. The objects' flags show which insertions are still unsaved.
  mutating func insertionsWereSaved(_ objects: [NSManagedObject]) {
    if !updated.isEmpty { for object in objects { updated.remove(object) } }
    // Usually all were saved, and no flag needs to be checked.
    if objects.count == inserted.count {
      inserted.removeAll()
    } else {
      inserted.removeAll { !$0.flags.contains(.inserted) }
    }
  }

  // MARK: Deletions

  mutating func delete(_ object: NSManagedObject) { deleted.insert(object) }

  /// Records that the delete rules of an object are due.
  mutating func noteRulesDue(of object: NSManagedObject) { deletionsToPropagate.insert(object) }

  /// Removes the objects whose delete rules are due and returns them. The caller carries out the rules.
  mutating func removeDeletionsToPropagate() -> ChangeList {
    exchange(&deletionsToPropagate, with: ChangeList())
  }

  /// Removes an object whose deletion was reverted or saved.
  ///
  /// - Returns: Whether the object was in the list.
  @discardableResult
  mutating func withdrawDeletion(_ object: NSManagedObject) -> Bool { deleted.remove(object) }

  /// Records that another context or process deleted an object's row.
  mutating func deleteElsewhere(_ object: NSManagedObject) {
    inserted.remove(object)
    updated.remove(object)
    deleted.insert(object)
    deletedElsewhere.insert(object)
  }

  /// Records that an object that another save deleted has a row again, or is inserted again.
  ///
  /// - Returns: Whether the object was recorded as deleted by another save.
  @discardableResult
  mutating func withdrawDeletionElsewhere(_ object: NSManagedObject) -> Bool {
    deletedElsewhere.remove(object)
  }

  /// Removes the objects whose rows other saves deleted, and returns them.
  @discardableResult
  mutating func removeDeletedElsewhere() -> [NSManagedObject] {
    let objects = deletedElsewhere.objects
    for object in objects { deleted.remove(object) }
    deletedElsewhere.removeAll()
    return objects
  }

  // MARK: Changes of other saves

  mutating func noteArrival(of objects: ChangeList) {
    for object in objects { arrived.insert(object) }
  }

  @discardableResult
  mutating func forgetArrivals() -> ChangeList { exchange(&arrived, with: ChangeList()) }

  // MARK: All changes

  @discardableResult
  mutating func removeAll() -> UnsavedChanges { exchange(&self, with: UnsavedChanges()) }

  /// The lists, each with the flag that its objects have.
  var flaggedLists: [(name: String, list: ChangeList, flag: ObjectState.Flags)] {
    [
      ("inserted", inserted, .inserted), ("updated", updated, .updated),
      ("deleted", deleted, .deleted),
    ]
  }

  /// Returns a description of an inconsistency in the lists, or nil. Changes nothing.
  func checkInvariants() -> String? {
    let problem = ChangeList.checkInvariants(of: [
      "inserted": inserted, "updated": updated, "deleted": deleted, "arrived": arrived,
      "propagating": deletionsToPropagate, "deleted by another save": deletedElsewhere,
    ])
    if let problem { return problem }
    for (name, list, flag) in flaggedLists {
      for object in list where !object.flags.contains(flag) {
        return "\(object.ownID) is among the \(name) objects, but not flagged as \(name)"
      }
    }
    return deletedElsewhere.set.isSubset(of: deleted.set)
      ? nil : "an object deleted by another save is not among the deleted objects"
  }
}
